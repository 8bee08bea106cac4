// SPDX-License-Identifier: Apache-2.0
// Matrices that the caller keeps: copied once, read from the copy, dropped when they are written.
#include "api/plans/kept.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api/state.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/gpu/gpu.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemmill.h"
#include "kernel/reference/reference.hpp"
#include "support/fake_gpu.hpp"
#include "support/random.hpp"

namespace gemmill::test {
namespace {

std::unique_ptr<Backend> two_cpus() {
    HostFacts facts;
    facts.cores = 2, facts.hertz = 1e9, facts.memory = 1 << 30;
    return std::make_unique<CpuBackend>(
        CpuSetup{cpu_machine(host_machine(facts), 2), reference_kernels(), 1, allocate_host});
}

std::unique_ptr<Backend> two_fake_gpus() {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine = synthetic_machine("gpu:2(mem=1MB,d=1T) nvlink:100GB/s pcie:10GB/s");
    setup.ordinals = {-1, 0, 1};
    setup.staging = {2, 4, 1024};
    return std::make_unique<GpuBackend>(setup);
}

/// Has too little memory for its next runs.
class ShortBackend final : public Backend {
  public:
    const Machine& machine() const noexcept override { return cpus_->machine(); }
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override {
        if (failures > 0 && failures-- > 0) throw Error(Code::out_of_memory, "no room");
        return cpus_->open(plan, binding);
    }
    void* allocate(MemoryId memory, std::size_t bytes) override {
        return cpus_->allocate(memory, bytes);
    }
    void release(void* pointer) noexcept override { cpus_->release(pointer); }
    MemoryId locate(const void* pointer) const noexcept override { return cpus_->locate(pointer); }
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept override {
        return cpus_->keeps_to_blocks(pointer, bytes);
    }
    inline static int failures = 0;

  private:
    std::unique_ptr<Backend> cpus_ = two_cpus();
};

std::unique_ptr<Backend> two_short_cpus() { return std::make_unique<ShortBackend>(); }

using Devices = std::unique_ptr<Backend> (*)();
class KeptTest : public ::testing::TestWithParam<std::tuple<Devices, const char*>> {
  protected:
    KeptTest() : state_(options(), std::get<0>(GetParam())()) {
        state_.observer = [this](const Report& report) {
            fetched_.fill(0);
            for (const Step& step : report.plan.steps)
                if (step.op == Opcode::fetch && step.in[0].buffer == Ref::home) {
                    const Tile& tile = report.plan.tiles[static_cast<std::size_t>(step.in[0].tile)];
                    const auto o = static_cast<std::size_t>(tile.operand);
                    const auto home = static_cast<std::size_t>(report.plan.operands[o].home);
                    if (report.plan.machine.memories[home].kind == MemoryKind::host)
                        fetched_[o] += tile.rows * tile.cols;
                }
        };
    }
    static Options options() {
        Options o;
        o.policy = std::get<1>(GetParam());
        o.validate = true;
        o.tile = 8;
        return o;
    }
    static constexpr index_t n = 24, ld = 27;
    using Matrix = std::vector<double>;
    static Matrix matrix(Random& random) {
        Matrix all(static_cast<std::size_t>(ld * n));
        for (double& x : all) x = static_cast<double>(random.between(-9, 9));
        return all;
    }
    /// C = A B, and whether it is right.
    ::testing::AssertionResult multiply(const Matrix& a, const Matrix& b, Matrix& c) {
        Problem p;
        p.m = p.n = p.k = n;
        p.beta = Factor::zero;
        Matrix wanted = c;
        for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < n; ++i) {
                double sum = 0;
                for (index_t l = 0; l < n; ++l) sum += at(a, i, l) * at(b, l, j);
                wanted[static_cast<std::size_t>(j * ld + i)] = sum;
            }
        p.home = {state_.locate(a.data()), state_.locate(b.data()), state_.locate(c.data())};
        run_problem(state_, p, {{a.data(), b.data(), c.data()}, {ld, ld, ld}, {1, 0}, {0, 0}});
        return c == wanted ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
    }
    static double at(const Matrix& x, index_t i, index_t j) {
        return x[static_cast<std::size_t>(j * ld + i)];
    }

    Context::State state_;
    std::array<index_t, 3> fetched_{};  // elements from the host, by operand, of the last call
};

TEST_P(KeptTest, what_is_kept_is_not_fetched_from_the_host_again) {
    Random random(1);
    const Matrix a = matrix(random), b = matrix(random);
    Matrix c = matrix(random);
    ASSERT_TRUE(multiply(a, b, c));
    EXPECT_GE(fetched_[0], n * n);
    state_.kept.keep(a.data());
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(multiply(a, b, c));
        EXPECT_EQ(fetched_[0], 0);
        EXPECT_GE(fetched_[1], n * n);
    }
    state_.kept.drop(a.data());
    ASSERT_TRUE(multiply(a, b, c));
    EXPECT_GE(fetched_[0], n * n);
}

TEST_P(KeptTest, a_promise_is_believed_until_it_is_dropped) {
    Random random(2);
    Matrix a = matrix(random), c = matrix(random);
    const Matrix b = matrix(random);
    state_.kept.keep(a.data());
    ASSERT_TRUE(multiply(a, b, c));
    a[0] += 1;
    EXPECT_FALSE(multiply(a, b, c)) << "nobody was told";
    state_.kept.drop(a.data());
    EXPECT_TRUE(multiply(a, b, c));
}

TEST_P(KeptTest, what_a_call_writes_is_dropped) {
    Random random(3);
    const Matrix a = matrix(random), b = matrix(random);
    Matrix c = matrix(random), d = matrix(random);
    state_.kept.keep(c.data());
    ASSERT_TRUE(multiply(a, c, d)) << "read";
    ASSERT_TRUE(multiply(a, b, c)) << "written";
    EXPECT_TRUE(state_.kept.empty());
    EXPECT_TRUE(multiply(a, c, d));
}

TEST_P(KeptTest, pointers_that_are_not_kept_are_errors) {
    const double x = 0;
    EXPECT_THROW(state_.kept.keep(nullptr), Error);
    EXPECT_THROW(state_.kept.drop(&x), Error);
    state_.kept.keep(&x);
    state_.kept.keep(&x);
    state_.kept.drop(&x);
    EXPECT_THROW(state_.kept.drop(&x), Error);
}

TEST_P(KeptTest, under_a_cap_nothing_is_copied) {
    Random random(4);
    const Matrix a = matrix(random), b = matrix(random);
    Matrix c = matrix(random);
    state_.options.device_memory = 1 << 16;
    state_.kept.keep(a.data());
    ASSERT_TRUE(multiply(a, b, c));
    EXPECT_GE(fetched_[0], n * n);
}

TEST_P(KeptTest, copies_are_given_up) {
    Random random(5);
    const Matrix a = matrix(random), b = matrix(random);
    Matrix c = matrix(random);
    state_.kept.keep(a.data());
    EXPECT_FALSE(state_.kept.give_up()) << "there are none yet";
    state_.kept.drop(a.data());
    state_.kept.keep(a.data());
    ASSERT_TRUE(multiply(a, b, c));
    EXPECT_TRUE(state_.kept.give_up());
    ASSERT_TRUE(multiply(a, b, c));
    EXPECT_GE(fetched_[0], n * n);
}

/// Calls of several threads share a copy while others keep and drop.
TEST_P(KeptTest, threads) {
    Random random(8);
    const Matrix a = matrix(random), b = matrix(random);
    state_.observer = {};
    state_.kept.keep(a.data());
    std::array<bool, 3> right{};
    std::vector<std::thread> threads;
    for (bool& one : right)
        threads.emplace_back([&] {
            one = true;
            Matrix c(static_cast<std::size_t>(ld * n));
            for (int i = 0; i < 5; ++i) one = multiply(a, b, c) && one;
        });
    const Matrix other = matrix(random);
    for (int i = 0; i < 20; ++i) {
        state_.kept.keep(other.data());
        state_.kept.drop(other.data());
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(right, ::testing::Each(true));
}

/// Three matrices in any part of a product, kept, changed and dropped in any order.
TEST_P(KeptTest, any_sequence_gives_the_right_results) {
    Random random(6);
    std::array<Matrix, 4> all{matrix(random), matrix(random), matrix(random), matrix(random)};
    std::array<bool, 4> kept{};
    for (int i = 0; i < affordable(300) && !HasFailure(); ++i) {
        const auto x = static_cast<std::size_t>(random.between(0, 3));
        const auto y = static_cast<std::size_t>(random.between(0, 3));
        const auto z = static_cast<std::size_t>(random.between(0, 3));
        if (random.chance(20)) {
            if (!kept[x]) state_.kept.keep(all[x].data());
            kept[x] = true;
        } else if (random.chance(20)) {
            if (kept[x]) state_.kept.drop(all[x].data());
            kept[x] = false;
            all[x][static_cast<std::size_t>(random.between(0, n - 1))] += 1;
        } else if (z != x && z != y) {
            for (double& value : all[z]) value = static_cast<double>(random.between(-9, 9));
            if (kept[z]) state_.kept.drop(all[z].data());
            if (random.chance(50)) state_.kept.keep(all[z].data());
            ASSERT_TRUE(multiply(all[x], all[y], all[z])) << "step " << i;
            kept[z] = false;
            for (double& value : all[z]) value = static_cast<double>(random.between(-9, 9));
        }
    }
}

class ShortOfMemory : public KeptTest {};

TEST_P(ShortOfMemory, calls_give_up_copies_first) {
    Random random(7);
    const Matrix a = matrix(random), b = matrix(random);
    Matrix c = matrix(random);
    state_.kept.keep(a.data());
    ASSERT_TRUE(multiply(a, b, c));
    EXPECT_EQ(fetched_[0], 0);
    ShortBackend::failures = 1;
    EXPECT_TRUE(multiply(a, b, c));
    EXPECT_EQ(ShortBackend::failures, 0);
    EXPECT_GE(fetched_[0], n * n) << "from the host";
    EXPECT_FALSE(state_.kept.give_up()) << "none is left";
}

INSTANTIATE_TEST_SUITE_P(Cpu, ShortOfMemory,
                         ::testing::Combine(::testing::Values(two_short_cpus),
                                            ::testing::Values("dynamic", "tail", "best")));
INSTANTIATE_TEST_SUITE_P(Backends, KeptTest,
                         ::testing::Combine(::testing::Values(two_cpus, two_fake_gpus),
                                            ::testing::Values("dynamic", "tail", "best")));

TEST(KeptC, codes) {
    gemmill_context* context = nullptr;
    const char* names[] = {"devices"};
    const char* values[] = {"cpu:2"};
    ASSERT_EQ(gemmill_create_with(&context, names, values, 1), GEMMILL_OK);
    const double x = 0;
    EXPECT_EQ(gemmill_keep(context, &x), GEMMILL_OK);
    EXPECT_EQ(gemmill_drop(context, &x), GEMMILL_OK);
    EXPECT_EQ(gemmill_drop(context, &x), GEMMILL_BAD_ARGUMENT);
    EXPECT_THAT(gemmill_message(), ::testing::HasSubstr("not kept"));
    EXPECT_EQ(gemmill_keep(context, nullptr), GEMMILL_BAD_ARGUMENT);
    gemmill_destroy(context);
}

}  // namespace
}  // namespace gemmill::test
