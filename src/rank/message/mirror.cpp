// SPDX-License-Identifier: Apache-2.0
#include "rank/message/mirror.hpp"

namespace gemmill {
namespace {

/// Local indices of a holding lie one behind the other.
index_t first_of(const IndexSet& set) { return set.front().offset; }
index_t extent_of(const IndexSet& set) {
    return set.back().offset + set.back().count - set.front().offset;
}

}  // namespace

bool is_one_piece(const Box& box, const RankMatrix& matrix) {
    if (matrix.device.empty() || matrix.device.front().data == nullptr || box.is_empty())
        return false;
    return is_one_run(box.rows) && is_one_run(box.cols) &&
           (total(box.cols) == 1 || total(box.rows) == matrix.device.front().ld);
}

Mirror::Mirror(const RankMatrix& matrix, Type type, int rank, const DeviceMemory& memory)
    : memory_(memory), size_(bytes_of(type)), matrix_(matrix) {
    if (!memory.holds) return;
    const std::vector<Holding> holdings = matrix.distribution.holdings_of(rank);
    for (std::size_t i = 0; i < holdings.size() && i < matrix.at.size(); ++i)
        if (memory.holds(matrix.at[i].data)) add(holdings[i], matrix.at[i], i);
}

void Mirror::add(const Holding& holding, const Address& at, std::size_t index) {
    if (matrix_.device.empty()) matrix_.device.resize(matrix_.at.size());
    matrix_.device[index] = at;
    if (holding.rows.empty() || holding.cols.empty()) return;
    const index_t before = first_of(holding.rows) + first_of(holding.cols) * at.ld;
    const index_t cols = extent_of(holding.cols);
    Place place;
    place.column = extent_of(holding.rows) * size_, place.ld = at.ld * size_, place.cols = cols;
    place.device = at.data + before * size_;
    const std::int64_t bytes = (cols - 1) * place.ld + place.column;
    owners_.push_back(memory_.host(bytes));
    bytes_ += bytes;
    place.host = owners_.back().get();
    // Offsets of the holding count from the beginning of the array.
    matrix_.at[index].data = place.host - before * size_;
    places_.push_back(place);
}

void Mirror::bring() {
    if (is_here_) return;
    is_here_ = true;
    for (const Place& x : places_) memory_.copy(x.host, x.device, (x.cols - 1) * x.ld + x.column);
}

void Mirror::take_back() const {
    for (const Place& x : places_) {
        if (x.column == x.ld) {
            memory_.copy(x.device, x.host, x.cols * x.ld);
            continue;
        }
        for (std::int64_t j = 0; j < x.cols; ++j)
            memory_.copy(x.device + j * x.ld, x.host + j * x.ld, x.column);
    }
}

}  // namespace gemmill
