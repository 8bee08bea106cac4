// SPDX-License-Identifier: Apache-2.0
// What is said of bad arguments where the program has no handler, and in which order CBLAS calls
// find them.
#include <gtest/gtest.h>

#include <functional>

#include "api/blas/library.hpp"

namespace gemmill::test {
namespace {

class Xerbla : public ::testing::Test {
  protected:
    using Narrow = Library<std::int32_t>;
    const Narrow library{GEMMILL_BLAS_LIBRARY};

    static std::string said(const std::function<void()>& call) {
        testing::internal::CaptureStderr();
        call();
        return testing::internal::GetCapturedStderr();
    }
    /// The number in the line that a call printed; 0: none.
    static int number(const std::string& line) {
        const std::string before = "parameter number ";
        const auto at = line.find(before);
        return at == std::string::npos ? 0 : std::atoi(line.c_str() + at + before.size());
    }
};

/// netlib counts sizes and leading dimensions of a row-major call in the transposed one; the line
/// has them where the caller put them, and flags stay where they stood.
TEST_F(Xerbla, positions_of_row_major_calls_are_the_callers) {
    Level3Args x;
    x.type = Type::d;
    x.routine = Routine::gemm;
    x.m = x.n = x.k = 2, x.lda = x.ldb = x.ldc = 2;
    const auto told = [&](auto change) {
        Level3Args bad = x;
        change(bad);
        return number(said([&] { library.cblas(Layout::RowMajor, bad); }));
    };
    EXPECT_EQ(told([](Level3Args& y) { y.ldb = 1; }), 11);
    EXPECT_EQ(told([](Level3Args& y) { y.m = -1; }), 4);
    EXPECT_EQ(told([](Level3Args& y) { y.op_b = Op(0); }), 3);
    x.routine = Routine::gemmt;
    EXPECT_EQ(told([](Level3Args& y) { y.lda = 1; }), 9);
    EXPECT_EQ(told([](Level3Args& y) { y.op_b = Op(0); }), 4);
    x.routine = Routine::trsm;
    EXPECT_EQ(told([](Level3Args& y) { y.m = -1; }), 6);
    x.routine = Routine::syrk;
    EXPECT_EQ(told([](Level3Args& y) { y.n = -1; }), 4);
}

/// Everything is wrong; each argument is mended once it was told.
TEST_F(Xerbla, cblas_finds_flags_first_and_then_what_the_routine_finds) {
    struct Step {
        int position;
        std::function<void(Level3Args&)> mend;
    };
    const auto check = [&](Layout layout, const std::vector<Step>& steps) {
        Level3Args x;
        x.routine = Routine::gemm;
        x.type = Type::d;
        x.op_a = x.op_b = Op(0);
        x.m = x.n = x.k = -1, x.lda = x.ldb = x.ldc = 0;
        for (const Step& step : steps) {
            EXPECT_EQ(number(said([&] { library.cblas(layout, x); })), step.position)
                << (layout == Layout::ColMajor ? "by columns" : "by rows");
            step.mend(x);
        }
        x.m = 0;  // nothing is touched
        EXPECT_EQ(said([&] { library.cblas(layout, x); }), "");
    };
    const auto op_a = [](Level3Args& x) { x.op_a = Op::NoTrans; };
    const auto op_b = [](Level3Args& x) { x.op_b = Op::NoTrans; };
    const auto m = [](Level3Args& x) { x.m = 2; };
    const auto n = [](Level3Args& x) { x.n = 2; };
    const auto k = [](Level3Args& x) { x.k = 2; };
    const auto lda = [](Level3Args& x) { x.lda = 2; };
    const auto ldb = [](Level3Args& x) { x.ldb = 2; };
    const auto ldc = [](Level3Args& x) { x.ldc = 2; };
    check(Layout::ColMajor,
          {{2, op_a}, {3, op_b}, {4, m}, {5, n}, {6, k}, {9, lda}, {11, ldb}, {14, ldc}});
    // The Fortran routine sees n before m, and B before A.
    check(Layout::RowMajor,
          {{2, op_a}, {3, op_b}, {5, n}, {4, m}, {6, k}, {11, ldb}, {9, lda}, {14, ldc}});
}

TEST_F(Xerbla, a_layout_that_is_none_is_the_first_argument) {
    const auto dgemm = reinterpret_cast<void (*)(int, int, int, int, int, int, double, const void*,
                                                 int, const void*, int, double, void*, int)>(
        library.find("cblas_dgemm"));
    EXPECT_EQ(said([&] { dgemm(0, 0, 0, -1, -1, -1, 1, nullptr, 0, nullptr, 0, 1, nullptr, 0); }),
              " ** On entry to cblas_dgemm parameter number 1 had an illegal value\n");
}

}  // namespace
}  // namespace gemmill::test
