// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/host_thin.hpp"

#include <gtest/gtest.h>

#include "kernel/cpu/host/host_blas.hpp"
#include "kernel/cpu/host/host_level3.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

/// A library that says how many threads it has and must not be called.
HostLibrary library_of(int (*threads)()) {
    HostLibrary library;
    library.threads = threads;
    return library;
}

GemmCase thin_case() {
    GemmCase one;
    one.m = 300, one.n = 450, one.k = 5;
    one.gap = {0, 1, 3};
    one.alpha = {-1.5, 0}, one.beta = {0.5, 0};
    return one;
}

GemmArgs args_of(Operands& x) {
    const GemmCase& g = x.problem();
    return {g.type,       g.op_a,     g.op_b,       g.m,        g.n,    g.k,          g.alpha,
            x.a().data(), x.a().ld(), x.b().data(), x.b().ld(), g.beta, x.c().data(), x.c().ld()};
}

bool has_vectors() { return small_kernel_sets().front()->bytes >= 32; }

TEST(HostThin, stands_in_for_one_thread) {
    if (!has_vectors()) GTEST_SKIP() << "for CPUs with AVX2";
    Random random(1);
    const HostLibrary library = library_of([] { return 1; });
    Operands x(thin_case(), random);
    host_gemm(args_of(x), library);
    EXPECT_TRUE(x.check());
    x.reset();
    const GemmArgs g = args_of(x);
    Level3Args call;
    call.routine = Routine::gemm;
    call.m = g.m, call.n = g.n, call.k = g.k;
    call.alpha = g.alpha, call.beta = g.beta;
    call.a = g.a, call.lda = g.lda;
    call.b = g.b, call.ldb = g.ldb;
    call.c = g.c, call.ldc = g.ldc;
    host_level3(call, library);
    EXPECT_TRUE(x.check());
}

TEST(HostThin, leaves_the_rest_to_the_library) {
    Random random(2);
    Operands x(thin_case(), random);
    EXPECT_FALSE(made_thin(args_of(x), library_of([] { return 2; })));
    EXPECT_FALSE(made_thin(args_of(x), library_of(nullptr))) << "nobody knows its threads";
    EXPECT_TRUE(x.old({2, 0, 0, 300, 450}));
}

}  // namespace
}  // namespace gemmill::test
