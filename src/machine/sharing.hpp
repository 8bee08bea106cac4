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
    int number = -1;  ///< the same for flows with the same cap and resources; -1: it has none
};

/// Sets the rates: no flow can get more without taking from one that has less. What it found for
/// flows with numbers it keeps, and gives again when the same ones come together.
class Sharing {
  public:
    explicit Sharing(std::vector<double> capacities);
    void share(std::span<Flow> flows);
    /// What was found before holds no more.
    void set_capacity(ResourceId resource, double capacity);

  private:
    struct Use {
        double left = 0;
        int flows = 0;          // that have no rate yet
        std::size_t first = 0;  // of its flows, in users_
        std::size_t end = 0;
    };
    /// Rates that were found: of which numbers, as bits, and from where on.
    struct Found {
        std::size_t bits = 0, rates = 0;
        std::uint64_t hash = 0;
        bool taken = false;
    };
    bool set_key(std::span<const Flow> flows);
    std::size_t place_of_key() const;
    std::size_t rank(int number) const;
    void remember(std::span<const Flow> flows, std::size_t place);
    void grow();
    void fill(std::span<Flow> flows);
    void start_filling(std::span<const Flow> flows);
    double lowest_level(std::span<const Flow> flows);
    void find_fixed(std::span<const Flow> flows, double edge);
    void fix(std::uint32_t flow);

    std::vector<std::uint64_t> key_;  // numbers of the flows at hand, as bits
    std::vector<int> before_;         // how many bits are set in the words before each word
    std::uint64_t hash_ = 0;
    std::vector<Found> table_;
    std::size_t found_ = 0;
    std::vector<std::uint64_t> bits_;
    std::vector<double> rates_;
    std::vector<double> capacities_;
    std::vector<Use> use_;
    std::vector<ResourceId> touched_;    // resources with flows that have no rate yet
    std::vector<std::uint32_t> users_;   // flows of each resource
    std::vector<std::uint32_t> by_cap_;  // flows, the smallest cap first
    std::size_t next_cap_ = 0;           // the first of them that may have no rate yet
    std::vector<std::uint32_t> fixed_;   // flows that get the level at hand
    std::vector<bool> done_;             // flows that have a rate, or get it now
};

/// Bytes per second that these links move when all of them run at once.
double aggregate_bandwidth(const Machine& machine, std::span<const LinkId> links);
/// Bytes per second that these links can never exceed together, however they take turns. Fair
/// sharing may move less, for it also serves a link that holds two resources at once.
double most_bandwidth(const Machine& machine, std::span<const LinkId> links);

}  // namespace gemmill
