// SPDX-License-Identifier: Apache-2.0
// Steps that are booked on an estimate first and issued in the order in which they are likely to
// start: queues are first in, first out, and a step that is not ready would hold up those behind
// it.
#pragma once

#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "plan/build/builder.hpp"
#include "planner/route/estimate.hpp"

namespace gemmill {

class Timed {
  public:
    Timed(Draft& plan, Builder& builder);

    /// Books a transfer over the link between two memories and returns when it ends. The first
    /// bytes of `from` are there at `ready`.
    double move(Opcode kind, const Ref& from, const Ref& to, double ready, int piece = 0,
                int pieces = 1);
    /// The same over host memory where that is faster, or the only way.
    double route(Opcode kind, const Ref& from, const Ref& to, double ready, int piece = 0,
                 int pieces = 1);
    /// A kernel, on a queue of its device.
    double compute(const Step& step, double ready);
    /// A short kernel on another queue of its device, which runs beside what is booked there.
    double beside(const Step& step, double ready);
    /// Writes whose links share a resource with few others go one after the other, so that reading,
    /// of which there is more, gets the larger part of what both share.
    void take_turns();
    /// A write to the user's C; returns its number. It is booked before what starts later.
    std::size_t write(const Ref& sum, double ready);
    /// When a write is done.
    double written(std::size_t write);
    /// Makes the next move wait until a write is done, unless it goes over the host; returns when
    /// that is.
    double also_wait(std::size_t write);

    /// When a transfer from a memory to another would end; Estimate::never without a link.
    double end_of(MemoryId from, MemoryId to, double bytes, double ready) const;

    /// Emits all that was booked.
    void issue();

  private:
    struct Booked {
        double start;
        Step step;
        ResourceId turn = -1;          // whose turns it takes
        int after = -1;                // a write that it waits for
        int write = -1;                // its number
        double read = 0, written = 0;  // bytes from and to host memory
    };
    struct Write {
        double ready;
        std::size_t number;  // in the order of calls
        Ref sum;
        bool operator>(const Write& other) const {
            return std::pair(ready, number) > std::pair(other.ready, other.number);
        }
    };
    /// A copy in host memory on the way to devices, and when each piece of it is there.
    struct Stop {
        BufferId buffer = Ref::home;
        std::map<std::pair<int, int>, double> arrivals;  // by piece and pieces
    };
    /// Books the writes that are ready before such a move would start.
    void catch_up(const Ref& from, const Ref& to, double ready);
    /// The one that is ready first.
    void book_write();
    void note(const Booked& booked);
    void emit_booked();
    double book(Opcode kind, const Ref& from, const Ref& to, double ready, int piece, int pieces);
    double book_route(Opcode kind, const Ref& from, const Ref& to, double ready, int piece,
                      int pieces);
    LinkId link(MemoryId from, MemoryId to) const { return builder_.link(from, to); }
    ResourceId narrowest(LinkId link) const;
    double bring_to(Stop& stop, const Ref& from, double ready, int piece, int pieces);

    Draft& plan_;
    Builder& builder_;
    Estimate estimate_;
    MemoryId host_;
    std::vector<Booked> booked_;
    bool turns_ = false;
    std::vector<int> users_;             // links that use each resource
    double to_read_ = 0, to_write_ = 0;  // bytes from and to host memory that are not yet issued
    std::vector<double> write_ends_;     // by number; never: not yet booked
    int after_ = -1;                     // the write that the next move waits for
    int writing_ = -1;                   // the write that is being booked
    std::priority_queue<Write, std::vector<Write>, std::greater<>> writes_;  // not yet booked
    std::map<std::pair<TileId, BufferId>, Stop> stops_;  // by where they are from
};

}  // namespace gemmill
