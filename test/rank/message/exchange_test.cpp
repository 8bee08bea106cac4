// SPDX-License-Identifier: Apache-2.0
#include "rank/message/exchange.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>

#include "kernel/reference/numbers.hpp"
#include "support/dist_case.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

template <class T>
T value_at(index_t row, index_t col) {
    if constexpr (is_complex(type_of<T>))
        return T(static_cast<typename T::value_type>(row),
                 static_cast<typename T::value_type>(col));
    else
        return static_cast<T>(row * 1000 + col);
}

struct CopyCase {
    int ranks;
    Op op;
    index_t rows, cols, from_row, from_col, to_row, to_col;
    AnyLayout from, to;
};

CopyCase random_copy(Random& random) {
    CopyCase x;
    x.ranks = static_cast<int>(random.between(1, 6));
    constexpr Op ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
    x.op = random.pick(ops);
    x.rows = random.below(40), x.cols = random.below(40);
    x.from_row = random.below(9), x.from_col = random.below(9);
    x.to_row = random.below(9), x.to_col = random.below(9);
    const bool straight = x.op == Op::NoTrans;
    const index_t rows = straight ? x.rows : x.cols, cols = straight ? x.cols : x.rows;
    x.from = random_layout(random, x.from_row + rows + random.below(5),
                           x.from_col + cols + random.below(5), x.ranks);
    x.to = random_layout(random, x.to_row + x.rows + random.below(5),
                         x.to_col + x.cols + random.below(5), x.ranks);
    return x;
}

template <class T>
void check_copy(const CopyCase& x, ThreadTransport& transport) {
    const bool straight = x.op == Op::NoTrans;
    const Distribution from = x.from.distribution(x.ranks), to = x.to.distribution(x.ranks);
    LocalMatrix<T> source(from, transport.rank(), 1), target(to, transport.rank(), 2);
    source.each([](index_t i, index_t j, T& e) { e = value_at<T>(i, j); });
    target.each([](index_t, index_t, T& e) { e = T(-7); });
    const std::size_t guards = target.guards();
    const Distribution from_part = straight ? from.part(x.from_row, x.from_col, x.rows, x.cols)
                                            : from.part(x.from_row, x.from_col, x.cols, x.rows);
    const Distribution to_part = to.part(x.to_row, x.to_col, x.rows, x.cols);
    copy_matrix(transport, type_of<T>, x.op, source.matrix(from_part, transport.rank()),
                target.matrix(to_part, transport.rank()));
    index_t wrong = 0;
    target.each([&](index_t i, index_t j, T& e) {
        const index_t row = i - x.to_row, col = j - x.to_col;
        T expected(-7);
        if (row >= 0 && row < x.rows && col >= 0 && col < x.cols)
            expected = straight ? value_at<T>(x.from_row + row, x.from_col + col)
                                : value_at<T>(x.from_row + col, x.from_col + row);
        if (x.op == Op::ConjTrans && expected != T(-7)) expected = conjugate(expected);
        wrong += e != expected;
    });
    if (wrong != 0 || target.guards() != guards)
        throw std::runtime_error(fmt::format("{} elements are wrong", wrong));
}

TEST(Copy, between_any_two_layouts) {
    Random random(11);
    for (int i = 0; i < affordable(800); ++i) {
        const CopyCase x = random_copy(random);
        const index_t type = random.below(4);
        try {
            run_ranks(x.ranks, [&](ThreadTransport& transport) {
                if (type == 0) check_copy<float>(x, transport);
                if (type == 1) check_copy<double>(x, transport);
                if (type == 2) check_copy<std::complex<float>>(x, transport);
                if (type == 3) check_copy<std::complex<double>>(x, transport);
            });
        } catch (const std::exception& error) {
            FAIL() << "case " << i << ": " << error.what();
        }
    }
}

TEST(Copy, sends_one_message_to_each_rank_and_only_what_moves) {
    const BlockCyclic by_rows{
        .rows = 64, .cols = 10, .row_block = 4, .col_block = 10, .grid_rows = 4, .ranks = {}};
    BlockCyclic by_cols{
        .rows = 64, .cols = 10, .row_block = 64, .col_block = 1, .grid_cols = 4, .ranks = {}};
    const Distribution from(by_rows, 4), to(by_cols, 4);
    for (int rank = 0; rank < 4; ++rank) {
        const Exchange exchange = copy_of(from, to, Op::NoTrans, Type::d, rank, 4);
        EXPECT_EQ(exchange.sends.size(), 3U);
        EXPECT_EQ(exchange.receives.size(), 3U);
        EXPECT_EQ(exchange.sent_bytes() + exchange.own.bytes, 16 * 10 * 8);
    }
    EXPECT_EQ(copy_of(from, from, Op::NoTrans, Type::d, 0, 4).sent_bytes(), 0);
}

TEST(Copy, a_rank_that_does_not_come_is_named) {
    const BlockCyclic by_rows{
        .rows = 8, .cols = 8, .row_block = 1, .col_block = 1, .grid_rows = 3, .ranks = {}};
    const Distribution whole(by_rows, 3);
    constexpr double patience = 0.05;
    const auto errors = run_ranks(3, patience, [&](ThreadTransport& transport) {
        if (transport.rank() == 2) return;
        LocalMatrix<double> a(whole, transport.rank(), 0), b(whole, transport.rank(), 0);
        copy_matrix(transport, Type::d, Op::Trans, a.matrix(whole, transport.rank()),
                    b.matrix(whole, transport.rank()));
    });
    for (int rank = 0; rank < 2; ++rank) {
        try {
            std::rethrow_exception(errors[static_cast<std::size_t>(rank)]);
        } catch (const std::exception& error) {
            EXPECT_NE(std::string(error.what()).find("rank 2"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace gemmill::test
