// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/session/desks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

constexpr std::int64_t room = 1000;

/// Counts bytes of one memory.
struct Memory1000 {
    std::int64_t used = 0;
    Allocate allocate() {
        return [this](const Memory&, std::size_t bytes) -> std::shared_ptr<std::byte> {
            const auto size = static_cast<std::int64_t>(bytes);
            if (used + size > room) throw Error(Code::out_of_memory, "full", "room");
            used += size;
            return {new std::byte[bytes], [this, size](std::byte* p) {
                        used -= size;
                        delete[] p;
                    }};
        };
    }
};

Plan plan_of(std::int64_t bytes, std::int64_t limit = room) {
    Plan plan;
    plan.machine.memories.push_back({"gpu0", MemoryKind::device, room, ""});
    Device device;
    device.name = "gpu0", device.memory = 0;
    plan.machine.devices.push_back(device);
    Link link;
    link.from = link.to = 0, link.bandwidth = 1;
    plan.machine.links.push_back(link);
    plan.queues = {{QueueKind::compute, 0}, {QueueKind::transfer, 0}};
    plan.slab = {bytes};
    plan.limit = {limit};
    return plan;
}

struct Fixture {
    explicit Fixture(std::size_t count = 2) : desks(lanes, ordinals, memory.allocate(), count) {}
    Memory1000 memory;
    Lanes lanes{fake_gpu_driver()};
    std::vector<int> ordinals{0};
    Desks desks;
};

TEST(Desks, two_sessions_have_memory_and_compute_lanes_of_their_own) {
    Fixture f;
    const Desks::Hold one(f.desks, plan_of(400)), two(f.desks, plan_of(500));
    EXPECT_NE(one.slabs()[0], two.slabs()[0]);
    EXPECT_EQ(f.memory.used, 900);
    EXPECT_NE(one.lanes()[0].stream, two.lanes()[0].stream);
    EXPECT_EQ(one.lanes()[1].stream, two.lanes()[1].stream);  // copies go one after the other
}

TEST(Desks, memory_is_kept_for_the_next_session) {
    Fixture f;
    { const Desks::Hold one(f.desks, plan_of(400)); }
    EXPECT_EQ(f.memory.used, 400);
    const Desks::Hold two(f.desks, plan_of(300));
    EXPECT_EQ(f.memory.used, 400);
}

TEST(Desks, what_an_idle_desk_keeps_goes_when_it_is_needed) {
    Fixture f;
    { const Desks::Hold one(f.desks, plan_of(100)), two(f.desks, plan_of(500)); }
    const Desks::Hold large(f.desks, plan_of(900));
    EXPECT_EQ(f.memory.used, 900);
}

TEST(Desks, too_much_for_an_empty_memory_is_an_error) {
    Fixture f;
    EXPECT_THROW(Desks::Hold(f.desks, plan_of(1001, 2000)), Error);
    const Desks::Hold one(f.desks, plan_of(1000));  // nothing was kept
    EXPECT_EQ(f.memory.used, 1000);
}

/// A session that must wait begins when the open one ends.
void expect_waits(Fixture& f, const Plan& first, const Plan& second) {
    std::optional<Desks::Hold> one;
    one.emplace(f.desks, first);
    std::atomic<bool> ended = false;
    std::thread other([&] {
        const Desks::Hold two(f.desks, second);
        EXPECT_TRUE(ended);
    });
    std::this_thread::yield();
    ended = true;
    one.reset();
    other.join();
}

TEST(Desks, sessions_together_keep_to_the_limit) {
    Fixture f;
    expect_waits(f, plan_of(300, 500), plan_of(300, 500));
    EXPECT_LE(f.memory.used, 500);
}

TEST(Desks, a_session_waits_for_memory_that_another_has) {
    Fixture f;
    expect_waits(f, plan_of(800, 5000), plan_of(800, 5000));
}

TEST(Desks, a_third_session_waits) {
    Fixture f(1);
    expect_waits(f, plan_of(1), plan_of(1));
}

}  // namespace
}  // namespace gemmill::test
