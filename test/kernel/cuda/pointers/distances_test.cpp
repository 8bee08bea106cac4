// SPDX-License-Identifier: Apache-2.0
// Pointers at equal distances, and a guess of them behind gates, on the CPU.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/one_shape/chain.cuh"
#include "kernel/cuda/one_shape/stage/stage.cuh"
#include "kernel/cuda/pointers/distances.cuh"

namespace gemmill::test {
namespace {

constexpr unsigned stale = 0xabcdef, mark = 77;

/// Arrays of pointers at equal distances, of a count.
struct Pointers {
    explicit Pointers(index_t count) {
        for (index_t i = 0; i < count; ++i)
            for (int of = 0; of < 3; ++of)
                each[of].push_back(reinterpret_cast<const void*>(first(of) + i * apart(of)));
    }
    static std::uint64_t first(int of) { return 4096ULL << of; }
    static std::int64_t apart(int of) { return of == 0 ? 0 : 24 * of; }
    BatchDistances distances() const {
        BatchDistances d;
        for (int of = 0; of < 3; ++of)
            d.each[of] = {first(of), each[of].size() > 1 ? apart(of) : 0};
        return d;
    }
    BatchArrays arrays() const {
        return {{each[0].data(), each[1].data(), each[2].data()},
                static_cast<index_t>(each[0].size())};
    }
    std::vector<const void*> each[3];
};

/// What the device tells the host of them.
BatchNotice look(const BatchArrays& x) {
    BatchNotice notice;
    unsigned word = stale;
    run(3, 64, [&] { look_kernel(x, {&word, mark}); });
    run(1, 1, [&] { answer_kernel(x, {&word, mark}, &notice); });
    EXPECT_EQ(notice.answered, mark);
    EXPECT_EQ(notice.refuted, 0U);
    return notice;
}
/// Whether all pointers are where they are expected. The host hears of it if they are not.
bool verify(const BatchArrays& x, const BatchDistances& expected) {
    BatchNotice notice;
    unsigned word = stale;
    run(3, 64, [&] { verify_kernel(x, expected, {&word, mark}, &notice); });
    EXPECT_TRUE(word == stale || word == mark);
    EXPECT_EQ(notice.refuted, word == mark ? mark : 0U);
    EXPECT_EQ(notice.answered, 0U);
    return word != mark;
}

const index_t counts[] = {1, 2, 3, 191, 192, 193, 5000};

TEST(BatchDistanceKernels, equal_distances_are_found) {
    for (const index_t count : counts) {
        const Pointers x(count);
        const BatchNotice notice = look(x.arrays());
        EXPECT_EQ(notice.equal, 1U) << count;
        EXPECT_EQ(notice.found, x.distances()) << count;
        EXPECT_TRUE(verify(x.arrays(), x.distances())) << count;
    }
}

TEST(BatchDistanceKernels, one_pointer_elsewhere_is_found) {
    for (const index_t count : counts)
        for (int of = 0; of < 3; ++of)
            for (const index_t at : {index_t{0}, count / 2, count - 1}) {
                Pointers x(count);
                const BatchDistances expected = x.distances();
                const void*& one = x.each[of][static_cast<std::size_t>(at)];
                one = static_cast<const char*>(one) + 8;
                EXPECT_FALSE(verify(x.arrays(), expected)) << count << " " << of << " " << at;
                // Of one or two any distance is an equal one.
                EXPECT_EQ(look(x.arrays()).equal, count <= 2 ? 1U : 0U) << count << " " << at;
            }
}

TEST(BatchDistanceKernels, a_matrix_without_an_array_is_not_looked_at) {
    Pointers x(100);
    x.each[1][50] = nullptr;
    BatchArrays arrays = x.arrays();
    arrays.each[1] = nullptr;
    const BatchNotice notice = look(arrays);
    EXPECT_EQ(notice.equal, 1U);
    EXPECT_EQ(notice.found.each[1], BatchDistances::Of{});
    EXPECT_TRUE(verify(arrays, notice.found));
}

/// A mark that lies in memory by chance is one pointer elsewhere: a batch is made by pointers.
TEST(BatchDistanceKernels, a_mark_by_chance_does_no_harm) {
    const Pointers x(10);
    BatchNotice notice;
    unsigned word = mark;
    run(1, 64, [&] { verify_kernel(x.arrays(), x.distances(), {&word, mark}, &notice); });
    EXPECT_EQ(word, mark);
    run(1, 1, [&] { answer_kernel(x.arrays(), {&word, mark}, &notice); });
    EXPECT_EQ(notice.equal, 0U);
}

using Stage = StageTile<double, 3, 3, 128, 6>;
StagePlan plan_of(const Batch& x) {
    StageLimits of{};
    of.tm = Stage::tm, of.tn = Stage::tn, of.threads = Stage::threads;
    of.room = 42 << 10, of.blocks = 3, of.processors = 1;
    return stage_plan(x, of, sizeof(double));
}
using Link = ChainTile<double, 4, 2, 64, 2>;

/// As run_guessed does it: verify, by strides if that holds, and by pointers if it does not.
bool run_guessed(const Batch& x, const Batch& strided, const BatchDistances& expected) {
    BatchNotice notice;
    unsigned word = stale;
    run(2, 64, [&] { verify_kernel(arrays_of(x), expected, {&word, mark}, &notice); });
    const ChainPlan chain = chain_plan<Link, 1>(strided);
    const StagePlan stage = plan_of(x);
    EXPECT_GT(chain.products, 0);
    run(2, Link::threads, [&] {
        chain_kernel<Link, 1, false, false>(strided, chain, Gate{&word, mark, false});
    });
    run(2, Stage::threads, [&] { stage_kernel<Stage>(x, stage, Gate{&word, mark, true}); });
    return word != mark;
}

/// Whatever the arrays hold, the products are made once, and nothing else is written.
TEST(BatchGates, a_guess_is_right_in_any_case) {
    for (const bool in_order : {true, false}) {
        Random random(42);
        GemmCase one = product(random, Type::d, 9, 9, true);
        one.op_a = one.op_b = Op::NoTrans;
        one.alpha = {1.5, 0}, one.beta = {0.5, 0};
        BatchCase batch(std::vector<GemmCase>(30, one), random);
        Chain chain(batch);
        const Batch strided = chain.here();
        const BatchDistances expected = look(arrays_of(chain.by_pointers(true))).found;
        EXPECT_EQ(reinterpret_cast<const void*>(expected.each[2].first), strided.c.data);
        const Batch x = chain.by_pointers(in_order);
        EXPECT_EQ(run_guessed(x, strided, expected), in_order);
        // Exchanged in all three matrices, the products are the same ones.
        ASSERT_TRUE(chain.check());
    }
}

}  // namespace
}  // namespace gemmill::test
