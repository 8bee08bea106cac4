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
    double power = 2;  ///< of memory and work: 1 one after the other, more the better they hide
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

/// Memory and work go on beside one another, and are in each other's way: the root of the sum of
/// their powers.
double seconds_of(const BatchWork& work, const BatchCosts& costs, const BatchGpu& gpu = {});

struct MeasuredWork {
    BatchWork work;
    double seconds = 0;
};
/// Costs with which the estimates are nearest to what was measured, by their ratio. longer: what
/// counts of a measurement that took longer than estimated. Less than 1 where measurements may
/// have been disturbed, which never makes them shorter.
BatchCosts fit_costs(const std::vector<MeasuredWork>& measured, const BatchGpu& gpu = {},
                     double longer = 1);

/// cuBLAS has kernels of its own for columns and rows, and for thin products: which they are is not
/// known, but what they cost can be measured. "cublas:strided", "cublas:pointers8": what the costs
/// of a call are called for a batch. A batch by pointers has one call, one at equal distances both.
std::string cublas_name(const Batch& batch, bool by_pointers);

/// What costs end in. "stage3x3@few": of batches that stay in the cache, where latencies are what
/// takes the time. "stage3x3@pointers": of a kernel that makes a larger batch by pointers, which it
/// has to read first. Costs without an ending are of larger batches at equal distances, and of
/// calls of cuBLAS, whose names tell them apart.
inline constexpr std::string_view few_ending = "@few", pointers_ending = "@pointers";
bool is_few(const Batch& batch, const BatchGpu& gpu = {});
/// What the costs of a kernel ("stage3x3"), of cuBLAS's call of the batch's kind ("cublas") or of
/// its call by pointers ("cublas:pointers") are called for a batch.
std::string costs_name(const Batch& batch, std::string_view who, const BatchGpu& gpu = {});

/// A kernel that makes pointers, and that others wait for: a launch, and what it writes.
double seconds_to_list(const Batch& batch, const BatchGpu& gpu = {});
/// What a call of cuBLAS that is estimated to take `call` is compared with kernels as.
double seconds_as_offered(const Batch& batch, bool by_pointers, double call,
                          const BatchGpu& gpu = {});
BatchWork cublas_work(const Batch& batch, int processors);
/// Whether cuBLAS can make a batch of one shape by its call for pointers, or those at equal
/// distances by pointers that are made for it. It reads 16-bit elements several at a time by what k
/// and the leading dimensions are multiples of, whatever pointers say, and faults where they are
/// not aligned to it: to 16 bytes at most, and by its documentation to nothing where k is odd.
bool cublas_takes_pointers(const Batch& batch);

/// "d stage5x5 4.1 2 0.02 ...": type, kernel, start, power, then each. False: it is no such row.
bool parse_costs(std::string_view line, BatchCosts& costs);
/// Rows of a text in which # starts a comment; lines that are none are left out.
std::vector<BatchCosts> parse_all_costs(std::string_view text);
std::string to_text(const BatchCosts& costs);

}  // namespace gemmill
