// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/batch.hpp"

#include <algorithm>

#include "kernel/cpu/host/host_blas.hpp"
#include "kernel/cpu/small/small.hpp"

namespace gemmill {
namespace {

/// The matrices of product i.
void place(const Batch& x, index_t i, GemmArgs& g) {
    g.a = matrix_of(x.a, x.type, i);
    g.b = matrix_of(x.b, x.type, i);
    g.c = const_cast<void*>(matrix_of(x.c, x.type, i));
}

/// m n k, at least: what a call costs even when it does nothing.
double work_of(const GemmArgs& g) {
    constexpr double least = 1000;
    return static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) + least;
}

/// From here on the host BLAS is faster in one thread, and in all of them when they help each
/// other.
constexpr double large_work = 384.0 * 384 * 384;
/// From here on its threads help each other, which is faster when many of ours would be idle.
constexpr double shared_work = 64.0 * 64 * 64;

/// The work from which on products go to the host BLAS, one after the other.
double handed_over(index_t count, int threads) {
    constexpr double too_idle = 0.85;
    const index_t rounds = (count + threads - 1) / threads;
    return static_cast<double>(count) < too_idle * static_cast<double>(rounds * threads)
               ? shared_work
               : large_work;
}

/// Products in a part: enough to be worth taking, few enough to share out evenly.
index_t part_of(const Batch& batch, int threads) {
    constexpr double worthwhile = 2e5;  // of work: some microseconds
    double work = 0;
    const index_t looked_at = std::min<index_t>(batch.count, is_uniform(batch) ? 1 : 16);
    for (index_t i = 0; i < looked_at; ++i)
        work += work_of(product_of(batch, i * (batch.count / looked_at)));
    const auto enough =
        static_cast<index_t>(worthwhile * static_cast<double>(looked_at) / work) + 1;
    const index_t fair = batch.count / (8 * static_cast<index_t>(threads)) + 1;
    return batch.count <= enough ? batch.count : std::min(enough * 16, std::max(enough, fair));
}

}  // namespace

void host_batch(const Batch& batch, Team& team) {
    if (batch.count == 0) return;
    std::atomic<bool> some_large = false;
    const SmallKernels& kernels = *small_kernel_sets().front();
    const double most = handed_over(batch.count, team.size());
    const auto is_large = [&](const GemmArgs& g) { return work_of(g) > most; };
    const bool alike =
        is_uniform(batch) && batch.alpha.each == nullptr && batch.beta.each == nullptr;
    team.run(batch.count, part_of(batch, team.size()), [&](index_t first, index_t last) {
        GemmArgs g = product_of(batch, first);
        for (index_t i = first; i < last; ++i) {
            if (alike)
                place(batch, i, g);
            else
                g = product_of(batch, i);
            if (is_large(g))
                some_large = true;
            else
                small_gemm(g, kernels);
        }
    });
    for (index_t i = 0; some_large && i < batch.count; ++i)
        if (const GemmArgs g = product_of(batch, i); is_large(g)) host_gemm(g);
}

}  // namespace gemmill
