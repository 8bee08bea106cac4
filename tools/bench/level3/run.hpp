// SPDX-License-Identifier: Apache-2.0
// gemmill bench level3: the other routines on a GPU, from pinned memory and in core, beside
// cuBLASXt and cuBLAS in the same run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/open_peers.hpp"
#include "bench/timing.hpp"

namespace gemmill::command {

/// Type d, lower, left, not transposed, n x n; alpha 1.1, beta 0.9.
struct Level3Case {
    Routine routine = Routine::syrk;
    bool on_gpu = false;  ///< else in pinned memory
    double asked = 0;     ///< the time of cuBLASXt's best block, or of cuBLAS, over ours at least
};
std::vector<Level3Case> level3_cases();
/// "trsm pinned", "trsm on the GPU".
std::string name_of(const Level3Case& one);

struct Level3Result {
    Level3Case one;
    std::vector<Timing> timings;  ///< ours first
    double predicted = 0, bound = 0;

    double seconds(Who who) const;
    /// The peer's time over ours; NaN when it was not measured.
    double found() const;
    bool right() const;
};

struct Level3Setup {
    std::string devices = "cuda:0";
    index_t n = 16384;
    int repeats = 5;
    std::string cases;                          ///< routines, with commas between; empty: all
    std::vector<int> blocks{2048, 4096, 8192};  ///< of cuBLASXt
};

/// Runs all cases; `told` gets each result.
std::vector<Level3Result> bench_level3(const Level3Setup& setup, const Peers& (*table)(), int gpu,
                                       const std::function<void(const Level3Result&)>& told);

double flops_of(const Level3Case& one, index_t n);
std::string to_text(const std::vector<Level3Result>& results, index_t n);
nlohmann::ordered_json to_json(const std::vector<Level3Result>& results, const Level3Setup& setup);

}  // namespace gemmill::command
