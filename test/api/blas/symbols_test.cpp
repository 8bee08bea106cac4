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

/// A family of names in one of the libraries, and its other spelling where there is one.
struct Family {
    const char* name;
    const char* path;
    bool wide;
    Spelling spelling, other;
};
constexpr Family families[] = {
    {"lp64", GEMMILL_BLAS_LIBRARY, false, {"", "_", ""}, {"", "", ""}},
    {"ilp64", GEMMILL_BLAS64_LIBRARY, true, {"", "_", ""}, {"", "", ""}},
    {"suffixed", GEMMILL_BLAS_LIBRARY, true, {"", "_64_", "64_"}, {"", "64_", "_64"}},
    {"wheel", GEMMILL_BLAS_LIBRARY, false, {"scipy_", "_", ""}, {"scipy_", "_", ""}},
    {"wheel_wide",
     GEMMILL_BLAS64_LIBRARY,
     true,
     {"scipy_", "_64_", "64_"},
     {"scipy_", "_64_", "64_"}}};

/// Calls f with the library of a family.
template <class F>
void with_library(const Family& family, F f, bool other = false) {
    const Spelling spelling = other ? family.other : family.spelling;
    if (family.wide)
        f(Library<std::int64_t>(family.path, spelling));
    else
        f(Library<std::int32_t>(family.path, spelling));
}

/// "dgemm"; gemmt also as netlib calls it.
std::string some_name(const Level3Args& x, Random& random) {
    const bool netlib = x.routine == Routine::gemmt && random.chance(50);
    return Library<int>::plain_name(x) + (netlib ? "r" : "");
}

class Symbols : public ::testing::TestWithParam<Family> {
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
                    const std::string name = some_name(x.args(), random);
                    if (fortran)
                        library.fortran(x.args(), library.fortran_name(name));
                    else
                        library.cblas(c.layout, x.args(), library.c_name(name));
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

/// Names that say their width are in both libraries, so that one serves all of a process.
TEST_P(Symbols, are_there_in_every_spelling_and_for_every_type) {
    for (const char* path : {GEMMILL_BLAS_LIBRARY, GEMMILL_BLAS64_LIBRARY})
        for (const Spelling spelling : {GetParam().spelling, GetParam().other}) {
            const Library<int> library(path, spelling);
            for (const char* routine : {"gemm", "gemmt", "gemmtr", "symm", "hemm", "syrk", "herk",
                                        "syr2k", "her2k", "trmm", "trsm"})
                for (const char letter : std::string(*routine == 'h' ? "cz" : "sdcz")) {
                    const std::string name = letter + std::string(routine);
                    EXPECT_NE(library.find(library.fortran_name(name)), nullptr) << name;
                    EXPECT_NE(library.find(library.c_name(name)), nullptr) << name;
                }
        }
}

TEST_P(Symbols, work_in_the_other_spelling) {
    if (ran_in_own_process()) return;
    with_library(
        GetParam(),
        [](const auto& library) {
            Random random(5);
            for (const Routine routine : all_routines) {
                Level3Call c = random_level3(random, routine, 20);
                c.layout = Layout::ColMajor;
                Level3Operands x(c, random), y(c, random);
                library.fortran(x.args());
                library.cblas(c.layout, y.args());
                EXPECT_TRUE(x.check());
                EXPECT_TRUE(y.check());
            }
        },
        true);
}

/// netlib returns before it looks at them.
TEST_P(Symbols, do_not_read_alpha_and_beta_where_there_is_nothing_to_do) {
    with_library(GetParam(), [](const auto& library) {
        for (const Routine routine : all_routines) {
            Level3Args x;
            x.routine = routine;
            x.type = Type::z;
            x.op_a = routine == Routine::herk || routine == Routine::her2k ? Op::NoTrans : x.op_a;
            x.lda = x.ldb = x.ldc = 5;
            x.k = 3;
            library.without_factors(x);
        }
    });
}

void call_from_threads(const Family& family) {
    with_library(family, [](const auto& library) {
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

/// Threads of devices run the library's code: it stays until the process ends.
TEST_P(Symbols, the_library_may_be_closed_and_opened_again) {
    if (ran_in_own_process()) return;
    ::setenv("GEMMILL_FORCE_TILED", planned, 1);
    ::setenv("GEMMILL_DEVICES", "cpu:2", 1);
    for (int i = 0; i < 100; ++i)
        with_library(GetParam(), [](const auto& library) { ASSERT_TRUE(is_right(library, 1)); });
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

/// The line that is said where the program has no handler: as everybody writes it, and no crash.
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
        EXPECT_EQ(said([&] { library.fortran(x); }),
                  " ** On entry to DTRSM  parameter number 5 had an illegal value\n");
        EXPECT_EQ(said([&] { library.cblas(Layout::ColMajor, x); }),
                  " ** On entry to cblas_dtrsm parameter number 6 had an illegal value\n");
        EXPECT_EQ(said([&] { library.cblas(Layout::RowMajor, x); }),
                  " ** On entry to cblas_dtrsm parameter number 6 had an illegal value\n");
        x.routine = Routine::gemmt;
        x.n = -1;
        EXPECT_EQ(said([&] { library.fortran(x, library.fortran_name("dgemmtr")); }),
                  " ** On entry to DGEMMTR parameter number 4 had an illegal value\n");
    });
}

TEST_P(Symbols, hold_no_handler_of_bad_arguments) {
    with_library(GetParam(), [](const auto& library) {
        EXPECT_EQ(library.find(library.fortran_name("xerbla")), nullptr);
        EXPECT_EQ(library.find(library.c_name("xerbla")), nullptr);
    });
}

INSTANTIATE_TEST_SUITE_P(, Symbols, ::testing::ValuesIn(families),
                         [](const auto& family) { return std::string(family.param.name); });

}  // namespace
}  // namespace gemmill::test
