// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of complex floats, which tensor cores multiply as doubles.
#include "kernel/cuda/batch_type.cuh"

namespace gemmill::batch {
namespace {

using T = cuFloatComplex;
using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
using Pack12 = MmaTile<T, 8, 12, 2, 2, 1, 1>;
using Pipe16 = PipeTile<T, 8, 4, 1, 2, 2, 1, 16, 3>;
using Pipe24 = PipeTile<T, 8, 4, 1, 3, 3, 1, 24, 2>;
using Pipe32 = PipeTile<T, 16, 4, 1, 2, 2, 2, 16, 3>;
using Pipe48 = PipeTile<T, 8, 4, 3, 3, 2, 2, 8, 3>;
using Pipe64 = PipeTile<T, 16, 4, 1, 4, 4, 2, 8, 4>;
using Fma16 = FmaTile<T, 2, 4, 1, 1, 8>;
using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

constexpr Kernel all[] = {
    {"tiny1", 1, 1, run_tiny<T, 1>},          {"tiny2", 2, 2, run_tiny<T, 2>},
    {"tiny3", 3, 3, run_tiny<T, 3>},          {"tiny4", 4, 4, run_tiny<T, 4>},
    {"pack8", 8, 8, pack_all<T, Pack8>},      {"pack12", 16, 12, pack_all<T, Pack12>},
    {"pipe16", 0, 0, pipe_all<T, Pipe16, 5>}, {"pipe24", 0, 0, pipe_all<T, Pipe24, 3>},
    {"pipe32", 0, 0, pipe_all<T, Pipe32, 3>}, {"pipe48", 0, 0, pipe_all<T, Pipe48, 2>},
    {"pipe64", 0, 0, pipe_all<T, Pipe64, 1>}, {"fma16", 0, 0, fma_all<T, Fma16>},
    {"far", 0, 0, fma_all<T, Fma32>},
};

}  // namespace

template <>
struct Classes<T> {
    static constexpr std::span<const Kernel> kernels{all};
    using Of8 = Pack8;
    using Of16 = MmaTile<T, 8, 16, 2, 2, 1, 1>;
    using Of24 = MmaTile<T, 8, 4, 3, 3, 1, 1>;
    using Large = Pipe64;
    using Middle = Pipe32;
    using Small = Pipe16;
    using Far = Fma32;
    static constexpr int blocks[] = {1, 3, 5};
    static constexpr ClassLimits limits{{{8, 8}, {16, 16}, {24, 64}},
                                        {{64, 32, 1.0F}, {32, 16, 1.5F}, {16, 8, 2.0F}}};
};

template struct OfType<T>;

}  // namespace gemmill::batch
