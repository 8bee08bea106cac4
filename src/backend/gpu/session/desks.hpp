// SPDX-License-Identifier: Apache-2.0
// What a session has for itself while it is open: streams for its kernels, and memory for its plan.
// There are two of each, so that the first copies of one call run beside the last products and
// copies of the one before; with more of them, calls would only wait for the same links.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "backend/arena.hpp"
#include "backend/gpu/resources.hpp"

namespace gemmill {

struct Desk {
    explicit Desk(const Allocate& allocate) : slabs(allocate) {}

    Slabs slabs;
    std::vector<Lane> lanes;  ///< of the queues of the open session's plan
    bool taken = false;
};

class Desks {
  public:
    /// `ordinals` are the driver's numbers of memories.
    Desks(Lanes& lanes, const std::vector<int>& ordinals, const Allocate& allocate,
          std::size_t count);

    /// A desk while it is held, with the lanes and slabs of a plan.
    class Hold {
      public:
        Hold(Desks& desks, const Plan& plan) : desks_(desks), desk_(desks.take(plan)) {}
        ~Hold() { desks_.give(desk_); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

        const std::vector<Lane>& lanes() const { return desk_.lanes; }
        std::span<std::byte* const> slabs() const { return desk_.slabs.begins(); }

      private:
        Desks& desks_;
        Desk& desk_;
    };

  private:
    /// Waits until the plan's slabs fit beside those of open sessions, by the plan's limits and by
    /// what memory there is. Throws Error(out_of_memory) when they do not though none is open.
    Desk& take(const Plan& plan);
    void give(Desk& desk);
    Desk* find_free(const Plan& plan);
    bool reserve(Desk& desk, const Plan& plan);
    bool others_open(const Desk& desk) const;

    Lanes& lanes_;
    const std::vector<int>& ordinals_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Desk> desks_;
};

}  // namespace gemmill
