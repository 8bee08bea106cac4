// SPDX-License-Identifier: Apache-2.0
// What a kernel that is fitted to a shape has as constants: all numbers of a batch and of its plan
// that are the same in every call of the shape. Addresses, factors and the count are arguments.
#pragma once

#include <type_traits>

#include "kernel/cuda/one_shape/stage/plan.hpp"

namespace gemmill::batch {

struct FittedNumbers {
    index_t m, n, k;
    index_t ld[3], stride[3];
    Op op_a, op_b;
    StagePlan plan;
};
static_assert(std::is_trivially_copyable_v<FittedNumbers>);

/// Words of 32 bits that hold them.
inline constexpr int fitted_words = (sizeof(FittedNumbers) + 3) / 4;

inline FittedNumbers fitted_numbers(const Batch& x, const StagePlan& plan) {
    return {x.m.all,
            x.n.all,
            x.k.all,
            {x.a.ld.all, x.b.ld.all, x.c.ld.all},
            {x.a.stride, x.b.stride, x.c.stride},
            x.op_a.all,
            x.op_b.all,
            plan};
}

}  // namespace gemmill::batch
