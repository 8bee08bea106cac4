// SPDX-License-Identifier: Apache-2.0
// What a session has for itself while it is open: streams, and memory for its plan. There are two
// of each, so that the first copies of one call run beside the last products and copies of the one
// before; with more of them, calls would only wait for the same links.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>

#include "backend/arena.hpp"
#include "backend/gpu/resources.hpp"

namespace gemmill {

struct Desk {
    Desk(const GpuDriver& driver, const Allocate& allocate) : lanes(driver), slabs(allocate) {}

    Lanes lanes;
    Slabs slabs;
    bool taken = false;
};

class Desks {
  public:
    Desks(const GpuDriver& driver, const Allocate& allocate, std::size_t count);

    /// A desk while it is held, with the slabs of a plan.
    class Hold {
      public:
        Hold(Desks& desks, const Plan& plan) : desks_(desks), desk_(desks.take(plan)) {}
        ~Hold() { desks_.give(desk_); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

        Lanes& lanes() const { return desk_.lanes; }
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

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Desk> desks_;
};

}  // namespace gemmill
