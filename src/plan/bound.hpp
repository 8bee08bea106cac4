// SPDX-License-Identifier: Apache-2.0
// What no plan can beat: bytes that must move, and seconds that it must take.
//
// Seconds. Every plan makes all products (multiply-adds) of its goal, each once, on some device.
// How many a device can have made by time T is limited by its rate, and by the elements that its
// links bring and take away:
//
//   - With a elements of the first factor, b of the second and c of the target there are no more
//     than sqrt(a b c) products (Loomis and Whitney), nor more than each element takes part in.
//   - The host issues one step after the other, and the first product of a device needs a fetch of
//     each factor that is not there, and a launch. After its last product comes the latency of a
//     write, where the target lives elsewhere.
//   - Devices that do not reach the home of an operand share what the links of that memory carry.
//   - What must leave or enter a memory passes what all of its links share, both ways together.
//
// The bound is the least T by which all devices together can have made all products. Rates are
// peaks, links carry together whatever their resources allow in any order, memories hold
// everything, and copies cost nothing for each column: each limit errs towards a smaller bound.
#pragma once

#include <span>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// What any plan must move.
Bytes bytes_bound(const Plan& plan);

/// The bound of one goal on one machine, for any of its devices: what does not depend on these is
/// found once. The arguments must outlive it.
class TimeBound {
  public:
    TimeBound(const Machine& machine, std::span<const Operand> operands, const Goal& goal);
    double seconds(std::span<const DeviceId> devices) const;

  private:
    /// One of the three matrices of a product.
    struct Matrix {
        OperandId operand = -1;
        MemoryId home = -1;
        double elements = 0;   // that are stored and used
        double positions = 1;  // that a stored element stands for: two in a symmetric matrix
        double uses = 0;       // products that one element takes part in, at most
    };
    /// What a device can do.
    struct Limits {
        double rate = 0;         // products a second
        double in = 0, out = 0;  // elements a second over all its links
        double arrival = 0;      // no element arrives there before
        double begin = 0;        // nor is there any product
        double launch = 0;
        double after = 0;  // its last product, until the end
        int missing = 0;   // factors that must be fetched
        bool has_first = false, has_second = false, has_target = false;
    };
    /// What the home of operands asks for.
    struct Home {
        MemoryId memory = -1;
        bool reached = false;                    // by one of the devices
        double out = 0, in = 0;                  // elements a second
        double forced_out = 0, forced_in = 0;    // elements, where it is not reached
        double each_out = 0, each_in = 0;        // elements for each product that is made elsewhere
        double out_latency = 0, in_latency = 0;  // of the quickest links
    };
    /// Devices and what they share.
    struct Team {
        std::vector<Limits> all;
        std::vector<double> rates, begins;  // the largest rate and the earliest begin first
        std::vector<Home> homes;
        Limits poor;         // the most that one of those can do that have no factor
        double poor_in = 0;  // elements a second into all of these
        int poors = 0;
        bool apart = true;                        // no two of them have one memory
        double begin = 0, launch = 0, after = 0;  // the least of all
    };

    Matrix matrix_of(OperandId operand) const;
    Limits limits_of(DeviceId device) const;
    Team team_of(std::span<const DeviceId> devices) const;
    void add_shared(std::span<const DeviceId> devices, Team& team) const;
    Home home_of(std::span<const DeviceId> devices, MemoryId memory) const;
    double factor_products(const Limits& l, double in) const;
    double most_with(const Limits& l, double in, double out) const;
    double most_on(const Limits& l, double until) const;
    double most_in_turn(const Team& team, double until) const;
    double most_of_poor(const Team& team, double until) const;
    bool allows(const Team& team, const Home& home, double until) const;
    bool can_end(const Team& team, double until) const;
    double forced_seconds(std::span<const DeviceId> devices) const;
    double shared_seconds(std::span<const DeviceId> devices) const;

    const Machine& machine_;
    std::span<const Operand> operands_;
    const Goal& goal_;
    double products_ = 0;  // of the goal
    double terms_ = 1;
    double bytes_ = 1;    // of an element
    bool alike_ = false;  // all terms have the same two factors
    Matrix first_, second_, target_;
    std::vector<Limits> limits_;  // by device
};

}  // namespace gemmill
