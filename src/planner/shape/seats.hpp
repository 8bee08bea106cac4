// SPDX-License-Identifier: Apache-2.0
// What planners on one device share: what they know, parts, and seats that take turns.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/build/builder.hpp"
#include "planner/split/decompose.hpp"
#include "planner/split/targets/order.hpp"

namespace gemmill {

inline index_t end_of(const Part& part) { return part.first + part.count; }

inline index_t widest(const std::vector<Part>& parts) {
    index_t most = 0;
    for (const Part& part : parts) most = std::max(most, part.count);
    return most;
}

/// Seats that take turns.
struct Ring {
    std::vector<Builder::Seat> seats;
    std::size_t next = 0;

    Builder::Seat& turn() {
        Builder::Seat& seat = seats[next];
        next = (next + 1) % seats.size();
        return seat;
    }
};

inline Ring make_ring(Builder& builder, MemoryId memory, std::int64_t bytes, index_t seats) {
    Ring ring;
    for (index_t i = 0; i < seats; ++i) ring.seats.push_back(builder.make_seat(memory, bytes));
    return ring;
}

/// A plan on the first device of a choice, while it is made.
class OneDevicePlanner {
  protected:
    OneDevicePlanner(Draft& plan, const Choice& choice)
        : plan_(plan),
          p_(plan.problem),
          choice_(choice),
          builder_(plan, plan.most_steps),
          memory_(device_memory(plan.machine, choice.devices.front())),
          queue_(builder_.compute_queue(choice.devices.front(), 0)) {}

    static std::size_t at(auto i) { return static_cast<std::size_t>(i); }

    bool local(OperandId operand) const { return p_.home[at(operand)] == memory_; }
    bool left() const { return p_.side == Side::Left; }

    /// What lies along A's triangle in one line: a column of C, or a row where A stands on the
    /// right.
    Tile line_block(OperandId operand, const Part& along, const Part& line) const {
        return left() ? Tile{operand, along.first, line.first, along.count, line.count}
                      : Tile{operand, line.first, along.first, line.count, along.count};
    }

    void fetch(const Ref& to) { builder_.move(Opcode::fetch, {to.tile, Ref::home}, to); }
    void write(const Ref& sum) { builder_.move(Opcode::write, sum, {sum.tile, Ref::home}); }

    Draft& plan_;
    const Problem& p_;
    const Choice& choice_;
    Builder builder_;
    const MemoryId memory_;
    const QueueId queue_;
};

}  // namespace gemmill
