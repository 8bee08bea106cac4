// SPDX-License-Identifier: Apache-2.0
// What a refused call is told: the argument as the caller named it, and what it must be.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "api/check/arguments.hpp"
#include "api/good_call.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemmill.h"
#include "gemmill/gemmill.hpp"

namespace gemmill::test {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

std::string refusal(const Level3Args& x, Layout layout) {
    try {
        refuse(x, layout, first_fault(x));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
        return error.what();
    }
}

TEST(Refusals, are_refused_by_name_with_what_they_must_be) {
    Level3Args x = good(Routine::gemm);
    x.lda = 2;
    EXPECT_NE(refusal(x, Layout::ColMajor).find("gemm: lda is 2"), std::string::npos);
    EXPECT_NE(refusal(x, Layout::ColMajor).find("lda >= 3"), std::string::npos);
    // As the caller of a row-major call named it.
    EXPECT_NE(refusal(x, Layout::RowMajor).find("gemm: ldb is 2"), std::string::npos);
    x = good(Routine::trsm);
    x.m = -4;
    EXPECT_NE(refusal(x, Layout::ColMajor).find("trsm: m is -4"), std::string::npos);
    EXPECT_NE(refusal(x, Layout::RowMajor).find("trsm: n is -4"), std::string::npos);
    // No matrix is so large.
    x = good(Routine::gemm);
    x.lda = std::numeric_limits<index_t>::max();
    EXPECT_NE(refusal(x, Layout::ColMajor).find("gemm: lda is 9223372036854775807"),
              std::string::npos);
    EXPECT_NE(refusal(x, Layout::ColMajor).find("less than 2^63 bytes"), std::string::npos);
    x = good(Routine::herk);
    x.type = Type::z, x.op_a = Op::Trans;
    EXPECT_NE(refusal(x, Layout::ColMajor).find("NoTrans or ConjTrans"), std::string::npos);
}

TEST(Refusals, null_is_refused_only_where_it_is_read_or_written) {
    const auto refused = [](const Level3Args& x) -> std::string {
        try {
            check_pointers(x, Layout::ColMajor);
        } catch (const Error& error) {
            return error.text();
        }
        return "";
    };
    double place = nan;
    Level3Args x = good(Routine::gemm);
    x.alpha = {1, 0};
    EXPECT_EQ(refused(x), "gemm: a is null");
    x.a = &place;
    EXPECT_EQ(refused(x), "gemm: b is null");
    x.b = &place;
    EXPECT_EQ(refused(x), "gemm: c is null");
    x.a = x.b = nullptr, x.alpha = {};
    EXPECT_EQ(refused(x), "gemm: c is null");
    x.n = 0;
    EXPECT_EQ(refused(x), "");
    x = good(Routine::trmm);
    x.alpha = {1, 0}, x.a = &place;
    EXPECT_EQ(refused(x), "trmm: b is null");
}

/// A context, and a block of so many doubles that it allocated.
struct Allocated {
    explicit Allocated(const char* devices, std::size_t doubles)
        : context([&] {
              Options options;
              options.devices = devices;
              return options;
          }()),
          block(static_cast<double*>(context.machine().devices.size() > 1
                                         ? context.allocate(1, doubles * sizeof(double))
                                         : context.allocate_host(doubles * sizeof(double)))) {
        const std::vector<double> zeros(doubles);
        context.copy(block, zeros.data(), doubles * sizeof(double));
    }
    Context context;
    double* block;
};

/// Of f, "" when it does not throw.
std::string text_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
        return error.text();
    }
    return "";
}

TEST(Refusals, a_product_beyond_its_block_is_noticed) {
    for (const char* devices : {"cpu", "cpu:2"}) {
        Allocated x(devices, 20);
        std::vector<double> own(64, 1.0);
        const auto product = [&](Layout layout, index_t m, index_t ld, double* a, double* b,
                                 double* c) {
            return text_of([&] {
                gemm<double>(x.context, layout, Op::NoTrans, Op::NoTrans, m, 4, 4, 1.0, a, ld, b, 4,
                             0.0, c, 5);
            });
        };
        const Layout columns = Layout::ColMajor, rows = Layout::RowMajor;
        double* const mine = own.data();
        EXPECT_EQ(product(columns, 5, 5, x.block, mine, mine + 32), "");
        EXPECT_EQ(product(columns, 5, 6, x.block, mine, mine + 32),
                  "gemm: a is larger (184 bytes) than the memory that it was given");
        EXPECT_EQ(product(columns, 5, 5, x.block + 1, mine, mine + 32),
                  "gemm: a is larger (160 bytes) than the memory that it was given");
        EXPECT_EQ(product(columns, 4, 5, x.block, x.block + 5, mine + 32),
                  "gemm: b is larger (128 bytes) than the memory that it was given");
        EXPECT_EQ(product(columns, 5, 5, mine, mine, x.block + 1),
                  "gemm: c is larger (160 bytes) than the memory that it was given");
        EXPECT_EQ(product(rows, 5, 4, x.block, mine, mine + 32), "");
        EXPECT_EQ(product(rows, 5, 5, x.block, mine, mine + 32),
                  "gemm: a is larger (192 bytes) than the memory that it was given");
        // What is not read may be anywhere.
        EXPECT_EQ(text_of([&] {
                      gemm<double>(x.context, columns, Op::NoTrans, Op::NoTrans, 5, 4, 4, 0.0,
                                   x.block + 19, 5, mine, 4, 0.0, mine + 32, 5);
                  }),
                  "");
        EXPECT_EQ(text_of([&] {
                      syrk<double>(x.context, columns, Uplo::Upper, Op::NoTrans, 4, 4, 1.0, mine, 4,
                                   0.0, x.block + 5, 4);
                  }),
                  "syrk: c is larger (128 bytes) than the memory that it was given");
        EXPECT_EQ(text_of([&] {
                      trsm<double>(x.context, columns, Side::Left, Uplo::Upper, Op::NoTrans,
                                   Diag::Unit, 4, 4, 1.0, mine, 4, x.block + 5, 4);
                  }),
                  "trsm: b is larger (128 bytes) than the memory that it was given");
        x.context.release(x.block);
    }
}

TEST(Refusals, a_copy_beyond_its_block_is_noticed) {
    for (const char* devices : {"cpu", "cpu:2"}) {
        Allocated x(devices, 20);
        std::vector<double> own(64);
        const auto copy = [&](void* to, const void* from, std::size_t bytes) {
            return text_of([&] { x.context.copy(to, from, bytes); });
        };
        EXPECT_EQ(copy(x.block, own.data(), 160), "");
        EXPECT_EQ(copy(x.block, own.data(), 161), "copy: 161 bytes reach beyond the memory at to");
        EXPECT_EQ(copy(own.data(), x.block + 1, 153),
                  "copy: 153 bytes reach beyond the memory at from");
        EXPECT_EQ(copy(x.block, own.data(), std::numeric_limits<std::size_t>::max()),
                  "copy: 18446744073709551615 bytes reach beyond the memory at to");
        EXPECT_EQ(copy(own.data(), nullptr, 1), "copy: from is null");
        EXPECT_EQ(copy(nullptr, nullptr, 0), "");
        // Freed memory is nobody's.
        x.context.release(x.block);
        EXPECT_EQ(copy(own.data() + 1, own.data() + 30, 8), "");
    }
}

/// What 32-bit integers of the host BLAS cannot say, and no memory can hold.
TEST(Refusals, sizes_beyond_memory_on_every_path) {
    const int64_t size = int64_t{1} << 32, longest = std::numeric_limits<int64_t>::max();
    double a[4] = {}, c[4] = {7, 7, 7, 7};
    for (const char* devices : {"cpu", "cpu:2"}) {
        gemmill_context* context = nullptr;
        const char* const name = "devices";
        ASSERT_EQ(gemmill_create_with(&context, &name, &devices, 1), GEMMILL_OK);
        const auto dgemm = [&](int64_t m, int64_t n, int64_t k, int64_t ld) {
            return gemmill_dgemm(context, 'C', 'N', 'N', m, n, k, 1, a, ld, a, ld, 1, c, ld);
        };
        EXPECT_EQ(dgemm(size, size, size, size), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(dgemm(2, 2, 2, longest), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(dgemm(2, 2, 2, longest / 8), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(dgemm(longest, longest, longest, longest), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(
            gemmill_dsymm(context, 'R', 'L', 'U', size, size, 1, a, size, a, size, 1, c, size),
            GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(gemmill_dtrsm(context, 'C', 'R', 'U', 'N', 'N', 2, size, 1, a, size, c, size),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(gemmill_dsyrk(context, 'C', 'U', 'N', size, 1, 1, a, size, 1, c, size),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(c[0], 7);
        gemmill_destroy(context);
    }
}

}  // namespace
}  // namespace gemmill::test
