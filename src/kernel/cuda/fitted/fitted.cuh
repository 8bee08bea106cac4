// SPDX-License-Identifier: Apache-2.0
// Kernels of stage.cuh as texts with holes, which the host fills with the numbers of a shape
// (fill.hpp) and the driver compiles: with constants in the place of arguments they have fewer
// registers and instructions, and products of few flops a byte are made at up to a quarter more of
// the memory's rate.
#pragma once

#include <cstring>
#include <utility>

#include "kernel/cuda/fitted/numbers.hpp"
#include "kernel/cuda/one_shape/stage/stage.cuh"

namespace gemmill::batch {

/// Word number i, which is 0x401e and i in the text: a number, for the compiler looks at texts.
template <int i>
__device__ unsigned hole() {
    unsigned word;
    asm("mov.b32 %0, 0x401e%1;" : "=r"(word) : "n"(i));
    return word;
}

template <int... i>
__device__ FittedNumbers fill_in(std::integer_sequence<int, i...>) {
    const unsigned words[] = {hole<i>()...};
    FittedNumbers numbers;
    memcpy(&numbers, words, sizeof numbers);
    return numbers;
}

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    fitted_kernel(const __grid_constant__ Batch given, const __grid_constant__ Gate gate) {
    if (is_shut(gate)) return;
    extern __shared__ __align__(16) unsigned char memory[];
    const FittedNumbers numbers = fill_in(std::make_integer_sequence<int, fitted_words>{});
    Batch x = given;
    x.m.all = numbers.m, x.n.all = numbers.n, x.k.all = numbers.k;
    x.a.ld.all = numbers.ld[0], x.b.ld.all = numbers.ld[1], x.c.ld.all = numbers.ld[2];
    x.a.stride = numbers.stride[0], x.b.stride = numbers.stride[1], x.c.stride = numbers.stride[2];
    x.op_a.all = numbers.op_a, x.op_b.all = numbers.op_b;
    StageBlock<Tile>(x, numbers.plan, memory).run();
}

}  // namespace gemmill::batch
