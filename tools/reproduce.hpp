// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce: numbers that others measured beside simulated ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmill/machine.hpp"
#include "gemmill/plan.hpp"

namespace gemmill::command {

/// One gemm nn with general alpha and beta, on the first `gpus` of the node.
struct Case {
    Type type = Type::d;
    index_t m = 0, n = 0, k = 0;
    std::string at = "h";  ///< places of A, B and C, as --at takes them
    int gpus = 8;
    auto operator<=>(const Case&) const = default;
};

/// "16384 x 16384 x 4096 at h,h,0 on 8".
std::string name_of(const Case& one);

/// A policy with options that override its choices, each "name=value".
struct Variant {
    std::string name, policy;
    std::vector<std::string> set = {};
};

struct Simulated {
    double seconds = 0, bound_seconds = 0;
};

/// The devices of so many GPUs of the node, spread over its PCIe switches: "0,2" for 2.
/// Throws Error(bad_argument) unless it is 1, 2, 4 or 8.
std::string gpu_subset(index_t gpus);

/// Simulates each pair of case and variant once.
class Evaluator {
  public:
    explicit Evaluator(Machine machine) : machine_(std::move(machine)) {}

    const Simulated& run(const Case& one, const Variant& variant);
    double seconds(const Case& one, const Variant& variant) { return run(one, variant).seconds; }
    const Machine& machine() const { return machine_; }

    /// By case and name of the variant.
    using All = std::map<std::pair<Case, std::string>, Simulated>;
    const All& all() const { return done_; }

  private:
    Machine machine_;
    All done_;
};

/// How gemmill reproduce measured is called.
struct MeasuredFlags {
    std::string data, machine = "hgx-a100-8", worst = "0";
    bool json = false;
};
int reproduce_measured(const MeasuredFlags& flags);

/// How gemmill reproduce uncut is called.
struct UncutFlags {
    std::string out;
    bool quick = false, json = false;
};
int reproduce_uncut(const UncutFlags& flags);

}  // namespace gemmill::command
