// SPDX-License-Identifier: Apache-2.0
// Where a call goes. The drop-in reads its options with the first call, so that each test has a
// process of its own.
#include "api/blas/dispatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "kernel/cpu/host/host_library.hpp"
#include "support/level3_call.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

/// Runs random calls of a routine and checks them; what was said meanwhile.
std::string said_by_calls(Routine routine, int calls, index_t most) {
    Random random(7);
    testing::internal::CaptureStderr();
    for (int i = 0; i < calls; ++i) {
        Level3Call c = random_level3(random, routine, most);
        // Updates of real types have no conjugates: the symbols see to that.
        if (!is_complex(c.args.type) && c.args.op_a == Op::ConjTrans) c.args.op_a = Op::Trans;
        Level3Operands x(c, random);
        Level3Args call = x.args();
        EXPECT_EQ(blas::submit(blas::Family::narrow, c.layout, call), 0);
        EXPECT_TRUE(x.check()) << i;
    }
    return testing::internal::GetCapturedStderr();
}

TEST(Dispatch, a_bad_argument_is_told_and_nothing_is_touched) {
    if (ran_in_own_process()) return;
    Level3Args x;  // every pointer is null
    x.routine = Routine::gemm;
    x.type = Type::d;
    x.m = 2, x.n = 3, x.k = 4, x.lda = 2, x.ldb = 4, x.ldc = 1;
    x.alpha = x.beta = {1, 0};
    const auto fault_of = [](Layout layout, Level3Args call) {
        return blas::submit(blas::Family::narrow, layout, call);
    };
    EXPECT_EQ(fault_of(Layout::ColMajor, x), 13);
    x.ldc = 2, x.lda = 1;
    EXPECT_EQ(fault_of(Layout::ColMajor, x), 8);
    // By rows A is 2 x 4: its ld is the second of the transposed call.
    x.lda = 3, x.ldb = 3, x.ldc = 3;
    EXPECT_EQ(fault_of(Layout::RowMajor, x), 10);
    x.lda = 4, x.m = 0;
    EXPECT_EQ(fault_of(Layout::RowMajor, x), 0);
    x.m = 2, x.n = 0;
    EXPECT_EQ(fault_of(Layout::RowMajor, x), 0);
}

TEST(Dispatch, what_is_forced_runs_on_devices_and_the_rest_does_not) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_FORCE_TILED", "syrk,trsm", 1);
    ::setenv("GEMMILL_DEVICES", "cpu:2", 1);
    ::setenv("GEMMILL_VERBOSE", "on", 1);
    EXPECT_NE(said_by_calls(Routine::syrk, 8, 30).find("syrk"), std::string::npos);
    EXPECT_EQ(said_by_calls(Routine::gemm, 8, 30), "");
    EXPECT_NE(said_by_calls(Routine::trsm, 8, 30).find("trsm"), std::string::npos);
    EXPECT_EQ(said_by_calls(Routine::symm, 8, 30), "");
}

TEST(Dispatch, below_the_threshold_no_device_is_opened) {
    if (ran_in_own_process()) return;
    // Opening them would fail, and be said.
    ::setenv("GEMMILL_DEVICES", "cuda:99", 1);
    ::setenv("GEMMILL_REPORT", "1", 1);
    EXPECT_EQ(said_by_calls(Routine::gemm, 4, 30), "");
}

TEST(Dispatch, what_devices_cannot_take_the_host_does_and_says_it_once) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_DEVICES", "cpu:2", 1);
    ::setenv("GEMMILL_THRESHOLD", "0", 1);
    ::setenv("GEMMILL_DEVICE_MEMORY", "1", 1);
    ::setenv("GEMMILL_VERBOSE", "on", 1);
    const std::string said =
        said_by_calls(Routine::gemm, 30, 30) + said_by_calls(Routine::trmm, 5, 9);
    const std::string words = "devices cannot take a call";
    const auto first = said.find(words);
    EXPECT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(words, first + 1), std::string::npos) << said;
}

/// Tiles of 5 would make too many steps. A is twice the identity.
TEST(Dispatch, what_is_forced_and_too_large_to_be_cut_so_small_the_host_does) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_FORCE_TILED", "1", 1);
    ::setenv("GEMMILL_VERBOSE", "on", 1);
    constexpr index_t n = 1000;
    std::vector<double> a(n * n), b(n * n, 6);
    for (index_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 2;
    Level3Args x;
    x.routine = Routine::trsm;
    x.type = Type::d;
    x.m = x.n = x.k = x.lda = x.ldc = n;
    x.alpha = {1, 0};
    x.a = a.data(), x.c = b.data();
    testing::internal::CaptureStderr();
    EXPECT_EQ(blas::submit(blas::Family::narrow, Layout::ColMajor, x), 0);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("devices cannot take a call"), std::string::npos) << said;
    EXPECT_TRUE(std::ranges::all_of(b, [](double value) { return value == 3; }));
}

TEST(Dispatch, devices_that_were_named_and_cannot_be_had_are_said_once) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_DEVICES", "cpu:0", 1);
    ::setenv("GEMMILL_THRESHOLD", "0", 1);
    const std::string said = said_by_calls(Routine::gemm, 20, 30);
    const std::string words = "'cpu:0'; calls go to the host BLAS";
    const auto first = said.find(words);
    EXPECT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(words, first + 1), std::string::npos) << said;
}

TEST(Dispatch, a_host_blas_that_is_not_there_is_said_once_and_the_default_one_is_used) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_HOST_BLAS", "/nonexistent/libblas.so", 1);
    ::setenv("GEMMILL_DEVICES", "cpu:2", 1);
    ::setenv("GEMMILL_THRESHOLD", "1e4", 1);
    const std::string said =
        said_by_calls(Routine::gemm, 20, 30) + said_by_calls(Routine::symm, 20, 30);
    EXPECT_EQ(said.find("gemmill: host_blas: /nonexistent/libblas.so"), 0U) << said;
    EXPECT_NE(said.find("the default one is used\n"), std::string::npos) << said;
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    EXPECT_EQ(host_blas_name().find("OpenBLAS"), 0U);
}

TEST(Dispatch, faults_of_the_environment_leave_calls_to_the_host) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_THRESHOLD", "much", 1);
    const std::string said = said_by_calls(Routine::her2k, 6, 20);
    EXPECT_NE(said.find("threshold"), std::string::npos) << said;
    EXPECT_NE(said.find("calls go to the host BLAS"), std::string::npos) << said;
}

}  // namespace
}  // namespace gemmill::test
