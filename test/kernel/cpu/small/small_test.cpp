// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/small/small.hpp"

#include <gtest/gtest.h>

#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

GemmArgs args_of(Operands& x) {
    const GemmCase& g = x.problem();
    return {g.type,       g.op_a,     g.op_b,       g.m,        g.n,    g.k,          g.alpha,
            x.a().data(), x.a().ld(), x.b().data(), x.b().ld(), g.beta, x.c().data(), x.c().ld()};
}

void run(GemmCase one, const SmallKernels& kernels, Random& random) {
    one.layout = Layout::ColMajor;
    Operands x(one, random);
    x.allow_roundings(1);
    small_gemm(args_of(x), kernels);
    ASSERT_TRUE(x.check()) << kernels.name;
}

TEST(SmallGemm, every_edge_of_a_tile) {
    Random random(1);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (const Type type : host_types)
            for (index_t m = 1; m <= 50; m += 1 + (m > 34) * 4)
                for (const index_t n : {1, 2, 3, 4, 5, 7, 8, 9}) {
                    GemmCase one;
                    one.type = type;
                    one.m = m, one.n = n, one.k = 3;
                    one.gap = {1, 0, 2};
                    one.alpha = {1.5, is_complex(type) ? 0.5 : 0};
                    one.beta = {m % 2 == 0 ? 0.0 : -0.75, 0};
                    run(one, *kernels, random);
                }
}

TEST(SmallGemm, random_sweep) {
    Random random(2);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (int i = 0; i < affordable(1500); ++i) run(random_case(random, 70), *kernels, random);
}

/// Vectors along rows, along columns and along k, whichever are fuller.
TEST(SmallGemm, thin_results) {
    Random random(5);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (const Type type : host_types)
            for (const Op op_a : all_ops)
                for (const Op op_b : all_ops)
                    for (const auto& [m, n] : {std::pair{1, 1},
                                               {1, 33},
                                               {2, 7},
                                               {3, 50},
                                               {5, 18},
                                               {60, 2},
                                               {37, 1},
                                               {9, 3}})
                        for (const index_t k : {1, 8, 13, 64}) {
                            GemmCase one;
                            one.type = type;
                            one.op_a = op_a, one.op_b = op_b;
                            one.m = m, one.n = n, one.k = k;
                            one.gap = {k % 3, 1, 2};
                            one.alpha = {1.5, is_complex(type) ? 0.5 : 0};
                            one.beta = {k == 8 ? 0.0 : k == 13 ? 1.0 : -0.75, 0};
                            run(one, *kernels, random);
                        }
}

/// Results of few rows whose columns, or whose k, are more than one block.
TEST(SmallGemm, thin_results_in_blocks) {
    Random random(6);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (const Type type : host_types)
            for (const Op op_a : {Op::NoTrans, Op::Trans})
                for (const Op op_b : {Op::NoTrans, Op::Trans}) {
                    GemmCase one;
                    one.type = type;
                    one.op_a = op_a, one.op_b = op_b;
                    one.m = 2, one.n = 601, one.k = 531;
                    one.gap = {1, 2, 3};
                    one.alpha = {0.5, 0}, one.beta = {op_a == op_b ? 0.0 : 2.0, 0};
                    run(one, *kernels, random);
                }
}

TEST(SmallGemm, more_than_one_block) {
    Random random(3);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (const Type type : {Type::d, Type::c, Type::h})
            for (const Op op : all_ops) {
                GemmCase one;
                one.type = type;
                one.op_a = op, one.op_b = op;
                one.m = 101, one.n = 11, one.k = 515;
                one.alpha = {0.5, 0}, one.beta = {2, 0};
                run(one, *kernels, random);
            }
}

/// A, and a transposed B, so large that they are packed.
TEST(SmallGemm, matrices_of_many_pages) {
    Random random(4);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (const Type type : {Type::s, Type::d, Type::c, Type::z})
            for (const Op op_a : all_ops)
                for (const Op op_b : all_ops) {
                    GemmCase one;
                    one.type = type;
                    one.op_a = op_a, one.op_b = op_b;
                    one.m = 17, one.n = 9, one.k = 270;
                    one.gap = {500, 500, 1};
                    one.alpha = {0.5, is_complex(type) ? 0.25 : 0}, one.beta = {2, 0};
                    run(one, *kernels, random);
                }
}

}  // namespace
}  // namespace gemmill::test
