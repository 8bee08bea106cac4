// SPDX-License-Identifier: Apache-2.0
// What terms read, without what else an instruction says.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "task/tasks.hpp"

namespace gemmill {

/// Tiles that come to a device for a term; -1: no operand.
using TermReads = std::array<TileId, 2>;

class Reads {
  public:
    explicit Reads(const Tasks& tasks) {
        by_term_.reserve(tasks.terms.size());
        const auto whole = [&](const Ref& in) { return in.tile < 0 ? -1 : whole_of(tasks, in); };
        for (const Step& term : tasks.terms)
            by_term_.push_back({whole(term.in[0]), whole(term.in[1])});
    }

    std::span<const TermReads> all() const { return by_term_; }
    /// By the terms of a task.
    std::span<const TermReads> of(const Tasks::Task& task) const {
        return all().subspan(static_cast<std::size_t>(task.terms.begin),
                             static_cast<std::size_t>(task.terms.count));
    }

  private:
    std::vector<TermReads> by_term_;
};

}  // namespace gemmill
