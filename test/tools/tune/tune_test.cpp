// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tune/build.hpp"
#include "tune/rank.hpp"
#include "tune/shapes.hpp"

namespace gemmill::command {
namespace {

BatchTiming took(const char* who, double seconds) { return {who, seconds, 0.1, ""}; }

BatchResult square(BatchKind kind, index_t n, std::vector<BatchTiming> timings, index_t k = 0) {
    BatchResult r;
    r.one = {kind, Type::d, Op::NoTrans, Op::NoTrans, n, n, k == 0 ? n : k, BatchSpread::even, 0};
    r.bytes = 1;
    r.timings = std::move(timings);
    return r;
}

const std::set<std::string> known{"cublas", "old"};

TEST(Tune, a_candidate_is_kept_where_nothing_else_is_as_fast) {
    const std::vector<BatchResult> measured{
        square(BatchKind::strided, 32, {took("old", 10), took("cublas", 9), took("new", 8.7)}),
        square(BatchKind::strided, 48, {took("old", 10), took("cublas", 9), took("new", 8)}),
        square(BatchKind::strided, 64, {took("cublas", 9), took("new", 8.2), took("other", 8)}),
    };
    EXPECT_EQ(winners(measured, Type::d, known, 5), (std::set<std::string>{"new"}));
    // Of two that serve as many, the faster.
    EXPECT_EQ(winners({measured[2]}, Type::d, known, 5), (std::set<std::string>{"other"}));
    EXPECT_TRUE(winners(measured, Type::d, known, 0).empty());
    EXPECT_TRUE(winners(measured, Type::s, known, 5).empty());
}

TEST(Tune, what_is_wrong_or_failed_is_not_taken) {
    BatchTiming wrong = took("wrong", 1), failed = took("failed", 0);
    wrong.error = 7;
    failed.fault = "no";
    BatchTiming odd = took("odd", 1);
    odd.error = std::nan("");
    const std::vector<BatchResult> measured{
        square(BatchKind::strided, 32, {took("cublas", 9), wrong, failed, odd})};
    EXPECT_TRUE(winners(measured, Type::d, known, 5).empty());
    const auto rows = rows_of(measured, Type::d, {"cublas", "wrong", "failed", "odd"});
    EXPECT_EQ(to_text(rows.at(0)), "d strided 32 32 cublas");
}

TEST(Tune, rows_of_neighbours_are_one_and_small_squares_come_first) {
    const auto both = [](double a, double b) {
        return std::vector<BatchTiming>{took("a", a), took("b", b)};
    };
    const std::vector<BatchResult> measured{
        square(BatchKind::strided, 8, both(1, 2)),
        square(BatchKind::strided, 12, both(1, 2)),
        square(BatchKind::strided, 16, both(2, 1)),
        square(BatchKind::strided, 32, both(1, 2), 8),
        square(BatchKind::strided, 32, both(2, 1)),
        square(BatchKind::strided, 48, both(1, 2), 8),
        square(BatchKind::strided, 48, both(1, 1.01)),
    };
    std::string text;
    for (const BatchRow& row : rows_of(measured, Type::d, {"a", "b"})) text += to_text(row) + "\n";
    EXPECT_EQ(text,
              "d strided 12 12 a\n"
              "d strided 16 16 b\n"
              "d strided 48 8 a\n"
              "d strided 32 32 b\n"
              "d strided 48 48 a\n"
              "d any * * cublas\n");
}

TEST(Tune, a_table_keeps_the_types_that_were_not_measured) {
    const std::vector<BatchRow> rows = parse_batch_table("d any * * pipe_16_8_2_4_2_2_16_3").rows;
    const std::vector<BatchRow> old = parse_batch_table("d any * * old\ns any * * cublas").rows;
    const std::string text = table_of(rows, old, "a GPU");
    const BatchTable read = parse_batch_table(text);
    EXPECT_TRUE(read.faults.empty());
    ASSERT_EQ(read.rows.size(), 2U);
    EXPECT_EQ(read.rows[0].type, Type::s);
    EXPECT_EQ(read.rows[1], rows[0]);
    EXPECT_NE(text.find("# a GPU"), std::string::npos);
    const std::string instances = instances_of(rows, Type::d, "a GPU");
    EXPECT_NE(instances.find("pipe_all<T, PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>, 2>"),
              std::string::npos);
    EXPECT_EQ(instances_of(old, Type::d, "a GPU").find("{"), std::string::npos);
}

TEST(Tune, shapes_have_few_candidates_each) {
    const std::vector<TuneShape> shapes = tune_shapes(Type::d, {4, 8, 32}, 6);
    ASSERT_EQ(shapes.size(), 4U);
    EXPECT_TRUE(shapes[0].candidates.empty());
    EXPECT_EQ(shapes[2].shape, (BatchShape{32, 32, 8}));
    for (std::size_t i = 1; i < shapes.size(); ++i) EXPECT_EQ(shapes[i].candidates.size(), 6U);
    const std::vector<PipeCandidate> all = candidates_of(shapes);
    EXPECT_LE(all.size(), 18U);
    const std::string source = source_of(all, Type::z);
    EXPECT_NE(source.find("using T = cuDoubleComplex;"), std::string::npos);
    for (const PipeCandidate& c : all)
        EXPECT_NE(source.find("{\"" + name_of(c) + "\","), std::string::npos);
}

TEST(Tune, spilling_is_read_from_what_the_compiler_says) {
    const std::string log =
        "ptxas info    : Compiling entry function "
        "'_ZN11pipe_kernelI8PipeTileIdLi16ELi8ELi2ELi4ELi2ELi2E"
        "Li16ELi3EEEdLi2EEEv' for 'sm_90'\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Compiling entry function "
        "'_ZN10mma_kernelI7MmaTileIdLi8ELi8ELi3ELi3ELi1ELi1EEEd'\n"
        "    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n";
    EXPECT_FALSE(spills(log, {16, 8, 2, 4, 2, 2, 16, 3}));
    EXPECT_TRUE(spills(log, {8, 8, 3, 3, 1, 1, 8, 1}));
    EXPECT_FALSE(spills(log, {8, 8, 3, 3, 1, 1, 8, 2}));
}

}  // namespace
}  // namespace gemmill::command
