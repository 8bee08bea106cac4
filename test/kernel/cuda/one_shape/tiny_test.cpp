// SPDX-License-Identifier: Apache-2.0
// Products of a few elements, run on the CPU.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/one_shape/tiny.cuh"

namespace gemmill::test {
namespace {

template <class T, int edge, bool exact>
void sweep_tiny() {
    sweep<T>(
        edge, edge,
        [](const Batch& x) {
            const int columns = static_cast<int>(x.n.all);
            run(2, 64, [&] { tiny_kernel<T, Shapes::one, edge, exact>(x, columns); });
        },
        exact);
}

TEST(BatchKernels, tiny) {
    sweep_tiny<double, 1, true>();
    sweep_tiny<double, 4, true>();
    sweep_tiny<double, 5, true>();
    sweep_tiny<double, 6, false>();
    sweep_tiny<float, 8, true>();
    sweep_tiny<float, 6, true>();
    sweep_tiny<cuFloatComplex, 4, true>();
    sweep_tiny<cuFloatComplex, 3, false>();
    sweep_tiny<cuDoubleComplex, 4, true>();
}

}  // namespace
}  // namespace gemmill::test
