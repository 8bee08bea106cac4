// SPDX-License-Identifier: Apache-2.0
#include "rank/program/run.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"
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

int wrong_elements(const Product& x, const DistChoice& choice) {
    std::atomic<int> wrong = 0;
    run_ranks(x.ranks, [&](ThreadTransport& transport) {
        const int rank = transport.rank();
        Filled mine(x, rank);
        const RankMatrix a = mine.a.matrix(x.a.distribution, rank);
        const RankMatrix b = mine.b.matrix(x.b.distribution, rank);
        DistUpdate update = x.update;
        update.c = mine.c.matrix(x.update.c.distribution, rank);
        update.terms = {{{&a}, {&b}, {1, 0}}};
        const RankProgram program = emit_program(update, choice.work, choice.cut, rank, x.ranks);
        const Arena arena = choice.cut.shared ? transport.node()->take(program.arena_bytes)
                                              : make_arena(program.arena_bytes);
        run_program(transport, program, update,
                    {[](const GemmArgs& args) { reference_gemm(args); }, {}}, {arena});
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
