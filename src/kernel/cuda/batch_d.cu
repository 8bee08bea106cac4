// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of doubles.
#include "kernel/cuda/batch_type.cuh"

namespace gemmill::batch {
namespace {

using T = double;
// rows and depth of an instruction, instructions of a warp, warps; then slab and stages.
using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
using Pack12 = MmaTile<T, 8, 12, 2, 2, 1, 1>;
using Pack16 = MmaTile<T, 16, 16, 1, 2, 1, 1>;
using Warp16 = MmaTile<T, 16, 8, 1, 2, 1, 1>;
using Warp24 = MmaTile<T, 8, 8, 3, 3, 1, 1>;
using Warp32 = MmaTile<T, 16, 8, 2, 4, 1, 1>;
using Pipe32 = PipeTile<T, 16, 8, 1, 2, 2, 2, 16, 4>;
using Pipe40 = PipeTile<T, 8, 4, 5, 1, 1, 5, 20, 2>;
using Pipe48 = PipeTile<T, 8, 8, 3, 3, 2, 2, 16, 3>;
using Pipe64 = PipeTile<T, 16, 8, 2, 4, 2, 2, 8, 4>;
using Pipe64k16 = PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>;
using Pipe128 = PipeTile<T, 16, 8, 2, 8, 4, 2, 16, 3>;
using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

constexpr Kernel all[] = {
    {"tiny1", 1, 1, run_tiny<T, 1>},
    {"tiny2", 2, 2, run_tiny<T, 2>},
    {"tiny3", 3, 3, run_tiny<T, 3>},
    {"tiny4", 4, 4, run_tiny<T, 4>},
    {"tiny5", 5, 5, run_tiny<T, 5>},
    {"tiny6", 6, 6, run_tiny<T, 6>},
    {"pack8", 8, 8, pack_all<T, Pack8>},
    {"pack12", 16, 12, pack_all<T, Pack12>},
    {"pack16", 16, 16, pack_all<T, Pack16>},
    {"warp16", 16, 0, warp_all<T, Warp16>},
    {"warp24", 24, 0, warp_all<T, Warp24>},
    {"warp32", 32, 0, warp_all<T, Warp32>},
    {"pipe32", 0, 0, pipe_all<T, Pipe32, 4>},
    {"pipe40", 0, 0, pipe_all<T, Pipe40, 3>},
    {"pipe48", 0, 0, pipe_all<T, Pipe48, 3>},
    {"pipe64", 0, 0, pipe_all<T, Pipe64, 3>},
    {"pipe64k16", 0, 0, pipe_all<T, Pipe64k16, 2>},
    {"pipe128", 0, 0, pipe_all<T, Pipe128, 1>},
    {"far", 0, 0, fma_all<T, Fma32>},
};

}  // namespace

template <>
struct Classes<T> {
    static constexpr std::span<const Kernel> kernels{all};
    using Of8 = Pack8;
    using Of16 = Pack16;
    using Of24 = Warp24;
    using Large = Pipe128;
    using Middle = Pipe64k16;
    using Small = Pipe32;
    using Far = Fma32;
    static constexpr int blocks[] = {1, 2, 4};
    static constexpr ClassLimits limits{{{8, 8}, {16, 16}, {24, 64}},
                                        {{128, 64, 1.0F}, {64, 32, 1.3F}, {32, 16, 2.0F}}};
};

template struct OfType<T>;

}  // namespace gemmill::batch
