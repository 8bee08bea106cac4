// SPDX-License-Identifier: Apache-2.0
// Max-min fair sharing: what rate each of several transfers gets when they run together.
#pragma once

#include <cstdint>
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
        int flows = 0;  // that have no rate yet
    };
    void fill(std::span<Flow> flows);
    void start_filling(std::span<const Flow> flows);
    double lowest_level(std::span<const Flow> flows);
    void find_fixed(std::span<const Flow> flows, double edge);
    std::uint64_t* users_of(ResourceId resource) {
        return users_.data() + static_cast<std::size_t>(resource) * words_;
    }

    std::vector<double> capacities_;
    std::vector<Use> use_;
    std::vector<ResourceId> touched_;  // resources with flows that have no rate yet
    // Sets of flows, as bits in so many words.
    std::size_t words_ = 0;
    std::vector<std::uint64_t> users_;  // of each resource
    std::vector<std::uint64_t> open_;   // that have no rate yet
    std::vector<std::uint64_t> fixed_;  // that get the level at hand
};

/// Bytes per second that these links move when all of them run at once.
double aggregate_bandwidth(const Machine& machine, std::span<const LinkId> links);
/// Bytes per second that these links can never exceed together, however they take turns. Fair
/// sharing may move less, for it also serves a link that holds two resources at once.
double most_bandwidth(const Machine& machine, std::span<const LinkId> links);

}  // namespace gemmill
