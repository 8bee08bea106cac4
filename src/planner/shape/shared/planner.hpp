// SPDX-License-Identifier: Apache-2.0
// What planners for several devices that hold all of A share.
#pragma once

#include <vector>

#include "planner/route/passing.hpp"
#include "planner/shape/seats.hpp"
#include "task/problem.hpp"

namespace gemmill {

/// Plans for lines, and for triangles.
void plan_shared_in_place(Draft& plan, const Policy& policy, const Choice& choice);
void plan_shared_symmetric(Draft& plan, const Policy& policy, const Choice& choice);
void plan_shared_triangle(Draft& plan, const Policy& policy, const Choice& choice);

/// A plan while it is made.
class SharedPlanner {
  protected:
    SharedPlanner(Draft& plan, const Policy& policy, const Choice& choice)
        : plan_(plan),
          p_(plan.problem),
          choice_(choice),
          builder_(plan, plan.most_steps),
          timed_(plan, builder_),
          passing_(plan, builder_, timed_, policy.chain ? policy.pieces : 1) {}

    static std::size_t at(auto id) { return static_cast<std::size_t>(id); }

    bool reads_c() const { return is_read(p_, operand::C); }
    bool lives(OperandId operand, MemoryId memory) const { return p_.home[at(operand)] == memory; }
    /// Ref::home for what lives there.
    BufferId hold(MemoryId memory, const Tile& tile) {
        return lives(tile.operand, memory) ? Ref::home : keep(memory, tile);
    }
    BufferId keep(MemoryId memory, const Tile& tile) {
        return builder_.keep(memory, builder_.tile(tile));
    }
    /// The user's block in a place; returns when it is there.
    double bring(TileId tile, BufferId place) {
        return timed_.route(Opcode::fetch, {tile, Ref::home}, {tile, place}, 0);
    }

    Draft& plan_;
    const Problem& p_;
    const Choice& choice_;
    Builder builder_;
    Timed timed_;
    Passing passing_;
};

/// One device, and the lines that it makes.
struct LineWorker {
    DeviceId device = -1;
    MemoryId memory = -1;
    QueueId queue = -1, beside = -1;
    Part mine, front;
    std::vector<Part> rest;
    std::vector<BufferId> panels;  ///< of A; Ref::home where that lives there
    BufferId b = Ref::home, made = Ref::home, old = Ref::home;
    double ready = 0;  ///< when what came of A is there
};

/// A plan in lines of C across the triangle of A.
class SharedLines : protected SharedPlanner {
  protected:
    /// Blocks are taken in this order.
    SharedLines(Draft& plan, const Policy& policy, const Choice& choice, bool forward);

    bool left() const { return p_.side == Side::Left; }
    Part all() const { return {0, p_.k}; }
    /// Neighbouring blocks as one.
    Part span_of(std::size_t first, std::size_t last) const;
    Tile line_block(OperandId operand, const Part& along, const Part& line) const {
        return left() ? Tile{operand, along.first, line.first, along.count, line.count}
                      : Tile{operand, line.first, along.first, line.count, along.count};
    }
    TileId line_tile(OperandId operand, const Part& along, const Part& line) {
        return builder_.tile(line_block(operand, along, line));
    }

    /// Deals the lines by the devices' rates; places and queues come later.
    std::vector<LineWorker> deal() const;
    /// A panel of A to all that do not have it.
    void bring_panel(std::vector<LineWorker>& workers, std::size_t l, const Tile& panel);

    std::vector<Part> along_;  ///< blocks, in the order in which they are taken
};

}  // namespace gemmill
