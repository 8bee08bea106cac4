// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce: numbers that others measured beside simulated ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gemmill/machine.hpp"
#include "gemmill/plan.hpp"

namespace gemmill::command {

/// One call, lower and without transposes, with general alpha and beta, on the first `gpus` of the
/// node.
struct Case {
    Type type = Type::d;
    index_t m = 0, n = 0, k = 0;
    std::string at = "h";  ///< places of A, B and C, as --at takes them
    int gpus = 8;
    Routine routine = Routine::gemm;
    auto operator<=>(const Case&) const = default;
};

/// "16384 x 16384 x 4096 at h,h,0 on 8".
std::string name_of(const Case& one);
/// The same after "dgemm ".
std::string routine_name(const Case& one);

/// A policy with options that override its choices, each "name=value".
struct Variant {
    std::string name, policy;
    std::vector<std::string> set = {};
};

/// What every paper's points are also simulated with.
inline const Variant best{"best", "best"};

struct Simulated {
    double seconds = 0, bound_seconds = 0;
    std::vector<std::int64_t> link_bytes = {};  ///< by LinkId
};

/// 1e12 flop/s.
double tera(const Case& one, double seconds);

/// What one memory exchanges with others, in bytes.
struct Traffic {
    double from_host = 0, to_host = 0, from_peers = 0;
};
Traffic traffic_of(const Machine& machine, const Simulated& run, MemoryId memory);

/// Which devices so many GPUs are, as --devices takes them.
using Subset = std::string (*)(index_t gpus);
/// Spread over the PCIe switches of hgx-a100-8: "0,2" for 2.
/// Throws Error(bad_argument) unless it is 1, 2, 4 or 8.
std::string gpu_subset(index_t gpus);
/// "0-2" for 3.
std::string first_gpus(index_t gpus);

/// The plan that a variant makes for a case.
Plan plan_case(const Machine& machine, const Case& one, const Variant& variant, Subset devices);

/// Simulates each pair of case and variant once.
class Evaluator {
  public:
    explicit Evaluator(Machine machine, Subset devices = gpu_subset)
        : machine_(std::move(machine)), devices_(devices) {}

    const Simulated& run(const Case& one, const Variant& variant);
    double seconds(const Case& one, const Variant& variant) { return run(one, variant).seconds; }
    const Machine& machine() const { return machine_; }

    /// By case and name of the variant.
    using All = std::map<std::pair<Case, std::string>, Simulated>;
    const All& all() const { return done_; }

  private:
    Machine machine_;
    Subset devices_;
    All done_;
};

/// Rate over that of its GPUs at full speed; on a node of equal GPUs.
double peak_share(Evaluator& e, const Case& one, const Variant& variant);
/// Speed-up over one GPU, divided by the GPUs.
double parallel_efficiency(Evaluator& e, const Case& one, const Variant& variant);

/// How gemmill reproduce measured is called.
struct MeasuredFlags {
    std::string data, machine = "hgx-a100-8", worst = "0";
    bool json = false;
};
int reproduce_measured(const MeasuredFlags& flags);

/// How the evaluation of a paper is called.
struct PaperFlags {
    std::string out;
    bool quick = false, json = false;
};
int reproduce_uncut(const PaperFlags& flags);
int reproduce_blasx(const PaperFlags& flags);
int reproduce_parsec(const PaperFlags& flags);
int reproduce_disturbed(const PaperFlags& flags);
int reproduce_dynamic(const PaperFlags& flags);

/// How gemmill reproduce best is called.
struct BestFlags {
    bool quick = false, check = false, json = false;
};
int reproduce_best(const BestFlags& flags);

}  // namespace gemmill::command
