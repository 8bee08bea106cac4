// SPDX-License-Identifier: Apache-2.0
// The table that picks kernels for products of one shape, as data: one row a line,
//
//     d strided:nt 32 * pipe32
//
// is a type, arrays (strided, pointers or any, with :ops where a row is for these alone), what m
// and n are at most, what k is at most (* is any), and the name of a kernel, or cublas. The first
// row that fits is taken; # starts a comment. Also compiled into the CUDA part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmill/batch.hpp"

namespace gemmill {

struct BatchRow {
    Type type = Type::d;
    bool strided = true, pointers = true;
    std::string ops;  ///< "nn", "nt", "tn" or "tt", where t is also a conjugated one; empty: any
    index_t edge = 0, k = 0;
    std::string kernel;
    bool operator==(const BatchRow&) const = default;
};

struct BatchTable {
    std::vector<BatchRow> rows;
    std::vector<std::string>
        faults;  ///< "line 3: k is 'x', not a number or *"; such lines are no rows
};
BatchTable parse_batch_table(std::string_view text);
/// A line without its end.
std::string to_text(const BatchRow& row);

/// Whether a row is for a batch of one shape.
bool fits(const BatchRow& row, const Batch& batch);

}  // namespace gemmill
