// SPDX-License-Identifier: Apache-2.0
// How long a kernel will take for a batch, about: what it moves and what it does, times what each
// of that costs, which `gemmill tune batch` has measured. Also compiled into the CUDA part.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/batch_work.hpp"

namespace gemmill {

/// A row of the table: what the work of a kernel costs, in nanoseconds.
struct BatchCosts {
    Type type = Type::d;
    std::string kernel;
    double start = 0;  ///< of a launch
    std::array<double, BatchWork::most> each{};
    bool operator==(const BatchCosts&) const = default;
};

/// What multiplies and moves.
struct BatchGpu {
    int processors = 132;
    double memory = 4.2e12;  ///< bytes/s of a copy, read and written
    double cache = 30e6;     ///< bytes that stay in the cache from one call to the next
    bool operator==(const BatchGpu&) const = default;
};

/// Memory and work go on beside one another, and are in each other's way.
double seconds_of(const BatchWork& work, const BatchCosts& costs, const BatchGpu& gpu = {});

struct MeasuredWork {
    BatchWork work;
    double seconds = 0;
};
/// Costs with which the estimates are nearest to what was measured, by their ratio.
BatchCosts fit_costs(const std::vector<MeasuredWork>& measured, const BatchGpu& gpu = {});

/// cuBLAS has kernels of its own for columns and rows, and for thin products: which they are is not
/// known, but what they cost can be measured. "cublas:strided", "cublas:pointers8": what the costs
/// of a call are called for a batch. A batch by pointers has one call, one at equal distances both.
std::string cublas_name(const Batch& batch, bool by_pointers);

/// What costs of a kernel or call are called where all of a batch stays in the cache, and latencies
/// are what takes the time: "stage3x3@few". Costs without the ending are of larger batches.
inline constexpr std::string_view few_ending = "@few";
bool is_few(const Batch& batch, const BatchGpu& gpu = {});
BatchWork cublas_work(const Batch& batch, int processors);

/// "d stage5x5 4.1 0.02 ...": type, kernel, start, then each. False: it is no such row.
bool parse_costs(std::string_view line, BatchCosts& costs);
/// Rows of a text in which # starts a comment; lines that are none are left out.
std::vector<BatchCosts> parse_all_costs(std::string_view text);
std::string to_text(const BatchCosts& costs);

}  // namespace gemmill
