// SPDX-License-Identifier: Apache-2.0
// What a kernel of batch_stage.cuh has to do for a batch, by its plan.
#pragma once

#include "kernel/cuda/batch_stage_plan.hpp"

namespace gemmill::batch {

/// What such a kernel does: steps, tiles, steps of threads along k, what copies and shared memory
/// take, and how much of that is one after the other.
inline BatchWork stage_work(const Batch& x, const StageLimits& of, int size) {
    const StagePlan p = stage_plan(x, of, size);
    const auto processors = static_cast<double>(of.processors);
    const double items = static_cast<double>(parts_of(x.count, p.products)) * p.parts();
    const double rounds = std::ceil(items / of.blocks), each = items / processors;
    const double threads = static_cast<double>(p.products) * p.down * p.right * p.deep * of.lanes;
    const double warps = std::ceil(threads / 32),
                 deep = std::ceil(static_cast<double>(x.k.all) / p.deep);
    const double turns = std::ceil(threads / of.threads);
    const double of_c = p.c.cost + p.out.cost, copies = p.slabs * (p.a.cost + p.b.cost);
    const bool has_gaps = !p.out.flat;
    BatchWork work;
    work.bytes = traffic_of(x);
    work.counts = {each * p.slabs,
                   each * warps,
                   each * warps * deep,
                   each * (copies + (has_gaps ? 0 : of_c)),
                   each * warps * deep * reads_of_step(p, of, size),
                   rounds * p.slabs,
                   rounds * turns * deep,
                   has_gaps ? each * of_c : 0};
    return work;
}

}  // namespace gemmill::batch
