// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/holders.hpp"

#include <algorithm>

namespace gemmill {

Holders::Holders(const DistFactor& factor, int operand, int rank, int ranks)
    : matrix(&factor.matrix->distribution),
      across_is_rows((operand == 0) == (factor.op == Op::NoTrans)) {
    std::vector<IndexSet>& rows = across_is_rows ? across : depth;
    std::vector<IndexSet>& cols = across_is_rows ? depth : across;
    for (int i = 0; i < matrix->grid_rows(); ++i) rows.push_back(matrix->rows_of(i));
    for (int i = 0; i < matrix->grid_cols(); ++i) cols.push_back(matrix->cols_of(i));
    ranks_.resize(rows.size() * cols.size(), -1);
    for (int r = 0; r < ranks; ++r) {
        const GridPlace place = matrix->place_of(r);
        if (place.row >= 0)
            ranks_[static_cast<std::size_t>(place.row) * cols.size() +
                   static_cast<std::size_t>(place.col)] = r;
    }
    const GridPlace mine = matrix->place_of(rank);
    my_across = across_is_rows ? mine.row : mine.col;
    my_depth = across_is_rows ? mine.col : mine.row;
}

int Holders::rank_at(int at_across, int at_depth) const {
    const int row = across_is_rows ? at_across : at_depth;
    const int col = across_is_rows ? at_depth : at_across;
    return ranks_[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix->grid_cols()) +
                  static_cast<std::size_t>(col)];
}

std::vector<Common> common_with(const std::vector<IndexSet>& places, const IndexSet& needed) {
    const IndexSet dense = packed(needed);
    std::vector<Common> result;
    for (std::size_t place = 0; place < places.size(); ++place) {
        Matches matches = meet(places[place], dense);
        if (!matches.empty()) result.push_back({static_cast<int>(place), std::move(matches)});
    }
    return result;
}

const Matches* of_place(const std::vector<Common>& all, int place) {
    const auto found = std::ranges::find(all, place, &Common::place);
    return found == all.end() ? nullptr : &found->matches;
}

}  // namespace gemmill
