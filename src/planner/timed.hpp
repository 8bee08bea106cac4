// SPDX-License-Identifier: Apache-2.0
// Steps that are booked on an estimate first and issued in the order in which they are likely to
// start: queues are first in, first out, and a step that is not ready would hold up those behind
// it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "planner/builder.hpp"
#include "planner/estimate.hpp"

namespace gemmill {

class Timed {
  public:
    Timed(Plan& plan, Builder& builder);

    /// Books a transfer over the link between two memories and returns when it ends. The first
    /// bytes of `from` are there at `ready`.
    double move(StepKind kind, const Ref& from, const Ref& to, double ready, int piece = 0,
                int pieces = 1);
    /// The same over host memory where that is faster, or the only way.
    double route(StepKind kind, const Ref& from, const Ref& to, double ready, int piece = 0,
                 int pieces = 1);
    /// A kernel, on a queue of its device.
    double compute(const Step& step, double ready);
    /// A short kernel on another queue of its device, which runs beside what is booked there.
    double beside(const Step& step, double ready);
    /// Writes whose links share a resource with few others go one after the other, so that reading,
    /// of which there is more, gets the larger part of what both share.
    void take_turns() { turns_ = true; }
    /// A write to the user's C. Writes are booked last, in the order in which they are ready.
    void write(const Ref& sum, double ready) { writes_.push_back({ready, sum}); }

    /// When a transfer from a memory to another would end; Estimate::never without a link.
    double end_of(MemoryId from, MemoryId to, double bytes, double ready) const;

    /// Emits all that was booked.
    void issue();

  private:
    struct Booked {
        double start;
        Step step;
        ResourceId turn = -1;  // whose turns it takes
    };
    struct Write {
        double ready;
        Ref sum;
    };
    /// A copy in host memory on the way to devices, and when each piece of it is there.
    struct Stop {
        BufferId buffer = Ref::home;
        std::map<std::pair<int, int>, double> arrivals;  // by piece and pieces
    };
    LinkId link(MemoryId from, MemoryId to) const;
    ResourceId narrowest(LinkId link) const;
    double bring_to(Stop& stop, const Ref& from, double ready, int piece, int pieces);

    Plan& plan_;
    Builder& builder_;
    Estimate estimate_;
    MemoryId host_;
    std::vector<LinkId> links_;  // by both memories; -1: none
    std::vector<Booked> booked_;
    bool turns_ = false;
    std::vector<Write> writes_;
    std::map<std::pair<TileId, BufferId>, Stop> stops_;  // by where they are from
};

}  // namespace gemmill
