// SPDX-License-Identifier: Apache-2.0
// What a kernel of stage.cuh has to do for a batch, by its plan.
#pragma once

#include "kernel/cuda/one_shape/stage/plan.hpp"

namespace gemmill::batch {

/// Bytes that lie between columns and are read with them, of a product: more than the sectors that
/// the columns lie in.
inline double bytes_between(const StageMatrix& s, const BatchMatrix& of, index_t rows, index_t cols,
                            int size) {
    if (!s.flat || of.ld.all == rows) return 0;
    const auto all = static_cast<double>(of.ld.all * cols * size);
    return std::max(0.0, all - bytes_of_matrix(rows, cols, of.ld.all, size));
}
inline double bytes_between(const Batch& x, const StagePlan& p, int size) {
    const bool turned_a = x.op_a.all != Op::NoTrans, turned_b = x.op_b.all != Op::NoTrans;
    const index_t m = x.m.all, n = x.n.all, k = x.k.all;
    return bytes_between(p.a, x.a, turned_a ? k : m, turned_a ? m : k, size) +
           bytes_between(p.b, x.b, turned_b ? n : k, turned_b ? k : n, size) +
           (x.beta.all == Scalar{} ? 0 : bytes_between(p.c, x.c, m, n, size));
}

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
    work.bytes = traffic_of(x) + static_cast<double>(x.count) * bytes_between(x, p, size);
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
