// SPDX-License-Identifier: Apache-2.0
// Plans as lines of text, small enough for a page: who computes what, what runs when, what lies
// where. Made for plans of few steps.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gemmill/plan.hpp"
#include "model/engine.hpp"
#include "plan/ops.hpp"
#include "task/problem.hpp"

namespace gemmill::test {

/// Where the tiles of an operand begin and end, along rows or columns.
class Cuts {
  public:
    void add(index_t first, index_t count) {
        at_.insert(first);
        at_.insert(first + count);
    }
    /// "2" for the third part, "1-2" for two of them, "*" for all of several, "" for the only one.
    std::string name(index_t first, index_t count) const {
        const auto low = number(first), high = number(first + count) - 1;
        if (high - low + 2 == std::ssize(at_)) return low == high ? "" : "*";
        return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
    }

  private:
    std::ptrdiff_t number(index_t cut) const { return std::distance(at_.begin(), at_.find(cut)); }

    std::set<index_t> at_;
};

/// Short names: A12 is in the second row and third column of tiles of A; A2 when A has one row of
/// them.
class TileNames {
  public:
    explicit TileNames(const Plan& plan) : plan_(plan) {
        for (const Step& step : plan.steps)
            for (const Ref& ref : {step.out, step.in[0], step.in[1]})
                if (ref.tile >= 0) add(tile(ref));
    }
    std::string operator()(const Ref& ref) const {
        const Tile& t = tile(ref);
        const auto& [rows, cols] = cuts_.at(t.operand);
        const std::string row = rows.name(t.row, t.rows), col = cols.name(t.col, t.cols);
        const bool apart = !row.empty() && !col.empty() && row.size() + col.size() > 2;
        return fmt::format("{}{}{}{}", name_of(t.operand), row, apart ? "," : "", col);
    }
    /// "k1" for the columns of a tile of A, which must not be transposed; "" when k is not cut.
    std::string part_of_k(const Ref& a) const {
        const std::string name = cuts_.at(operand::A).second.name(tile(a).col, tile(a).cols);
        return name.empty() ? "" : "k" + name;
    }

  private:
    static char name_of(OperandId operand) { return "ABC"[static_cast<std::size_t>(operand)]; }
    const Tile& tile(const Ref& ref) const {
        return plan_.tiles[static_cast<std::size_t>(ref.tile)];
    }
    void add(const Tile& t) {
        auto& [rows, cols] = cuts_[t.operand];
        rows.add(t.row, t.rows);
        cols.add(t.col, t.cols);
    }

    const Plan& plan_;
    std::map<OperandId, std::pair<Cuts, Cuts>> cuts_;  // rows, columns
};

/// "C01k2" for a product with the third part of k, "+C01" for a late C, "A00.1" for the second
/// piece of a tile.
inline std::string short_name(const TileNames& names, const Step& step) {
    if (step.op == Opcode::add) return "+" + names(step.out);
    if (!moves(step)) return names(step.out) + names.part_of_k(step.in[0]);
    return step.pieces == 1 ? names(step.out) : fmt::format("{}.{}", names(step.out), step.piece);
}

/// One line with texts that begin and end at times.
class Line {
  public:
    Line(std::string name, double columns_a_second)
        : scale_(columns_a_second), text_(std::move(name)) {
        text_.resize(margin, ' ');
    }
    void add(const std::string& name, const StepTime& time) {
        const std::size_t begin = column(time.begin), end = std::max(column(time.end), begin + 1);
        text_.resize(std::max(text_.size(), end + 1), ' ');
        std::string box = "|" + name;
        if (box.size() > end - begin && name.front() == 'C') box.erase(1, 1);
        box.resize(end - begin, '-');
        text_.replace(begin, box.size(), box);
        text_[end] = '|';
    }
    bool empty() const { return text_.size() == margin; }
    std::string text() const { return text_ + "\n"; }

  private:
    static constexpr std::size_t margin = 15;
    std::size_t column(double seconds) const {
        return margin + static_cast<std::size_t>(std::lround(scale_ * seconds));
    }
    double scale_;
    std::string text_;
};

/// From the host, between devices, kernels, to the host.
inline std::vector<QueueId> queues_to_draw(const Plan& plan) {
    std::vector<QueueId> all(plan.queues.size());
    std::iota(all.begin(), all.end(), 0);
    std::ranges::stable_sort(all, {}, [&](QueueId id) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(id)];
        if (queue.kind == QueueKind::compute) return std::tuple{2, queue.index, 0};
        const Link& link = plan.machine.links[static_cast<std::size_t>(queue.index)];
        return std::tuple{link.from == 0 ? 0 : link.to == 0 ? 3 : 1, link.from, link.to};
    });
    return all;
}

/// A line for each queue that has steps, each of them where it runs.
inline std::string draw_times(const Plan& plan, double columns_a_second) {
    const Timeline timeline = simulate(plan);
    const TileNames names(plan);
    std::string text;
    for (const QueueId q : queues_to_draw(plan)) {
        Line line(name_of(plan, plan.queues[static_cast<std::size_t>(q)]), columns_a_second);
        for (std::size_t i = 0; i < plan.steps.size(); ++i)
            if (plan.steps[i].queue == q) line.add(short_name(names, plan.steps[i]), timeline[i]);
        if (!line.empty()) text += line.text();
    }
    return text;
}

/// A line for each place in the memories of devices, with the tiles that lie there one after the
/// other.
inline std::string draw_places(const Plan& plan, double columns_a_second) {
    const Timeline timeline = simulate(plan);
    const TileNames names(plan);
    std::map<std::pair<MemoryId, std::int64_t>, std::vector<const Buffer*>> places;
    for (const Buffer& buffer : plan.buffers)
        places[{buffer.memory, buffer.offset}].push_back(&buffer);
    std::string text;
    for (const auto& [place, buffers] : places) {
        const Memory& memory = plan.machine.memories[static_cast<std::size_t>(place.first)];
        Line line(fmt::format("{} at {}", memory.name, place.second), columns_a_second);
        for (const Buffer* b : buffers)
            line.add(names({b->tile, 0}), {timeline[static_cast<std::size_t>(b->first)].begin,
                                           timeline[static_cast<std::size_t>(b->last)].end});
        text += line.text();
    }
    return text;
}

/// The tiles of C, each with the number of the device that computes it, below the columns and
/// behind the rows at which they begin.
inline std::string draw_owners(const Plan& plan) {
    std::map<std::pair<index_t, index_t>, DeviceId> owners;
    std::set<index_t> cols;
    for (const Step& step : plan.steps) {
        if (moves(step) || step.op == Opcode::add) continue;
        const Tile& c = plan.tiles[static_cast<std::size_t>(step.out.tile)];
        owners[{c.row, c.col}] = plan.queues[static_cast<std::size_t>(step.queue)].index;
        cols.insert(c.col);
    }
    std::string text = "     ";
    for (const index_t col : cols) text += fmt::format("{:>4}", col);
    index_t row = -1;
    for (const auto& [at, device] : owners) {
        if (at.first != row) text += fmt::format("\n{:>5}", at.first);
        row = at.first;
        text += fmt::format("{:>4}", device);
    }
    return text + "\n";
}

}  // namespace gemmill::test
