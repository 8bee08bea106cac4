// SPDX-License-Identifier: Apache-2.0
// Any one allocation of a call may fail, in whatever thread: an error comes out, every element of C
// is old or right, and the context goes on. Nothing ends the process, and nothing hangs.
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <vector>

#include "gemmill/gemmill.h"
#include "gemmill/gemmill.hpp"
#include "support/failing_new.hpp"
#include "support/random.hpp"

namespace gemmill::test {
namespace {

/// Calls f with one allocation after the other failing, `step` apart, until none fails any more; f
/// may throw Error or std::bad_alloc, and `after` looks at what is left.
template <class F, class After>
void with_failures(int step, bool all, F f, After after) {
    for (int first = 0;; first += step * slowdown) {
        bool failed = false;
        try {
            const FailingNew failing(first, all);
            try {
                f();
            } catch (...) {
                failed = FailingNew::failed();
                throw;
            }
            failed = FailingNew::failed();
        } catch (const Error&) {
        } catch (const std::bad_alloc&) {
        }
        after(failed);
        if (!failed || ::testing::Test::HasFailure()) return;
    }
}

Options small_tiles(const char* devices) {
    Options options;
    options.devices = devices;
    options.tile = 10;
    options.search = "0s";
    return options;
}

constexpr index_t n = 24;
constexpr int opening = 13;  // a context takes milliseconds to make

/// C = A B + C with ones.
struct Ones {
    std::vector<double> a = std::vector<double>(n * n, 1.0), c = std::vector<double>(n * n, 5.0);

    void gemm_on(Context& context) {
        gemm<double>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n, 1.0, a.data(), n,
                     a.data(), n, 1.0, c.data(), n);
    }
    bool old_or_right() const {
        return std::ranges::all_of(c, [](double x) { return x == 5 || x == 5 + n; });
    }
    bool right() const {
        return std::ranges::all_of(c, [](double x) { return x == 5 + n; });
    }
    void reset() { std::ranges::fill(c, 5.0); }
};

class OutOfMemory : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, OutOfMemory, ::testing::Bool(),
                         [](const auto& all) { return all.param ? "and_all_later" : "once"; });

TEST_P(OutOfMemory, products_on_devices) {
    Context context(small_tiles("cpu:2"));
    Ones x;
    with_failures(
        1, GetParam(), [&] { x.gemm_on(context); },
        [&](bool failed) {
            EXPECT_TRUE(failed ? x.old_or_right() : x.right());
            x.reset();
        });
    x.gemm_on(context);
    EXPECT_TRUE(x.right());
}

TEST_P(OutOfMemory, products_whose_plan_is_new) {
    Options options = small_tiles("cpu:2");
    options.plan_cache = 0;
    Context context(options);
    Ones x;
    with_failures(
        1, GetParam(), [&] { x.gemm_on(context); },
        [&](bool failed) {
            EXPECT_TRUE(failed ? x.old_or_right() : x.right());
            x.reset();
        });
}

TEST_P(OutOfMemory, contexts) {
    for (const char* devices : {"cpu", "cpu:2"})
        with_failures(
            opening, GetParam(),
            [&] {
                Context context(small_tiles(devices));
                Ones x;
                x.gemm_on(context);
            },
            [](bool) {});
}

TEST_P(OutOfMemory, batches) {
    Options options = small_tiles("cpu");
    options.threads = 3;
    Context context(options);
    std::vector<double> a(4000, 1.0), c(4000, 5.0);
    std::vector<const double*> in;
    std::vector<double*> out;
    for (std::size_t i = 0; i < 1000; ++i) in.push_back(&a[4 * i]), out.push_back(&c[4 * i]);
    with_failures(
        1, GetParam(),
        [&] {
            gemm_pointers<double>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, 2, 2, 2, 1.0,
                                  in.data(), 2, in.data(), 2, 1.0, out.data(), 2, 1000, {true, {}});
        },
        [&](bool) {
            EXPECT_TRUE(std::ranges::all_of(c, [](double x) { return x == 5 || x == 7; }));
            std::ranges::fill(c, 5.0);
        });
}

TEST_P(OutOfMemory, codes_of_the_c_interface) {
    with_failures(
        opening, GetParam(),
        [&] {
            const char* const names[] = {"devices", "tile"};
            const char* const values[] = {"cpu:2", "10"};
            gemmill_context* context = nullptr;
            void* block = nullptr;
            Ones x;
            const gemmill_code codes[] = {
                gemmill_create_with(&context, names, values, 2),
                gemmill_allocate(context, 0, 64, &block),
                gemmill_dgemm(context, 'C', 'N', 'N', n, n, n, 1, x.a.data(), n, x.a.data(), n, 1,
                              x.c.data(), n)};
            for (const gemmill_code code : codes)
                EXPECT_TRUE(code == GEMMILL_OK || code == GEMMILL_OUT_OF_MEMORY ||
                            code == GEMMILL_FAILED_STEP || code == GEMMILL_NO_DEVICE)
                    << code << ": " << gemmill_message();
            gemmill_destroy(context);
        },
        [](bool) {});
}

}  // namespace
}  // namespace gemmill::test
