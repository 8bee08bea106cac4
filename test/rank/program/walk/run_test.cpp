// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"
#include "support/counting_device.hpp"
#include "support/dist_case.hpp"
#include "support/rank_product.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

/// A(i, l) = i - l and B(l, j) = l + 2 j, of which everyone knows the product.
double expected(index_t i, index_t j, index_t k) {
    double sum = 0;
    for (index_t l = 0; l < k; ++l) sum += static_cast<double>((i - l) * (l + 2 * j));
    return sum;
}

struct Filled {
    Filled(const Product& x, int rank)
        : a(x.a.distribution, rank, 0),
          b(x.b.distribution, rank, 0),
          c(x.update.c.distribution, rank, 0) {
        a.each([](index_t i, index_t l, double& e) { e = static_cast<double>(i - l); });
        b.each([](index_t l, index_t j, double& e) { e = static_cast<double>(l + 2 * j); });
        c.each([](index_t, index_t, double& e) { e = 7; });
    }
    LocalMatrix<double> a, b, c;
};

int count_wrong(const Product& x, Filled& mine) {
    int wrong = 0;
    mine.c.each([&](index_t i, index_t j, double& e) { wrong += e != expected(i, j, x.update.k); });
    return wrong;
}

using KernelsOf = std::function<LocalKernels()>;

LocalKernels plain_loops() {
    return {[](const GemmArgs& args) { reference_gemm(args); }, {}};
}

int wrong_elements(const Product& x, const DistChoice& choice,
                   const KernelsOf& kernels = plain_loops,
                   const std::function<std::byte*(std::int64_t)>& device = {}) {
    std::atomic<int> wrong = 0;
    run_ranks(x.ranks, [&](ThreadTransport& transport) {
        const int rank = transport.rank();
        transport.node()->allocate = device;
        Filled mine(x, rank);
        const RankMatrix a = mine.a.matrix(x.a.distribution, rank);
        const RankMatrix b = mine.b.matrix(x.b.distribution, rank);
        DistUpdate update = x.update;
        update.c = mine.c.matrix(x.update.c.distribution, rank);
        update.terms = {{{&a}, {&b}, {1, 0}}};
        const RankProgram program = emit_program(update, choice.work, choice.cut, rank, x.ranks);
        const Arena arena = choice.cut.shared ? transport.node()->take(program.arena_bytes)
                                              : make_arena(program.arena_bytes);
        if (program.on_device) transport.node()->take_device(program.device_bytes());
        run_program(transport, program, update, kernels(), {arena});
        wrong += count_wrong(x, mine);
    });
    return wrong;
}

TEST(RunProgram, pieces_of_any_size_come_together) {
    const Product x(70, 90, 100, 2, 3);
    for (const std::int64_t piece : {8, 100, 1000, 1 << 20})
        for (const index_t depth : {13, 50, 100}) {
            DistPolicy policy = named("c");
            policy.depth = depth;
            DistChoice choice = x.choose(policy);
            choice.cut.chain_bytes = 0, choice.cut.piece_bytes = piece;
            EXPECT_EQ(wrong_elements(x, choice), 0) << piece << " " << depth;
        }
}

TEST(RunProgram, messages_to_all_at_once_do_the_same) {
    const Product x(70, 90, 100, 2, 3);
    DistChoice choice = x.choose(named("c"));
    choice.cut.chain_bytes = std::int64_t{1} << 40;
    EXPECT_EQ(wrong_elements(x, choice), 0);
}

TEST(RunProgram, panels_in_memory_of_the_node_do_the_same_without_a_message) {
    const Product x(70, 90, 100, 2, 3);
    for (const index_t depth : {7, 50, 100})
        for (const int lookahead : {0, 1, 3}) {
            DistPolicy policy = named("c");
            policy.depth = depth, policy.lookahead = lookahead, policy.shared = true;
            const DistChoice choice = x.choose(policy);
            for (int rank = 0; rank < x.ranks; ++rank)
                EXPECT_TRUE(x.program(choice, rank).fetches.empty());
            EXPECT_EQ(wrong_elements(x, choice), 0) << depth << " " << lookahead;
        }
}

/// C is wide enough that it is written in parts while the last ones are made.
TEST(RunProgram, panels_on_a_device_do_the_same) {
    const Product x(20, 1504, 96, 1, 2);
    for (const bool shared : {true, false})
        for (const index_t depth : {4, 8, 40, 96}) {
            DistPolicy policy = named("c");
            policy.shared = shared, policy.depth = depth;
            policy.device_memory = std::int64_t{1} << 30;
            const DistChoice choice = x.choose(policy);
            EXPECT_TRUE(choice.cut.uploads);
            std::vector<std::shared_ptr<CountingDevice>> devices;
            std::mutex mutex;
            const int wrong = wrong_elements(x, choice, [&] {
                const std::lock_guard lock(mutex);
                devices.push_back(std::make_shared<CountingDevice>(std::int64_t{1} << 30));
                return CountingDevice::kernels(devices.back());
            });
            EXPECT_EQ(wrong, 0) << shared << " " << depth;
            // A and B come once, and C goes back once.
            if (depth < x.update.k)
                for (const auto& device : devices) {
                    EXPECT_EQ(device->factors_in, 8 * 96 * (20 + 752));
                    EXPECT_EQ(device->out, 8 * 20 * 752);
                }
        }
}

/// Every element of A and B comes to the device once, whoever reads it, and C goes back once.
TEST(RunProgram, panels_on_a_device_of_all_ranks_do_the_same) {
    const Product x(40, 1504, 96, 2, 2);
    for (const index_t depth : {2, 4, 8, 40, 95})
        for (const int lookahead : {-1, 0, 2}) {
            DistPolicy policy = named("c");
            policy.shared = policy.one_device = true;
            policy.depth = depth, policy.lookahead = lookahead;
            policy.device_memory = std::int64_t{1} << 30;
            const DistChoice choice = x.choose(policy);
            ASSERT_TRUE(choice.cut.on_device);
            const auto device = std::make_shared<CountingDevice>(std::int64_t{1} << 30);
            const int wrong = wrong_elements(
                x, choice, [&] { return CountingDevice::kernels(device); },
                [&](std::int64_t bytes) { return device->allocate(bytes); });
            EXPECT_EQ(wrong, 0) << depth << " " << lookahead;
            EXPECT_EQ(device->factors_in, 8 * 96 * (40 + 1504));
            EXPECT_EQ(device->c_in, 0);
            EXPECT_EQ(device->out, 8 * 40 * 1504);
        }
}

TEST(RunProgram, a_silent_rank_is_named) {
    const Product x(64, 64, 64, 1, 2);
    const auto errors = run_ranks(2, 0.05, [&](ThreadTransport& transport) {
        if (transport.rank() == 1) return;
        Filled mine(x, 0);
        const RankMatrix a = mine.a.matrix(x.a.distribution, 0);
        const RankMatrix b = mine.b.matrix(x.b.distribution, 0);
        DistUpdate update = x.update;
        update.c = mine.c.matrix(x.update.c.distribution, 0);
        update.terms = {{{&a}, {&b}, {1, 0}}};
        const DistChoice choice = x.choose(named("c"));
        const RankProgram program = emit_program(update, choice.work, choice.cut, 0, 2);
        run_program(transport, program, update,
                    {[](const GemmArgs& args) { reference_gemm(args); }, {}},
                    {make_arena(program.arena_bytes)});
    });
    ASSERT_TRUE(errors[0]);
    try {
        std::rethrow_exception(errors[0]);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::failed_step);
        EXPECT_NE(error.text().find("rank 1"), std::string::npos) << error.text();
    }
}

}  // namespace
}  // namespace gemmill::test
