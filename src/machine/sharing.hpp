// SPDX-License-Identifier: Apache-2.0
// Max-min fair sharing: what rate each of several transfers gets when they run together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmill/machine.hpp"

namespace gemmill {

/// Something that wants `cap` of every resource it uses, and gets `rate`.
struct Flow {
    double cap = 0;
    std::span<const ResourceId> resources;
    double rate = 0;
};

/// Sets the rates: no flow can get more without taking from one that has less.
class Sharing {
  public:
    explicit Sharing(std::vector<double> capacities);
    void share(std::span<Flow> flows);
    void set_capacity(ResourceId resource, double capacity) {
        capacities_[static_cast<std::size_t>(resource)] = capacity;
    }
    double capacity(ResourceId resource) const {
        return capacities_[static_cast<std::size_t>(resource)];
    }

  private:
    struct Use {
        double left = 0;
        int flows = 0;      // that have no rate yet
        bool full = false;  // it has no more for these than the level at hand
    };
    Use& use_of(ResourceId resource) { return use_[static_cast<std::size_t>(resource)]; }
    void fill(std::span<Flow> flows);
    void start_filling(std::span<const Flow> flows);
    double lowest_level(std::span<const Flow> flows);
    bool is_fixed(const Flow& flow, double edge);

    std::vector<double> capacities_;
    std::vector<Use> use_;
    std::vector<ResourceId> touched_;  // resources of flows
    std::vector<std::size_t> open_;    // flows that have no rate yet
    std::vector<std::size_t> fixed_;   // flows that get the level at hand
};

/// Bytes per second that these links move when all of them run at once.
double aggregate_bandwidth(const Machine& machine, std::span<const LinkId> links);
/// Bytes per second that these links can never exceed together, however they take turns. Fair
/// sharing may move less, for it also serves a link that holds two resources at once.
double most_bandwidth(const Machine& machine, std::span<const LinkId> links);

}  // namespace gemmill
