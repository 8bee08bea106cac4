// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of floats, which tensor cores multiply as doubles.
#include "kernel/cuda/batch_type.cuh"

namespace gemmill::batch {
namespace {

using T = float;
using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
using Pack12 = MmaTile<T, 8, 12, 2, 2, 1, 1>;
using Pack16 = MmaTile<T, 16, 16, 1, 2, 1, 1>;
using Warp24 = MmaTile<T, 8, 8, 3, 3, 1, 1>;
using Pipe24 = PipeTile<T, 8, 4, 1, 3, 3, 1, 24, 3>;
using Pipe32 = PipeTile<T, 16, 8, 1, 2, 2, 2, 32, 2>;
using Pipe48 = PipeTile<T, 8, 8, 3, 3, 2, 2, 24, 2>;
using Pipe64 = PipeTile<T, 16, 8, 2, 4, 2, 2, 32, 2>;
using Fma64 = FmaTile<T, 4, 8, 2, 2, 8>;
using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

constexpr Kernel all[] = {
    {"tiny1", 1, 1, run_tiny<T, 1>},          {"tiny2", 2, 2, run_tiny<T, 2>},
    {"tiny3", 3, 3, run_tiny<T, 3>},          {"tiny4", 4, 4, run_tiny<T, 4>},
    {"tiny5", 5, 5, run_tiny<T, 5>},          {"tiny6", 6, 6, run_tiny<T, 6>},
    {"tiny8", 8, 8, run_tiny<T, 8>},          {"pack8", 8, 8, pack_all<T, Pack8>},
    {"pack12", 16, 12, pack_all<T, Pack12>},  {"pack16", 16, 16, pack_all<T, Pack16>},
    {"warp24", 24, 0, warp_all<T, Warp24>},   {"pipe24", 0, 0, pipe_all<T, Pipe24, 4>},
    {"pipe32", 0, 0, pipe_all<T, Pipe32, 4>}, {"pipe48", 0, 0, pipe_all<T, Pipe48, 3>},
    {"pipe64", 0, 0, pipe_all<T, Pipe64, 2>}, {"fma64", 0, 0, fma_all<T, Fma64>},
    {"far", 0, 0, fma_all<T, Fma32>},
};

}  // namespace

template <>
struct Classes<T> {
    static constexpr std::span<const Kernel> kernels{all};
    using Of8 = Pack8;
    using Of16 = Pack16;
    using Of24 = Warp24;
    using Large = Pipe64;
    using Middle = Pipe32;
    using Small = Pipe24;
    using Far = Fma32;
    static constexpr int blocks[] = {2, 4, 4};
    static constexpr ClassLimits limits{{{8, 8}, {16, 16}, {24, 64}},
                                        {{64, 32, 1.0F}, {32, 16, 1.5F}, {24, 8, 2.0F}}};
};

template struct OfType<T>;

}  // namespace gemmill::batch
