// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin.hpp"

#include <gtest/gtest.h>

#include "backend/cpu/probe.hpp"
#include "base/text.hpp"

namespace gemmill::test {
namespace {

/// Right with and without a GPU: either there are GPUs and the machine is sound, or a reason.
TEST(Plugin, gpus_or_a_reason) {
    std::string why;
    const Machine host = probe_host();
    const Machine machine = with_gpus(host, why);
    EXPECT_EQ(why.empty(), machine.devices.size() > host.devices.size()) << why;
    EXPECT_TRUE(check(machine).empty());
    if (!why.empty()) {
        EXPECT_EQ(machine, host);
    }
}

/// Nothing of CUDA is opened to learn that there is no GPU.
TEST(Plugin, without_a_gpu_cuda_stays_closed) {
    std::string why;
    if (gpu_driver(why) != nullptr) GTEST_SKIP() << "there is a GPU";
    const std::string maps = read_file("/proc/self/maps");
    for (const char* library : {"libgemmill_cuda", "libcublas", "libcudart"})
        EXPECT_EQ(maps.find(library), std::string::npos) << library;
}

}  // namespace
}  // namespace gemmill::test
