// SPDX-License-Identifier: Apache-2.0
// Every BLAS symbol, both widths of integers, against the loops; from several threads; in children.
// The library reads its options once, so that each test has a process of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "api/blas/library.hpp"
#include "support/level3_call.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

// Routines that are forced on devices: all.
constexpr const char* planned = "1";

struct Width {
    const char* name;
    const char* path;
    bool wide;
};
constexpr Width widths[] = {{"lp64", GEMMILL_BLAS_LIBRARY, false},
                            {"ilp64", GEMMILL_BLAS64_LIBRARY, true}};

/// Calls f with the library of a width.
template <class F>
void with_library(const Width& width, F f) {
    if (width.wide)
        f(Library<std::int64_t>(width.path));
    else
        f(Library<std::int32_t>(width.path));
}

class Symbols : public ::testing::TestWithParam<Width> {
  protected:
    static void sweep(int cases, std::uint64_t seed) {
        with_library(GetParam(), [&](const auto& library) {
            for (const Routine routine : all_routines) {
                Random random(seed + static_cast<std::uint64_t>(routine));
                for (int i = 0; i < affordable(cases); ++i) {
                    Level3Call c = random_level3(random, routine, 30);
                    const bool fortran = random.chance(50);
                    if (fortran) c.layout = Layout::ColMajor;
                    Level3Operands x(c, random);
                    if (fortran)
                        library.fortran(x.args(), random.chance(50) ? "_" : "");
                    else
                        library.cblas(c.layout, x.args());
                    ASSERT_TRUE(x.check()) << (fortran ? "fortran" : "cblas") << " case " << i;
                }
            }
        });
    }
};

TEST_P(Symbols, agree_with_the_loops) {
    if (ran_in_own_process()) return;
    sweep(400, 1);
}

TEST_P(Symbols, agree_with_the_loops_when_cut_into_tiles) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_FORCE_TILED", planned, 1);
    ::setenv("GEMMILL_DEVICES", "cpu:3", 1);
    ::setenv("GEMMILL_VALIDATE", "on", 1);
    sweep(100, 1000);
}

/// Other libraries' spellings of the same routines.
TEST_P(Symbols, have_suffixed_names_where_integers_have_64_bits) {
    with_library(GetParam(), [](const auto& library) {
        for (const Routine routine : all_routines) {
            Level3Call c;
            c.args.routine = routine;
            c.args.type = Type::z;
            const std::string name = library.plain_name(c.args);
            for (const std::string& other :
                 {name + "_64_", name + "64_", "cblas_" + name + "_64", "cblas_" + name + "64_"})
                EXPECT_EQ(library.find(other) != nullptr, GetParam().wide) << other;
            EXPECT_NE(library.find(name + "_"), nullptr);
        }
        if (!GetParam().wide) return;
        Random random(5);
        Level3Operands x(random_level3(random, Routine::symm, 20), random);
        library.cblas(x.call().layout, x.args(), "64_");
        EXPECT_TRUE(x.check());
    });
}

void call_from_threads(const Width& width) {
    with_library(width, [](const auto& library) {
        std::vector<std::thread> threads;
        std::atomic<int> wrong = 0;
        for (std::uint64_t t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                Random random(t);
                for (int i = 0; i < affordable(60); ++i) {
                    const Routine routine = i % 2 == 0 ? Routine::gemm : random.pick(all_routines);
                    Level3Operands x(random_level3(random, routine, 40), random);
                    library.cblas(x.call().layout, x.args());
                    wrong += x.check() ? 0 : 1;
                }
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(wrong, 0);
    });
}

TEST_P(Symbols, may_be_called_from_several_threads) {
    if (ran_in_own_process()) return;
    call_from_threads(GetParam());
}

TEST_P(Symbols, may_be_called_from_several_threads_when_cut_into_tiles) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_FORCE_TILED", planned, 1);
    call_from_threads(GetParam());
}

// The thread sanitizer ends a child that starts threads, as a host BLAS may.
#if defined(__SANITIZE_THREAD__)
constexpr bool children_may_call = false;
#else
constexpr bool children_may_call = true;
#endif

/// The status of a child that runs f; 0 when f returned true.
template <class F>
int status_of_child(F f) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);
        ::_exit(f() ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

template <class L>
bool is_right(const L& library, std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 5; ++i) {
        Level3Operands x(random_level3(random, Routine::gemm, 40), random);
        library.cblas(x.call().layout, x.args());
        if (!x.check()) return false;
    }
    return true;
}

TEST_P(Symbols, work_in_the_child_of_a_fork) {
    if (ran_in_own_process()) return;
    if (!children_may_call) GTEST_SKIP() << "not under the thread sanitizer";
    with_library(GetParam(), [](const auto& library) {
        EXPECT_EQ(status_of_child([&] { return is_right(library, 1); }), 0);
        EXPECT_TRUE(is_right(library, 2));
        EXPECT_EQ(status_of_child([&] { return is_right(library, 3); }), 0);
        // And in the child of the child, whether or not there was a call between.
        EXPECT_EQ(status_of_child([&] {
                      return status_of_child([&] { return is_right(library, 4); }) == 0 &&
                             is_right(library, 5);
                  }),
                  0);
    });
}

/// The threads of the devices are not in the child: it must not wait for them.
TEST_P(Symbols, work_in_the_child_of_a_fork_when_the_parent_uses_devices) {
    if (ran_in_own_process()) return;
    if (!children_may_call) GTEST_SKIP() << "not under the thread sanitizer";
    ::setenv("GEMMILL_FORCE_TILED", planned, 1);
    ::setenv("GEMMILL_VERBOSE", "on", 1);
    with_library(GetParam(), [](const auto& library) {
        testing::internal::CaptureStderr();
        EXPECT_TRUE(is_right(library, 1));
        EXPECT_EQ(status_of_child([&] { return is_right(library, 2) && is_right(library, 3); }), 0);
        EXPECT_TRUE(is_right(library, 4));
        const std::string said = testing::internal::GetCapturedStderr();
        const std::string words = "the child of a process that uses devices";
        const auto first = said.find(words);
        EXPECT_NE(first, std::string::npos) << said;
        EXPECT_EQ(said.find(words, first + 1), std::string::npos) << said;
    });
}

/// The library's own report of a bad argument: one line, as everybody writes it, and no crash.
TEST_P(Symbols, report_bad_arguments) {
    with_library(GetParam(), [](const auto& library) {
        Level3Args x;
        x.routine = Routine::trsm;
        x.type = Type::d;
        x.m = -1, x.n = 2, x.lda = x.ldc = 2;
        const auto said = [&](auto call) {
            testing::internal::CaptureStderr();
            call();
            return testing::internal::GetCapturedStderr();
        };
        EXPECT_EQ(said([&] { library.fortran(x, "_"); }),
                  " ** On entry to DTRSM  parameter number 5 had an illegal value\n");
        EXPECT_EQ(said([&] { library.cblas(Layout::ColMajor, x); }),
                  " ** On entry to cblas_dtrsm parameter number 6 had an illegal value\n");
        EXPECT_EQ(said([&] { library.cblas(Layout::RowMajor, x); }),
                  " ** On entry to cblas_dtrsm parameter number 6 had an illegal value\n");
        x.routine = Routine::gemm;
        x.m = x.k = 2, x.ldb = 1;
        EXPECT_EQ(said([&] { library.cblas(Layout::RowMajor, x); }),
                  " ** On entry to cblas_dgemm parameter number 11 had an illegal value\n");
        // Flags stand where the caller put them in either layout.
        x.op_b = static_cast<Op>('?');
        EXPECT_EQ(said([&] { library.cblas(Layout::RowMajor, x); }),
                  " ** On entry to cblas_dgemm parameter number 3 had an illegal value\n");
        x.routine = Routine::gemmt;
        EXPECT_EQ(said([&] { library.cblas(Layout::RowMajor, x); }),
                  " ** On entry to cblas_dgemmt parameter number 4 had an illegal value\n");
        x.op_b = Op::NoTrans, x.ldb = 2, x.lda = 1;
        EXPECT_EQ(said([&] { library.cblas(Layout::RowMajor, x); }),
                  " ** On entry to cblas_dgemmt parameter number 9 had an illegal value\n");
    });
}

INSTANTIATE_TEST_SUITE_P(, Symbols, ::testing::ValuesIn(widths),
                         [](const auto& width) { return std::string(width.param.name); });

}  // namespace
}  // namespace gemmill::test
