// SPDX-License-Identifier: Apache-2.0
#include "rank/share/likely.hpp"

#include <algorithm>

#include "rank/owners/owners.hpp"

namespace gemmill {
namespace {

/// op(X) as the places of a grid have it.
class Layout {
  public:
    Layout(const Distribution& x, Op op)
        : rows_(static_cast<double>(op == Op::NoTrans ? x.rows() : x.cols())),
          cols_(static_cast<double>(op == Op::NoTrans ? x.cols() : x.rows())),
          row_places_(places_along({&x, op == Op::NoTrans})),
          col_places_(places_along({&x, op != Op::NoTrans})) {}
    explicit Layout(const DistFactor& x) : Layout(x.matrix->distribution, x.op) {}

    /// Elements of one of so many parts that a rank does not have, if it has as many of them as one
    /// place can.
    double missing(double row_parts, double col_parts) const {
        return rows_ * cols_ *
               (1 / (row_parts * col_parts) -
                1 / (std::max(row_parts, row_places_) * std::max(col_parts, col_places_)));
    }

  private:
    double rows_, cols_, row_places_, col_places_;
};

struct Rough {
    double elements;
    Bricks bricks;
};

/// All bricks of so many ranks.
std::vector<Rough> all_bricks(const DistUpdate& update, int ranks) {
    const Layout a(update.terms.front().a), b(update.terms.front().b);
    const Layout c(update.c.distribution, Op::NoTrans);
    const auto terms = static_cast<double>(update.terms.size());
    std::vector<Rough> all;
    for (int groups = 1; groups <= ranks; ++groups)
        for (int depths = 1; groups * depths <= ranks; ++depths)
            for (const bool by_rows : {true, false}) {
                const double others = static_cast<double>(ranks) / (groups * depths);
                const double rows = by_rows ? groups : others, cols = by_rows ? others : groups;
                const double elements =
                    terms * (a.missing(rows, depths) + b.missing(depths, cols)) +
                    c.missing(rows, cols);
                all.push_back({elements, {groups, depths, ranks, by_rows}});
            }
    return all;
}

}  // namespace

std::vector<Bricks> likely_bricks(const DistUpdate& update, int ranks) {
    // More than twelve send no less; of many ranks fewer are dealt, so that it takes as long.
    const auto priced = static_cast<std::size_t>(std::clamp(768 / ranks, 1, 12));
    std::vector<Rough> all = all_bricks(update, ranks);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(priced, all.size()));
    std::ranges::partial_sort(all, last, {}, &Rough::elements);
    std::vector<Bricks> result;
    for (auto x = all.begin(); x != last; ++x) result.push_back(x->bricks);
    return result;
}

}  // namespace gemmill
