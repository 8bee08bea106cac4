// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/owners.hpp"

#include <algorithm>
#include <map>

namespace gemmill {
namespace {

IndexSet indices_at(const MatrixSide& side, int place) {
    return side.rows ? side.matrix->rows_of(place) : side.matrix->cols_of(place);
}
index_t size_of(const MatrixSide& side) {
    return side.rows ? side.matrix->rows() : side.matrix->cols();
}

struct OwnedRun {
    index_t begin, end;
    int place;
};

/// Who has which indices, in ascending order.
std::vector<OwnedRun> runs_of(const MatrixSide& side) {
    std::vector<OwnedRun> runs;
    for (int place = 0, places = places_along(side); place < places; ++place)
        for (const IndexRun& run : indices_at(side, place))
            runs.push_back({run.begin, run.begin + run.count, place});
    std::ranges::sort(runs, {}, &OwnedRun::begin);
    return runs;
}

/// The place of a rank along a side of so many.
int place_of(const MatrixSide& side, int places, int rank) {
    const GridPlace place = side.matrix->place_of(rank);
    if (place.row < 0) return -1;
    return places == 1 ? 0 : side.rows ? place.row : place.col;
}

void add_places(Owners& owners, const std::array<MatrixSide, 2>& sides, int ranks) {
    owners.of_rank.resize(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < 2; ++i) {
        const int places = places_along(sides[i]);
        owners.at_place[i].resize(static_cast<std::size_t>(places));
        for (std::size_t kind = 0; kind < owners.kinds.size(); ++kind)
            owners.at_place[i][static_cast<std::size_t>(owners.kinds[kind].places[i])].push_back(
                static_cast<int>(kind));
        for (int rank = 0; rank < ranks; ++rank)
            owners.of_rank[static_cast<std::size_t>(rank)][i] = place_of(sides[i], places, rank);
    }
}

}  // namespace

int places_along(const MatrixSide& side) {
    const int places = side.rows ? side.matrix->grid_rows() : side.matrix->grid_cols();
    const index_t size = size_of(side);
    const bool all_have_it =
        total(indices_at(side, 0)) == size && total(indices_at(side, places - 1)) == size;
    return all_have_it ? 1 : places;
}

index_t Owners::stored_at(std::size_t matrix, int place) const {
    if (place < 0) return 0;
    index_t sum = 0;
    for (const int kind : at_place[matrix][static_cast<std::size_t>(place)])
        sum += kinds[static_cast<std::size_t>(kind)].count;
    return sum;
}

Owners owners_of(const std::array<MatrixSide, 2>& sides, int ranks) {
    Owners owners;
    owners.size = size_of(sides[0]);
    const std::vector<OwnedRun> first = runs_of(sides[0]), second = runs_of(sides[1]);
    std::map<std::array<int, 2>, OwnedKind> kinds;
    for (auto x = first.begin(), y = second.begin(); x != first.end() && y != second.end();) {
        const index_t begin = std::max(x->begin, y->begin), end = std::min(x->end, y->end);
        OwnedKind& kind = kinds[{x->place, y->place}];
        kind.set.push_back({begin, end - begin, kind.count});
        kind.count += end - begin;
        const bool next_first = x->end == end, next_second = y->end == end;
        x += next_first, y += next_second;
    }
    for (auto& [places, kind] : kinds) {
        kind.places = places;
        kind.set = packed(kind.set);
        owners.kinds.push_back(std::move(kind));
    }
    add_places(owners, sides, ranks);
    return owners;
}

Owners nobodys(index_t size, int ranks) {
    Owners owners;
    owners.size = size;
    owners.kinds = {{whole(size), size, {0, 0}}};
    owners.of_rank.assign(static_cast<std::size_t>(ranks), {-1, -1});
    return owners;
}

}  // namespace gemmill
