// SPDX-License-Identifier: Apache-2.0
// The drop-in with a GPU that breaks: libgemmill_cuda.so beside this program is a fake one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "api/blas/dispatch.hpp"
#include "base/text.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

constexpr index_t n = 40;

/// C = A B with ones; whether it is right.
bool multiply(double beta) {
    std::vector<double> a(n * n, 1), b(n * n, 1), c(n * n, 3);
    Level3Args x;
    x.routine = Routine::gemm;
    x.type = Type::d;
    x.m = x.n = x.k = n;
    x.lda = x.ldb = x.ldc = n;
    x.alpha = {1, 0}, x.beta = {beta, 0};
    x.a = a.data(), x.b = b.data(), x.c = c.data();
    EXPECT_EQ(blas::submit(blas::Family::narrow, Layout::ColMajor, x), 0);
    return std::ranges::all_of(c, [&](double value) { return value == n + 3 * beta; });
}

void use_the_fake(const char* report) {
    ::setenv("GEMMILL_DEVICES", "cuda:0", 1);
    ::setenv("GEMMILL_MACHINE", "gpu:1(mem=4GB,d=10T) pcie:100GB/s", 1);
    ::setenv("GEMMILL_THRESHOLD", "0", 1);
    if (report != nullptr)
        ::unsetenv("GEMMILL_VERBOSE"), ::setenv("GEMMILL_REPORT", report, 1);
    else
        ::setenv("GEMMILL_VERBOSE", "on", 1);
}

TEST(LostDevice, is_said_once_and_calls_go_on_on_the_host) {
    if (ran_in_own_process()) return;
    use_the_fake(nullptr);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(multiply(0)) << i;
    EXPECT_TRUE(multiply(1));
    const std::string said = testing::internal::GetCapturedStderr();
    const std::string words = "gemmill: a device failed: ";
    const auto first = said.find(words);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(words, first + 1), std::string::npos) << said;
    EXPECT_NE(said.find("calls go to the host BLAS from now on"), std::string::npos) << said;
    EXPECT_LT(said.find("gemmill: dgemm"), first) << "no call was on the device before: " << said;
}

/// C was to be read, and may be half new: BLAS cannot report that, and to go on would be worse.
TEST(LostDeviceDeathTest, in_the_middle_of_a_call_ends_the_program_with_its_text) {
    if (ran_in_own_process()) return;
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            use_the_fake(nullptr);
            for (int i = 0; i < 3; ++i) multiply(1);
        },
        "gemmill: a device failed in the middle of dgemm, whose matrix is spoilt: .*; the program "
        "ends");
}

/// The report is written at exit: by a process of its own.
TEST(LostDevice, is_in_the_report_with_the_calls_that_it_missed) {
    const auto file = std::filesystem::path(testing::TempDir()) / "gemmill_lost_report.txt";
    if (std::getenv("GEMMILL_REPORT") == nullptr) {
        std::filesystem::remove(file);
        use_the_fake(file.c_str());
        run_in_own_process();
        ::unsetenv("GEMMILL_REPORT");
        const std::string text = read_file(file.string());
        EXPECT_NE(text.find("devices failed and were not used again: "), std::string::npos) << text;
        EXPECT_NE(text.find("; 1 call and 3 after that ran on the host"), std::string::npos)
            << text;
        EXPECT_NE(text.find("dgemm    to 64             6         4          2"), std::string::npos)
            << text;
        return;
    }
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(multiply(0)) << i;
}

}  // namespace
}  // namespace gemmill::test
