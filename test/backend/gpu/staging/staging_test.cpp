// SPDX-License-Identifier: Apache-2.0
// Slots and their threads, with the fake driver.
#include "backend/gpu/staging/staging.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <numeric>
#include <vector>

#include "support/fake_gpu.hpp"
#include "support/few_threads.hpp"

namespace gemmill::test {
namespace {

constexpr index_t rows = 40, cols = 5;

/// A stream and device memory for one matrix.
class StagingOnFake : public ::testing::Test {
  protected:
    StagingOnFake() {
        FakeGpus::instance().reset();
        EXPECT_EQ(driver.open_stream(0, false, &lane.stream), 0);
        EXPECT_EQ(driver.allocate(0, rows * cols * sizeof(double), &there), 0);
    }
    ~StagingOnFake() override {
        driver.close_stream(lane.stream);
        driver.release(0, there);
    }

    /// One move that is waited for.
    void move(Staging& staging, bool to_device, void* to, const void* from) {
        std::latch done(1);
        Staging::Move x;
        x.args = {from, rows, to, rows, rows, cols, sizeof(double)};
        x.lane = lane;
        x.to_device = to_device;
        x.new_pages = !to_device;
        x.issued = [&](int fault) {
            EXPECT_EQ(fault, 0);
            if (to_device) done.count_down();
        };
        x.ended = [&](int fault) {
            EXPECT_EQ(fault, 0);
            done.count_down();
        };
        staging.begin(x);
        const bool at_once = staging.release(x).has_value();
        if (!at_once || !to_device) done.wait();
    }

    const GpuDriver& driver = fake_gpu_driver();
    Lane lane;
    void* there = nullptr;
};

void expect_there_and_back(auto&& move, Staging& staging, void* there) {
    std::vector<double> from(rows * cols), back(rows * cols);
    std::iota(from.begin(), from.end(), 1.0);
    move(staging, true, there, from.data());
    move(staging, false, back.data(), there);
    EXPECT_EQ(back, from);
}

TEST_F(StagingOnFake, does_with_the_threads_that_there_are) {
    const auto moves = [this](auto&&... x) { move(x...); };
    for (const int threads : {2, 3, 100}) {
        EventPool events(driver, GpuEventKind::sleeping);
        Staging staging(driver, events, {4, 3, 256});
        const FewThreads few(threads);
        expect_there_and_back(moves, staging, there);
    }
}

TEST_F(StagingOnFake, threads_copy_a_slot_together) {
    const auto moves = [this](auto&&... x) { move(x...); };
    for (const index_t share : {8, 24, 100, 1000})
        for (const index_t own_caches : {0, 1 << 20}) {
            EventPool events(driver, GpuEventKind::sleeping);
            StagingSetup setup{4, 3, 700};
            setup.share_bytes = share, setup.own_caches = own_caches;
            Staging staging(driver, events, setup);
            for (int i = 0; i < 25; ++i) expect_there_and_back(moves, staging, there);
        }
}

TEST_F(StagingOnFake, needs_a_thread_of_each_direction_and_may_get_it_later) {
    const auto moves = [this](auto&&... x) { move(x...); };
    EventPool events(driver, GpuEventKind::sleeping);
    Staging staging(driver, events, {4, 3, 256});
    std::vector<double> from(rows * cols);
    for (const int threads : {0, 1, 0}) {
        const FewThreads few(threads);
        Staging::Move x;
        x.args = {from.data(), rows, there, rows, rows, cols, sizeof(double)};
        try {
            staging.begin(x);
            FAIL() << "nothing was thrown";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::out_of_memory);
            EXPECT_NE(error.text().find("threads"), std::string::npos) << error.what();
        }
    }
    expect_there_and_back(moves, staging, there);
}

TEST_F(StagingOnFake, a_move_whose_pages_are_made_can_be_dropped) {
    EventPool events(driver, GpuEventKind::sleeping);
    Staging staging(driver, events, {2, 3, 256});
    const std::vector<double> before(rows * cols, 5.0);
    std::vector<double> back = before;
    for (int i = 0; i < 100; ++i) {
        Staging::Move x;
        x.args = {there, rows, back.data(), rows, rows, cols, sizeof(double)};
        x.lane = lane;
        x.to_device = false;
        x.new_pages = true;
        staging.begin(x);
        staging.cancel(x);  // no thread looks at it after this
    }
    EXPECT_EQ(back, before);
}

}  // namespace
}  // namespace gemmill::test
