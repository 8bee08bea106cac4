// SPDX-License-Identifier: Apache-2.0
// Of all that was measured: which kernels are kept, and the table that picks them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "batch/choice/table.hpp"
#include "bench/batch/batch.hpp"

namespace gemmill::command {

/// Kernels of one shape with their TB/s, the fastest first.
std::string to_text(const BatchResult& result);

/// Of a type, the candidates that are worth compiling in: as few as make every shape, within 5 % of
/// its best, and at most so many; the one that serves most shapes first. Kernels that are there
/// already, and cuBLAS, cost nothing: a shape that they serve as well asks for none. What is wrong
/// or did not run is never taken.
std::set<std::string> winners(const std::vector<BatchResult>& measured, Type type,
                              const std::set<std::string>& compiled_in, std::size_t most);

/// Rows of a type: for each shape a kernel of these that is within 5 % of the best of them; of
/// several the one that is so for most shapes. Neighbours that agree are one row.
std::vector<BatchRow> rows_of(const std::vector<BatchResult>& measured, Type type,
                              const std::set<std::string>& names);

/// A table: rows of types that were measured are these, of others those of the old one.
std::string table_of(const std::vector<BatchRow>& rows, const std::vector<BatchRow>& old,
                     const std::string& origin);
/// src/kernel/cuda/tuned/tuned_d.inc: the candidates that rows of the type name.
std::string instances_of(const std::vector<BatchRow>& rows, Type type, const std::string& origin);

}  // namespace gemmill::command
