// SPDX-License-Identifier: Apache-2.0
// A matrix that somebody else owns.
#pragma once

#include <cstddef>

#include "gemmill/types.hpp"

namespace gemmill {

/// rows x cols elements; ld is the distance between columns (column-major) or rows (row-major).
template <class T>
struct View {
    T* data = nullptr;
    index_t rows = 0, cols = 0, ld = 0;
    Layout layout = Layout::ColMajor;

    T& operator()(index_t i, index_t j) const {
        return data[layout == Layout::ColMajor ? i + j * ld : i * ld + j];
    }
    /// Rows [row, row + count_rows) and the same of columns.
    View block(index_t row, index_t col, index_t count_rows, index_t count_cols) const {
        View part = *this;
        part.data = layout == Layout::ColMajor ? data + row + col * ld : data + row * ld + col;
        part.rows = count_rows;
        part.cols = count_cols;
        return part;
    }
    /// The same elements as the transposed matrix in the other layout.
    View transposed() const {
        const Layout other = layout == Layout::ColMajor ? Layout::RowMajor : Layout::ColMajor;
        return {data, cols, rows, ld, other};
    }
};

/// Copies rows x cols elements of `bytes` each between two column-major places.
void copy_block(const void* from, index_t from_ld, void* to, index_t to_ld, index_t rows,
                index_t cols, index_t bytes);
/// The same past the caches, which need not read first what they will not keep: for many bytes that
/// this CPU does not use soon.
void stream_block(const void* from, index_t from_ld, void* to, index_t to_ld, index_t rows,
                  index_t cols, index_t bytes);

}  // namespace gemmill
