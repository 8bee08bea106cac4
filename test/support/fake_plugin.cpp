// SPDX-License-Identifier: Apache-2.0
// The fake driver as the part that is opened for GPUs. Its third product fails, and then
// everything.
#include "support/fake_gpu.hpp"

extern "C" __attribute__((visibility("default"))) const gemmill::GpuDriver* gemmill_gpu_driver();

const gemmill::GpuDriver* gemmill_gpu_driver() {
    using gemmill::test::FakeGpus;
    static const bool once = [] {
        FakeGpus::instance().fail_after(FakeGpus::Call::gemm, 2, FakeGpus::gone);
        return true;
    }();
    return once ? &gemmill::test::fake_gpu_driver() : nullptr;
}
