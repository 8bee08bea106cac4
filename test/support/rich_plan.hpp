// SPDX-License-Identifier: Apache-2.0
// A plan with everything that a plan may have: fetches in pieces and along a chain of devices, a
// sum that two devices share, C added late, a tile of C made in place.
#pragma once

#include "model/engine.hpp"
#include "plan/build/builder.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill::test {

class RichPlan {
  public:
    /// The machine needs two devices whose memories 1 and 2 are joined to each other and the host.
    RichPlan(Random& random, const Machine& machine) : random_(random), builder_(start(machine)) {}

    Plan make() {
        const Problem& p = problem_;
        const index_t half = p.k / 2;
        const TileId c = builder_.tile({operand::C, 0, 0, p.m, p.n});
        const TileId a[] = {builder_.tile({operand::A, 0, 0, p.m, half}),
                            builder_.tile({operand::A, 0, half, p.m, p.k - half})};
        const TileId b[] = {builder_.tile({operand::B, 0, 0, half, p.n}),
                            builder_.tile({operand::B, half, 0, p.k - half, p.n})};
        for (MemoryId m : {1, 2}) pools_[m] = builder_.make_pool(m, slot, 6);
        // Both halves of A go to the first device; the second takes its half from there.
        const Ref a0 = fetch({a[0], Ref::home}, 1), a1_far = fetch({a[1], Ref::home}, 1);
        const Ref a1 = fetch(a1_far, 2);
        const Ref b0 = fetch({b[0], Ref::home}, 1), b1 = fetch({b[1], Ref::home}, 2);
        const Ref far = multiply(1, {c, take(2, c)}, a1, b1);
        const Ref sum = multiply(0, {c, take(1, c)}, a0, b0);
        const Ref partial{c, take(1, c)};
        builder_.move(Opcode::fetch, far, partial);
        add(sum, partial, Keep::sum);
        if (p.beta != Factor::zero) add(sum, fetch({c, Ref::home}, 1), Keep::old);
        builder_.move(Opcode::write, sum, {c, Ref::home});
        plan_.prediction = predict(plan_, simulate(plan_));
        return plan_;
    }

  private:
    static constexpr std::int64_t slot = 1024;

    Plan& start(const Machine& machine) {
        plan_.machine = machine;
        plan_.policy = "by hand";
        plan_.devices = {0, 1};
        plan_.limit.assign(machine.memories.size(), 1 << 14);
        problem_.m = random_.between(1, 8);
        problem_.n = random_.between(1, 8);
        problem_.k = random_.between(2, 8);
        problem_.alpha = Factor::general;
        problem_.beta = random_.chance(70) ? Factor::general : Factor::zero;
        describe(problem_, plan_);
        return plan_;
    }

    BufferId take(MemoryId memory, TileId tile) { return builder_.take(pools_[memory], tile); }

    Ref fetch(const Ref& from, MemoryId memory) {
        const Ref to{from.tile, take(memory, from.tile)};
        const auto pieces = static_cast<std::uint16_t>(random_.between(1, 3));
        const LinkId link = find_link(plan_.machine, memory_of(plan_, from), memory);
        const auto queue = queue_of({QueueKind::transfer, link});
        for (std::uint16_t i = 0; i < pieces; ++i) {
            Step step = move_step(plan_, Opcode::fetch, from, to, i, pieces);
            step.queue = queue;
            builder_.emit(step);
        }
        return to;
    }

    Ref multiply(DeviceId device, const Ref& out, const Ref& a, const Ref& b) {
        const QueueId queue = builder_.compute_queue(device, 0);
        builder_.emit(compute_step(plan_, problem_, queue, out, Keep::zero, a, b));
        return out;
    }

    void add(const Ref& out, const Ref& in, Keep keep) {
        builder_.emit(add_step(plan_, builder_.compute_queue(0, 0), out, keep, in));
    }

    /// The transfer queue of a link, made when it is new.
    QueueId queue_of(const Queue& queue) {
        for (std::size_t q = 0; q < plan_.queues.size(); ++q)
            if (plan_.queues[q] == queue) return static_cast<QueueId>(q);
        plan_.queues.push_back(queue);
        return static_cast<QueueId>(plan_.queues.size() - 1);
    }

    Random& random_;
    Problem problem_;
    Plan plan_;
    Builder builder_;
    Builder::Pool pools_[3];
};

inline Plan rich_plan(Random& random, const Machine& machine) {
    return RichPlan(random, machine).make();
}
inline Plan rich_plan(Random& random) {
    return rich_plan(random, synthetic_machine("gpu:2(mem=1MB,d=1T) nvlink:50GB/s"));
}

}  // namespace gemmill::test
