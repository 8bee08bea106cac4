// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/host_room.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "kernel/cpu/host/host_library.hpp"
#include "support/few_threads.hpp"
#include "support/own_process.hpp"
#include "support/random.hpp"

namespace gemmill::test {
namespace {

/// As long as it lives, so many bytes beside what the process has now.
class LimitedSpace {
  public:
    explicit LimitedSpace(long more) {
        long pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
        const rlimit limit{static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + more),
                           before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
    }
    ~LimitedSpace() { ::setrlimit(RLIMIT_AS, &before_); }
    LimitedSpace(const LimitedSpace&) = delete;
    LimitedSpace& operator=(const LimitedSpace&) = delete;

  private:
    rlimit before_{};
};

/// Sanitizers need more address space than any limit leaves.
constexpr bool can_limit = slowdown == 1;

TEST(HostRoom, is_for_all_without_a_limit) { EXPECT_EQ(host_threads_with_room(4), 4); }

TEST(HostRoom, is_counted_in_buffers) {
    if (!can_limit) GTEST_SKIP() << "a sanitizer";
    {
        const LimitedSpace limit(3 * host_buffer + host_buffer / 2);
        EXPECT_EQ(host_threads_with_room(8), 2);
        EXPECT_EQ(host_threads_with_room(1), 1);
    }
    const LimitedSpace limit(host_buffer / 2);
    EXPECT_EQ(host_threads_with_room(8), 0);
}

TEST(HostRoom, threads_that_can_be_made) {
    EXPECT_EQ(host_threads_to_be_had(4), 4);
    EXPECT_EQ(host_threads_to_be_had(1), 1);
    const FewThreads few(2);
    EXPECT_EQ(host_threads_to_be_had(8), 3);
    EXPECT_EQ(host_threads_to_be_had(8), 1);
}

/// OpenBLAS would end the process.
TEST(HostRoom, a_library_is_opened_without_threads) {
    if (host_library().find(Routine::gemm, Type::d) != nullptr) return run_in_own_process();
    const FewThreads none(0);
    open_host_blas("");
    EXPECT_EQ(host_blas_threads(), 1);
}

/// OpenBLAS would wait for its buffers without end, at the latest when the process exits.
TEST(HostRoom, a_library_that_finds_none_is_not_opened) {
    if (!can_limit) GTEST_SKIP() << "a sanitizer";
    if (host_library().find(Routine::gemm, Type::d) != nullptr) return run_in_own_process();
    const LimitedSpace limit(host_buffer);
    try {
        open_host_blas("");
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
        EXPECT_NE(error.text().find("address space"), std::string::npos) << error.what();
    }
    EXPECT_EQ(std::getenv("OPENBLAS_NUM_THREADS"), nullptr);
}

/// Limits are read once, so the process sets its own before the first call.
void multiply_ones(index_t n) {
    const std::vector<double> a(static_cast<std::size_t>(n * n), 1);
    std::vector<double> c(a.size(), 2);
    GemmArgs x;
    x.type = Type::d;
    x.m = x.n = x.k = x.lda = x.ldb = x.ldc = n;
    x.alpha = x.beta = {1, 0};
    x.a = x.b = a.data(), x.c = c.data();
    host_gemm(x);
    EXPECT_TRUE(std::ranges::all_of(c, [&](double y) { return y == static_cast<double>(n) + 2; }));
}

/// OpenBLAS would wait without end for a buffer that a second caller cannot get.
TEST(HostRoom, calls_take_turns_where_buffers_are_few) {
    if (!can_limit) GTEST_SKIP() << "a sanitizer";
    if (host_library().find(Routine::gemm, Type::d) != nullptr) return run_in_own_process();
    ::mallopt(M_ARENA_MAX, 1);  // each one takes address space
    const LimitedSpace limit(4 * host_buffer);
    open_host_blas("");
    std::vector<std::jthread> callers;
    for (int i = 0; i < 6; ++i) callers.emplace_back([] { multiply_ones(400); });
}

TEST(HostRoom, a_call_without_any_buffer_is_made_by_loops) {
    if (!can_limit) GTEST_SKIP() << "a sanitizer";
    if (host_library().find(Routine::gemm, Type::d) != nullptr) return run_in_own_process();
    open_host_blas("");
    const LimitedSpace limit(host_buffer / 2);
    multiply_ones(100);
}

}  // namespace
}  // namespace gemmill::test
