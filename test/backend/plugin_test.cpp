// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin.hpp"

#include <gtest/gtest.h>

#include "backend/cpu/probe.hpp"

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

}  // namespace
}  // namespace gemmill::test
