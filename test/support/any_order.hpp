// SPDX-License-Identifier: Apache-2.0
// Does the steps of a plan one after the other in any order that queues and waits allow.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "backend/perform.hpp"
#include "kernel/reference/reference.hpp"
#include "plan/order.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {

/// Slabs full of NaN, with a guard behind each.
class NanSlabs {
  public:
    explicit NanSlabs(const Plan& plan) {
        constexpr std::size_t guard = 64;
        for (const std::int64_t bytes : plan.slab) {
            slabs_.emplace_back((static_cast<std::size_t>(bytes) + guard) / 4 + 1, nan_word);
            sizes_.push_back(static_cast<std::size_t>(bytes));
            begins_.push_back(reinterpret_cast<std::byte*>(slabs_.back().data()));
        }
    }
    std::span<std::byte* const> begins() const { return begins_; }
    bool guards_intact() const {
        for (std::size_t m = 0; m < slabs_.size(); ++m)
            for (std::size_t w = sizes_[m] / 4 + 1; w < slabs_[m].size(); ++w)
                if (slabs_[m][w] != nan_word) return false;
        return true;
    }

  private:
    static constexpr std::uint32_t nan_word = 0x7ff8beef;
    std::vector<std::vector<std::uint32_t>> slabs_;
    std::vector<std::size_t> sizes_;
    std::vector<std::byte*> begins_;
};

/// Right result, every tile of C intact until its one write, nothing else touched.
template <class Case>
::testing::AssertionResult right_in_any_order(const Plan& plan, Case& x, Random& random) {
    x.reset();
    const NanSlabs slabs(plan);
    const Binding binding = x.binding();
    Order order(plan.queues.size());
    std::vector<StepId> ready;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        order.submit(static_cast<StepId>(i), plan.steps[i].queue, waits_of(plan, plan.steps[i]),
                     ready);
    std::size_t ended = 0;
    while (!ready.empty()) {
        std::swap(random.pick(ready), ready.back());
        const StepId id = ready.back();
        ready.pop_back();
        const Step& step = plan.steps[static_cast<std::size_t>(id)];
        if (step.out.buffer == Ref::home &&
            !x.old(plan.tiles[static_cast<std::size_t>(step.out.tile)]))
            return ::testing::AssertionFailure() << "C changed before step " << id;
        perform(make_task(plan, step, binding, slabs.begins()), reference_kernels());
        order.complete(id, ready);
        ++ended;
    }
    if (ended != plan.steps.size())
        return ::testing::AssertionFailure()
               << ended << " of " << plan.steps.size() << " steps ran";
    if (!slabs.guards_intact()) return ::testing::AssertionFailure() << "written behind a slab";
    return x.check();
}

}  // namespace gemmill::test
