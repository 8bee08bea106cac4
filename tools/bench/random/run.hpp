// SPDX-License-Identifier: Apache-2.0
// Runs and times random calls of level 3: ours, and cuBLASXt or cuBLAS on the same data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/open_peers.hpp"
#include "bench/random/cases.hpp"
#include "bench/timing.hpp"
#include "check/level3_check.hpp"
#include "gemmill/context.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::command {

struct RandomResult {
    RandomCase one;
    std::vector<Timing> timings = {};  ///< ours first
    double predicted = 0;
    double bound = 0;  ///< seconds that no plan on this machine can beat

    double ours() const;
    /// Share that is reached of the bound.
    double share() const { return bound / ours(); }
    /// Seconds of cuBLASXt with its best block, or in core of cuBLAS; NaN when none ran.
    double peer() const;
    /// Its seconds over ours.
    double ratio() const { return peer() / ours(); }
    /// Whether ours ran, and all that ran was right.
    bool right() const;
};

/// Seconds of one call on one thread, and of several at once on a thread each.
struct ThreadTime {
    int threads = 0;
    index_t n = 0;
    double alone = 0, together = 0;
    double ratio() const { return together / alone; }
};

struct RandomSetup {
    std::string devices = "cuda:0";
    std::vector<RandomCase> cases = {};
    int repeats = 3;
    /// Sizes of the calls whose overhead is measured, and of those of several threads.
    std::vector<index_t> call_sizes = {};
    index_t thread_size = 0;
    int threads = 4;
};

class RandomBench {
  public:
    /// Opens the devices, and then the peers of a GPU; table null: there are none.
    RandomBench(RandomSetup setup, const Peers& (*table)(), int gpu);

    std::string gpu_name() const { return peers_ ? peers_->gpu_name() : ""; }
    RandomResult run(const RandomCase& one);
    /// Of a gemm of doubles in core. Needs peers.
    CallTime measure_call(index_t n, int calls);
    /// C = 1.1 A B of doubles in pinned memory, with matrices of its own for each thread.
    ThreadTime measure_threads();

  private:
    Level3Args args_of(const RandomCase& one, Where where);
    Level3Args peer_args(const RandomCase& one, Where where);
    void grow(const RandomCase& one);
    void prepare(const RandomCase& one);
    void set_diagonal(const RandomCase& one, bool heavy);
    void reset(const RandomCase& one);
    void measure(const RandomCase& one, RandomResult& result);
    int best_pinned_block(const RandomCase& one);
    std::vector<Contender> contenders(const RandomCase& one);
    Contender xt(const RandomCase& one, Where where, int block);
    void first_call(const RandomCase& one, const Level3Check& check, Contender& contender);
    void time(const RandomCase& one, std::vector<Contender>& all) const;

    RandomSetup setup_;
    Context context_;
    std::optional<OpenPeers> peers_;
    BenchArrays arrays_;
};

/// Block sizes of cuBLASXt that are tried.
std::vector<int> xt_blocks(const Problem& problem);

}  // namespace gemmill::command
