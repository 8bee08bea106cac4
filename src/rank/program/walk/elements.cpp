// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/elements.hpp"

#include <algorithm>

#include "kernel/reference/numbers.hpp"

namespace gemmill {
namespace {

/// Calls f(global index, position) for each index of a set.
template <class F>
void for_each_index(const IndexSet& set, F&& f) {
    index_t position = 0;
    for (const IndexRun& run : set)
        for (index_t i = 0; i < run.count; ++i) f(run.begin + i, position++);
}

template <class T>
void mask_column(const DistFactor& factor, const IndexSet& rows, index_t count, index_t col,
                 T* data) {
    const index_t above = position_of(rows, col);
    const bool has_diagonal = position_of(rows, col + 1) > above;
    if (is_lower(factor.fill))
        std::fill_n(data, above, T(0));
    else
        std::fill_n(data + above + has_diagonal, count - above - has_diagonal, T(0));
    if (!has_diagonal) return;
    T& diagonal = data[above];
    if (factor.unit)
        diagonal = T(1);
    else if (factor.fill == Fill::strictly_lower || factor.fill == Fill::strictly_upper)
        diagonal = T(0);
    else if (factor.real_diagonal)
        diagonal = real_part(diagonal);
}

/// c = keep(c) + x for rows [first, last).
template <class T, class F>
void update_rows(const RowRange& rows, const T* sums, T* c, F&& keep) {
    for (index_t i = rows.first; i < rows.last; ++i)
        c[i] = sums == nullptr ? keep(c[i]) : keep(c[i]) + sums[i];
}

/// A real beta of a hermitian matrix multiplies each part of an element alone.
template <class T>
void write_column(const DistUpdate& update, const CBlock& block, index_t col, const T* sums, T* c) {
    const T beta = from_scalar<T>(update.beta);
    const RowRange rows = rows_in(update.fill, block.rows, col, col + 1);
    if (beta == T(0))
        update_rows(rows, sums, c, [](const T&) { return T(0); });
    else if (beta == T(1))
        update_rows(rows, sums, c, [](const T& x) { return x; });
    else if (update.hermitian)
        update_rows(rows, sums, c, [&](const T& x) { return times_real(beta, x); });
    else
        update_rows(rows, sums, c, [&](const T& x) { return times(beta, x); });
    const index_t diagonal = position_of(block.rows, col);
    if (update.hermitian && position_of(block.rows, col + 1) > diagonal)
        c[diagonal] = real_part(c[diagonal]);
}

}  // namespace

RowRange rows_in(Fill fill, const IndexSet& rows, index_t global_col, index_t global_last) {
    const index_t all = total(rows);
    if (fill == Fill::all) return {0, all};
    if (is_lower(fill)) return {position_of(rows, global_col), all};
    return {0, position_of(rows, global_last)};
}

void mask_panel(Type type, const DistFactor& factor, const Panel& panel, std::byte* data) {
    with_type(type, [&]<class T>() {
        if constexpr (!is_short(type_of<T>))
            for_each_index(panel.col_indices, [&](index_t col, index_t position) {
                mask_column(factor, panel.row_indices, panel.rows, col,
                            reinterpret_cast<T*>(data) + position * panel.ld);
            });
    });
}

void write_block(const DistUpdate& update, const CBlock& block, const std::byte* sums,
                 index_t sums_ld, const Address& to) {
    if (block.rows.empty() || block.cols.empty()) return;
    with_type(update.type, [&]<class T>() {
        if constexpr (!is_short(type_of<T>)) {
            const auto* from = reinterpret_cast<const T*>(sums);
            // Rows and columns of a block lie one behind the other in the rank's array.
            auto* c = reinterpret_cast<T*>(to.data) + block.rows.front().offset +
                      block.cols.front().offset * to.ld;
            for_each_index(block.cols, [&](index_t col, index_t position) {
                write_column(update, block, col,
                             from == nullptr ? nullptr : from + position * sums_ld,
                             c + position * to.ld);
            });
        }
    });
}

}  // namespace gemmill
