// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/shared_device.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "gemmill/error.hpp"
#include "rank/program/walk/run.hpp"
#include "support/counting_device.hpp"
#include "support/rank_product.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

constexpr std::int64_t plenty = std::int64_t{1} << 30;

DistChoice choice_on_device(const Product& x) {
    DistPolicy policy = named("c");
    policy.shared = policy.one_device = true;
    policy.device_memory = plenty;
    return x.choose(policy);
}

/// Ranks that have found one another's memory of a device, whose products `gemm` makes.
void run_open(const Product& x, double patience, const std::function<void(const GemmArgs&)>& gemm,
              const std::function<void(int rank, SharedPanels&, SharedDevice&)>& f,
              std::vector<std::exception_ptr>* errors = nullptr) {
    const DistChoice choice = choice_on_device(x);
    const auto device = std::make_shared<CountingDevice>(plenty);
    const auto found = run_ranks(x.ranks, patience, [&](ThreadTransport& transport) {
        transport.node()->allocate = [&](std::int64_t bytes) { return device->allocate(bytes); };
        const RankProgram program = x.program(choice, transport.rank());
        ASSERT_TRUE(program.on_device);
        transport.node()->take_device(program.device_bytes());
        LocalKernels kernels = CountingDevice::kernels(device);
        kernels.gemm = gemm;
        SharedPanels panels(transport, program, [&](const auto& holds, const auto&) {
            while (!holds()) transport.pause();
        });
        SharedDevice all(transport, program, kernels, panels);
        panels.open();
        all.open();
        f(transport.rank(), panels, all);
        panels.close();
    });
    for (const std::exception_ptr& error : found)
        if (error && errors == nullptr) std::rethrow_exception(error);
    if (errors != nullptr) *errors = found;
}

/// A product of a rank's sums alone, which says whose it is by its number of rows.
GemmArgs product_of(int rank, const SharedPanels& panels) {
    GemmArgs args;
    args.m = rank + 1, args.n = 1, args.k = 1;
    args.a = args.b = args.c = panels.own();
    args.lda = args.ldb = args.ldc = rank + 1;
    return args;
}

TEST(SharedDevice, makes_what_every_rank_asks_for_where_that_rank_has_it) {
    const Product x(64, 64, 64, 2, 2);
    std::array<std::atomic<int>, 4> made{};
    std::array<void*, 4> own{};
    std::atomic<int> elsewhere = 0;
    constexpr int times = 50;
    run_open(
        x, 60,
        [&](const GemmArgs& args) {
            const auto rank = static_cast<std::size_t>(args.m - 1);
            ++made[rank];
            elsewhere += args.a != own[rank] || args.b != own[rank] || args.c != own[rank];
        },
        [&](int rank, SharedPanels& panels, SharedDevice& all) {
            own[static_cast<std::size_t>(rank)] = panels.own();
            for (int i = 1; i <= times; ++i) {
                all.make(product_of(rank, panels));
                // It has been made when the call returns.
                EXPECT_EQ(made[static_cast<std::size_t>(rank)], i);
            }
        });
    for (const auto& count : made) EXPECT_EQ(count, times);
    EXPECT_EQ(elsewhere, 0);
}

TEST(SharedDevice, a_rank_is_told_why_its_product_was_not_made_and_the_next_one_is) {
    const Product x(64, 64, 64, 1, 2);
    std::atomic<int> told = 0;
    run_open(
        x, 60,
        [](const GemmArgs& args) {
            if (args.m == 2 && args.beta.re == 0) throw Error(Code::failed_step, "lost it");
            if (args.m == 2 && args.beta.re == 2) throw std::runtime_error("what is this");
        },
        [&](int rank, SharedPanels& panels, SharedDevice& all) {
            GemmArgs args = product_of(rank, panels);
            for (const double beta : {0, 1, 2, 3}) try {
                    args.beta.re = beta;
                    all.make(args);
                } catch (const Error& error) {
                    EXPECT_EQ(rank, 1);
                    EXPECT_EQ(error.code(), beta == 0 ? Code::failed_step : Code::internal);
                    EXPECT_EQ(error.text(), beta == 0 ? "lost it" : "what is this");
                    ++told;
                }
        });
    EXPECT_EQ(told, 2);
}

TEST(SharedDevice, factors_of_no_depth_may_lie_anywhere) {
    const Product x(64, 64, 64, 1, 2);
    std::atomic<int> made = 0;
    run_open(
        x, 60, [&](const GemmArgs& args) { made += args.k == 0; },
        [&](int rank, SharedPanels& panels, SharedDevice& all) {
            GemmArgs args = product_of(rank, panels);
            args.k = 0, args.a = args.b = nullptr;
            all.make(args);
            args.k = 1;
            EXPECT_THROW(all.make(args), Error);  // nobody else sees such a place
        });
    EXPECT_EQ(made, 2);
}

TEST(SharedDevice, a_product_that_does_not_end_names_who_makes_it) {
    const Product x(64, 64, 64, 1, 2);
    std::atomic<bool> given_up = false;
    std::vector<std::exception_ptr> errors;
    run_open(
        x, 0.05,
        [&](const GemmArgs& args) {
            while (args.m == 2 && !given_up) std::this_thread::yield();
        },
        [&](int rank, SharedPanels& panels, SharedDevice& all) {
            if (rank == 0) return;
            try {
                all.make(product_of(rank, panels));
            } catch (const Error& error) {
                EXPECT_NE(error.text().find("rank 0"), std::string::npos) << error.text();
                given_up = true;
            }
        },
        &errors);
    EXPECT_TRUE(given_up);
    for (const std::exception_ptr& error : errors) EXPECT_FALSE(error);
}

}  // namespace
}  // namespace gemmill::test
