// SPDX-License-Identifier: Apache-2.0
// What `gemmill bench gemm` runs, what no run can beat, and what is asked of each case.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill::command {

/// What our time is held against.
enum class Rule : std::uint8_t {
    none,
    best_block,  ///< cuBLASXt with its best block size: its time over ours is at least ...
    uncapped,    ///< our time without a cap over that with it is at least ...
    in_core,     ///< the time of cuBLAS on the GPU over ours is at least ...
    bound,       ///< the bound over our time is at least ...
    one_device,  ///< our time over that on one device is at most ...
};

/// C = 1.1 A B + 0.9 C.
struct BenchCase {
    Type type = Type::d;
    index_t m = 0, n = 0, k = 0;
    std::string at = "hhh";  ///< where A, B and C lie: h or 0
    bool pinned = true;      ///< what lies on the host
    std::int64_t cap = 0;    ///< option device_memory
    int shares = 1;          ///< devices that the GPU is cut into
    Rule rule = Rule::none;
    double asked = 0;
};

/// "d pinned 16384 cap": the words that --cases takes.
std::string name_of(const BenchCase& one);
/// All cases; quick ones are small and nothing is asked of them.
std::vector<BenchCase> bench_cases(bool quick);
/// Those that have all words of one of the groups in their names: "pinned 4096,thin".
std::vector<BenchCase> chosen(const std::vector<BenchCase>& cases, const std::string& groups);

bool is_square(const BenchCase& one);
bool on_device(const BenchCase& one, std::size_t operand);
bool all_on_device(const BenchCase& one);
/// Whether it runs on the plain GPU, without a cap and in one piece.
bool is_plain(const BenchCase& one);
/// Elements of A, B or C.
index_t elements(const BenchCase& one, std::size_t operand);
double flops_of(const BenchCase& one);

/// Measured in the same run.
struct Rates {
    double h2d = 0, d2h = 0;                   ///< bytes/s of pinned memory
    std::array<double, type_count> in_core{};  ///< flop/s of cuBLAS, by Type
};

/// Seconds that each part of the machine needs at least.
struct Bound {
    double compute = 0, in = 0, out = 0;
    double seconds() const;
};
Bound bound_of(const BenchCase& one, const Rates& rates);

/// "bound 0.90".
std::string asked_text(const BenchCase& one);
/// Whether what was found is what is asked.
bool holds(const BenchCase& one, double found);

}  // namespace gemmill::command
