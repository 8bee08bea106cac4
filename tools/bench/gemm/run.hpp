// SPDX-License-Identifier: Apache-2.0
// Runs and times the cases of a bench: ours and its peers in turn, each checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/gemm/cases.hpp"
#include "bench/gemm/data.hpp"
#include "bench/open_peers.hpp"
#include "bench/timing.hpp"
#include "gemmill/context.hpp"

namespace gemmill::command {

struct BenchResult {
    BenchCase one;
    Bound bound = {};
    std::vector<Timing> timings = {};  ///< ours first
    double predicted = 0, plan_seconds = 0;
    std::size_t steps = 0;

    /// The fastest of its kind; NaN when none ran.
    double seconds(Who who) const;
    /// Of one block size of cuBLASXt.
    double seconds_of_block(int block) const;
    /// What the case's rule speaks of; NaN when it was not measured.
    double found() const;
    /// Whether ours ran, and all that ran was right.
    bool right() const;
};

struct BenchSetup {
    std::string devices = "cuda:0";
    std::vector<BenchCase> cases = {};
    int repeats = 5;
    bool peers = false;  ///< cuBLASXt and copy-all, too
    bool quick = false;
};

class Bench {
  public:
    /// Opens the devices, and then the peers.
    Bench(BenchSetup setup, const Peers& (*table)(), int gpu);

    const Machine& machine() const { return context_.machine(); }
    const OpenPeers& peers() const { return peers_; }
    Rates measure_rates();
    CallTime measure_call();
    BenchResult run(const BenchCase& one, const Rates& rates);

  private:
    Context& context_of(const BenchCase& one);
    std::vector<Contender> contenders(const BenchCase& one, const GemmArgs& args);
    void add_peers(const BenchCase& one, const GemmArgs& args, std::vector<Contender>& all);
    std::vector<int> blocks(const BenchCase& one) const;
    void check(const BenchCase& one, Contender& contender);
    void time(std::vector<Contender>& all) const;
    double copy_rate(void* to, const void* from, std::size_t bytes) const;
    double in_core_rate(const BenchCase& one);

    BenchSetup setup_;
    Context context_;
    OpenPeers peers_;
    int default_block_;
    std::vector<BenchCase> rate_cases_;
    BenchCase call_case_;
    BenchData data_;
    std::unique_ptr<Context> other_;  // with a cap or shares: the last one used
    BenchCase other_case_;
};

}  // namespace gemmill::command
