// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of bfloat16, which tensor cores multiply as doubles.
#include "kernel/cuda/batch_run.cuh"

namespace gemmill::batch {
namespace {

using T = __nv_bfloat16;
using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
using Pack16 = MmaTile<T, 16, 16, 1, 2, 1, 1>;
using Warp24 = MmaTile<T, 8, 8, 3, 3, 1, 1>;
using Pipe32 = PipeTile<T, 16, 8, 1, 2, 2, 2, 32, 2>;
using Pipe64 = PipeTile<T, 16, 8, 2, 4, 2, 2, 32, 2>;
using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

constexpr Kernel all[] = {
    {"tiny2", 2, 2, run_tiny<T, 2>},          {"tiny4", 4, 4, run_tiny<T, 4>},
    {"tiny8", 8, 8, run_tiny<T, 8>},          {"pack8", 8, 8, pack_all<T, Pack8>},
    {"pack16", 16, 16, pack_all<T, Pack16>},  {"warp24", 24, 0, warp_all<T, Warp24>},
    {"pipe32", 0, 0, pipe_all<T, Pipe32, 4>}, {"pipe64", 0, 0, pipe_all<T, Pipe64, 2>},
    {"far", 0, 0, fma_all<T, Fma32>},
};

}  // namespace

template <>
struct Classes<T> {
    using Of8 = Pack8;
    using Of16 = Pack16;
    using Of24 = Warp24;
    using Of32 = Pipe32;
    using Large = Pipe64;
    using Far = Fma32;
    static constexpr int blocks_of_32 = 4, large_blocks = 2;
};

template <>
std::span<const Kernel> OfType<T>::kernels() {
    return all;
}
template <>
cudaError_t OfType<T>::classes(const Batch& x, const Sorted& s, cudaStream_t stream) {
    return run_classes<T>(x, s, stream);
}
template <>
cudaError_t OfType<T>::early(const Batch& x, cudaStream_t stream) {
    return early_end<T>(x, stream);
}

}  // namespace gemmill::batch
