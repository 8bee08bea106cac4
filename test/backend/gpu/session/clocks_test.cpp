// SPDX-License-Identifier: Apache-2.0
// Events of devices on one clock.
#include "backend/gpu/session/clocks.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "gemmill/error.hpp"
#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

using namespace std::chrono_literals;

class ClocksTest : public ::testing::Test {
  protected:
    ClocksTest() { FakeGpus::instance().reset(); }
    ~ClocksTest() override { FakeGpus::instance().reset(); }

    const GpuDriver& driver = fake_gpu_driver();
    EventPool events{driver, GpuEventKind::timed};
    Lanes lanes{driver};

    GpuEvent* recorded(int device) {
        GpuEvent* event = nullptr;
        EXPECT_EQ(events.take(device, &event), 0);
        EXPECT_EQ(driver.record(event, lanes.clock_of(device)), 0);
        EXPECT_EQ(driver.synchronize(event), 0);
        return event;
    }
};

TEST_F(ClocksTest, tell_when_events_happened_since_they_were_made) {
    Clocks clocks(driver, events, lanes);
    for (const int device : {0, 1}) {
        clocks.start(device);
        GpuEvent* const first = recorded(device);
        std::this_thread::sleep_for(2ms);
        GpuEvent* const second = recorded(device);
        const double one = clocks.time_of(device, first), two = clocks.time_of(device, second);
        EXPECT_GE(one, 0);
        EXPECT_GE(two - one, 2e-3);
        EXPECT_LE(two, clocks.now());
        events.give(device, first);
        events.give(device, second);
    }
}

TEST_F(ClocksTest, a_device_is_marked_once) {
    Clocks clocks(driver, events, lanes);
    clocks.start(0);
    GpuEvent* const event = recorded(0);
    const double time = clocks.time_of(0, event);
    std::this_thread::sleep_for(2ms);
    clocks.start(0);
    EXPECT_EQ(clocks.time_of(0, event), time);
    events.give(0, event);
}

TEST_F(ClocksTest, what_cannot_be_recorded_is_an_error) {
    Clocks clocks(driver, events, lanes);
    FakeGpus::instance().fail_after(FakeGpus::Call::record, 0);
    EXPECT_THROW(clocks.start(0), Error);
}

}  // namespace
}  // namespace gemmill::test
