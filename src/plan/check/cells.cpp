// SPDX-License-Identifier: Apache-2.0
#include "plan/check/cells.hpp"

#include <compare>

#include "plan/access.hpp"

namespace gemmill {
namespace {

/// An edge between two rows or two columns of a place: a buffer, or the target.
struct Edge {
    std::size_t place;
    index_t at;
    auto operator<=>(const Edge&) const = default;
};

class EdgeFinder {
  public:
    explicit EdgeFinder(const Plan& plan) : plan_(plan) {
        for (const Step& step : plan.steps)
            for (const Ref& ref : {step.out, step.in[0], step.in[1]})
                if (ref.tile >= 0) note(ref, touched(plan, step, ref));
        for (std::vector<Edge>* edges : {&rows, &cols}) {
            std::ranges::sort(*edges);
            edges->erase(std::unique(edges->begin(), edges->end()), edges->end());
        }
    }

    /// What a place holds; the one behind all buffers is the user's target.
    Tile whole(std::size_t place) const {
        if (place == plan_.buffers.size()) return whole_target(plan_);
        return plan_.tiles[static_cast<std::size_t>(plan_.buffers[place].tile)];
    }

    std::vector<Edge> rows, cols;  ///< inside their place, in order, each once

  private:
    void note(const Ref& ref, const Tile& block) {
        if (block.cols == 0 || (ref.buffer == Ref::home && !is_target(plan_, block))) return;
        const std::size_t place =
            ref.buffer == Ref::home ? plan_.buffers.size() : static_cast<std::size_t>(ref.buffer);
        const Tile all = whole(place);
        note(rows, place, {all.row, all.rows}, {block.row, block.rows});
        note(cols, place, {all.col, all.cols}, {block.col, block.cols});
    }

    static void note(std::vector<Edge>& edges, std::size_t place, const Span& all,
                     const Span& part) {
        const index_t end = part.first + part.count;
        if (part.first > all.first) edges.push_back({place, part.first});
        if (end < all.first + all.count) edges.push_back({place, end});
    }

    const Plan& plan_;
};

}  // namespace

Cells::Cells(const Plan& plan) : target_(plan.goal.target) {
    const EdgeFinder found(plan);
    auto row = found.rows.begin(), col = found.cols.begin();
    for (std::size_t place = 0; place <= plan.buffers.size(); ++place) {
        const auto axis = [&](const Span& all, auto& inner, auto end) {
            const std::size_t begin = edges_.size();
            edges_.push_back(all.first);
            for (; inner != end && inner->place == place; ++inner) edges_.push_back(inner->at);
            edges_.push_back(all.first + all.count);
            return Range{begin, edges_.size()};
        };
        const Tile whole = found.whole(place);
        const Range rows = axis({whole.row, whole.rows}, row, found.rows.end());
        const Range cols = axis({whole.col, whole.cols}, col, found.cols.end());
        grids_.push_back({count_, rows, cols});
        count_ += (rows.end - rows.begin - 1) * (cols.end - cols.begin - 1);
    }
}

}  // namespace gemmill
