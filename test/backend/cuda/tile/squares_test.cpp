// SPDX-License-Identifier: Apache-2.0
// How squares at the diagonal are put together from products: on the CPU, with loops in the place
// of cuBLAS and of the kernels.
#include "backend/cuda/tile/squares.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "backend/cuda/tile/local_copy.hpp"
#include "backend/cuda/tile/solve.hpp"
#include "backend/cuda/tile/triangle.hpp"
#include "backend/perform.hpp"
#include "kernel/reference/level3.hpp"
#include "kernel/reference/numbers.hpp"
#include "kernel/reference/reference.hpp"
#include "support/level3_case.hpp"

// There is no GPU: squares must find the scratch that a test gives them.
extern "C" cudaError_t cudaMalloc(void**, std::size_t) { return cudaErrorMemoryAllocation; }
extern "C" cudaError_t cudaGetLastError() { return cudaSuccess; }

namespace gemmill {
namespace {

void copy(Type type, index_t rows, index_t cols, const void* from, index_t ld, void* to,
          index_t to_ld) {
    const auto bytes = static_cast<std::size_t>(rows * bytes_of(type));
    for (index_t j = 0; j < cols; ++j)
        std::memcpy(static_cast<std::byte*>(to) + j * to_ld * bytes_of(type),
                    static_cast<const std::byte*>(from) + j * ld * bytes_of(type), bytes);
}

/// Elements of the triangle and, by the same index, of n x n without gaps.
template <class T>
void each_of_triangle(const KernelArgs& g, const void* x, auto visit) {
    for (index_t j = 0; j < g.n; ++j)
        for (index_t i = 0; i < g.n; ++i)
            if (g.uplo == Uplo::Lower ? i >= j : i <= j)
                visit(static_cast<T*>(g.c)[i + j * g.ldc], static_cast<const T*>(x), i, j);
}

template <class T>
scalar_t<T> kept(const KernelArgs& g, T old) {
    using S = scalar_t<T>;
    return g.beta == Scalar{} ? S(0) : from_scalar<S>(g.beta) * S(old);
}

}  // namespace

int cuda_gemm(GpuBlas*, const GemmArgs& args) {
    reference_gemm(args);
    return 0;
}

int cuda_gemm_row(GpuBlas* blas, const GemmArgs& first, const GemmRow& row) {
    const index_t bytes = bytes_of(first.type);
    GemmArgs next = first;
    for (index_t i = 0; i < row.count; ++i) {
        cuda_gemm(blas, next);
        next.a = static_cast<const std::byte*>(next.a) + row.a * bytes;
        next.b = static_cast<const std::byte*>(next.b) + row.b * bytes;
        next.c = static_cast<std::byte*>(next.c) + row.c * bytes;
    }
    return 0;
}

int cublas_level3(GpuBlas*, const KernelArgs& args) {
    KernelArgs g = args;
    if (g.op == Opcode::trmm && g.b != nullptr)
        copy(g.type, g.m, g.n, std::exchange(g.b, nullptr), g.ldb, g.c, g.ldc);
    reference_level3(host_call(g));
    return 0;
}

cudaError_t local_copy(cudaStream_t, const CopyArgs& args, const BorderArgs&) {
    copy_now(args);
    return cudaSuccess;
}

cudaError_t add_triangles(cudaStream_t, const KernelArgs& args, index_t n, index_t count,
                          const void* x) {
    with_type(args.type, [&]<class T>() {
        KernelArgs g = args;
        g.n = n;
        for (index_t square = 0; square < count; ++square) {
            each_of_triangle<T>(g, static_cast<const T*>(x) + square * n * n,
                                [&](T& c, const T* p, index_t i, index_t j) {
                                    c = T(kept(g, c) + scalar_t<T>(p[i + j * n]));
                                });
            g.c = static_cast<T*>(g.c) + n * (g.ldc + 1);
        }
    });
    return cudaSuccess;
}

cudaError_t fold_triangle(cudaStream_t, const KernelArgs& g, const void* x) {
    with_type(g.type, [&]<class T>() {
        using S = scalar_t<T>;
        const bool hermitian = g.op == Opcode::her2k;
        each_of_triangle<T>(g, x, [&](T& c, const T* p, index_t i, index_t j) {
            const bool real = hermitian && i == j;
            const S image(p[j + i * g.n]);
            const S sum = kept(g, real ? real_part(c) : c) + S(p[i + j * g.n]) +
                          (hermitian ? conjugate(image) : image);
            c = T(real ? real_part(sum) : sum);
        });
    });
    return cudaSuccess;
}

cudaError_t small_gemmt(cudaStream_t, const KernelArgs& args) {
    reference_level3(host_call(args));
    return cudaSuccess;
}
cudaError_t small_trmm(cudaStream_t stream, const KernelArgs& args) {
    return small_gemmt(stream, args);
}

cudaError_t small_trsm(cudaStream_t, const KernelArgs& args) {
    EXPECT_LE(args.side == Side::Left ? args.m : args.n, most_unknowns(args.type));
    reference_level3(host_call(args));
    return cudaSuccess;
}

cudaError_t fill_triangles(cudaStream_t, const KernelArgs& g, index_t n, index_t count, void* x) {
    with_type(g.type, [&]<class T>() {
        const bool unit = g.diag == Diag::Unit;
        for (index_t e = 0; e < count * n * n; ++e) {
            const index_t i = e % n, j = e / n % n, square = e / (n * n);
            const bool has = g.uplo == Uplo::Lower ? i >= j : i <= j;
            const T* const a = static_cast<const T*>(g.a) + square * n * (g.lda + 1);
            static_cast<T*>(x)[e] = i == j && unit ? T(1) : has ? a[i + j * g.lda] : T(0);
        }
    });
    return cudaSuccess;
}

namespace test {
namespace {

Given given_of(const Level3Operands& x) {
    const Binding b = x.binding();
    return {{b.data[0], b.data[1], b.data[2]}, {b.ld[0], b.ld[1], b.ld[2]}, b.alpha, b.beta};
}

class Squares : public ::testing::Test {
  protected:
    Squares() : memory_(std::size_t{64} << 20) {
        blas_.stream = &stream_, blas_.scratch = memory_.data();
        blas_.room.scratch = memory_.size();
    }

    void check(Problem p, Random& random) {
        p.alpha = Factor::general;
        Level3Operands x(p, random);
        const KernelArgs g = kernel_of(call_of(p, given_of(x)));
        const int fault = p.routine == Routine::gemmt  ? square_gemmt(&blas_, g)
                          : p.routine == Routine::trmm ? square_trmm(&blas_, g)
                          : p.routine == Routine::trsm ? square_trsm(&blas_, g)
                          : has_b(p.routine)           ? square_rank_2(&blas_, g)
                                                       : square_rank_1(&blas_, g, 300);
        EXPECT_EQ(fault, 0);
        EXPECT_TRUE(x.check());
    }

    /// The elements of two Cs, as far as sums of p.k terms may differ.
    static bool near(const Problem& p, const std::vector<std::byte>& got,
                     const std::vector<std::byte>& wanted, index_t ld) {
        bool all = true;
        with_type(p.type, [&]<class T>() {
            const auto* const x = reinterpret_cast<const T*>(got.data());
            const auto* const y = reinterpret_cast<const T*>(wanted.data());
            const double bound = 40 * static_cast<double>(p.k + 2) *
                                 (p.type == Type::d || p.type == Type::z ? 0x1p-52 : 0x1p-23);
            for (index_t j = 0; j < p.n; ++j)
                for (index_t i = 0; i < p.m; ++i) {
                    const scalar_t<T> off = scalar_t<T>(x[i + j * ld]) - scalar_t<T>(y[i + j * ld]);
                    all = all && std::abs(off) <= bound;
                }
        });
        return all;
    }

    GpuStream stream_;
    std::vector<std::byte> memory_;
    GpuBlas blas_;
};

TEST_F(Squares, small_ones) {
    Random random(1);
    for (const Routine routine : {Routine::gemmt, Routine::syrk, Routine::herk, Routine::syr2k,
                                  Routine::her2k, Routine::trmm, Routine::trsm})
        for (int i = 0; i < affordable(200) && !HasFailure(); ++i) {
            Problem p = random_level3(random, routine, 30);
            if (p.m > 0 && p.n > 0 && p.k > 0) check(p, random);
        }
}

/// Of several blocks; the largest do not fit the scratch as a whole.
TEST_F(Squares, large_ones) {
    Random random(2);
    for (const Routine routine :
         {Routine::gemmt, Routine::syrk, Routine::herk, Routine::syr2k, Routine::her2k})
        for (const index_t n : {129, 1100, 3100})
            for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
                Problem p = random_level3(random, routine, 30);
                p.uplo = uplo, p.m = p.n = n, p.k = random.between(1, 3);
                check(p, random);
                if (HasFailure()) return;
            }
}

/// More lines than the scratch has room for.
TEST_F(Squares, many_lines_of_trmm) {
    Random random(3);
    for (const Side side : {Side::Left, Side::Right}) {
        Problem p = random_level3(random, Routine::trmm, 30);
        const index_t lines = 540001, edge = 9;
        p.type = Type::z, p.side = side;
        p.m = side == Side::Left ? edge : lines, p.n = side == Side::Left ? lines : edge;
        p.k = edge;
        check(p, random);
    }
}

/// In halves, down to what one kernel solves.
TEST_F(Squares, trsm_of_any_size) {
    Random random(6);
    for (const index_t edge : {63, 64, 65, 127, 128, 129, 257, 300})
        for (int i = 0; i < affordable(16) && !HasFailure(); ++i) {
            Problem p = random_level3(random, Routine::trsm, 30);
            if (i < 2) p.type = i == 0 ? Type::d : Type::z;
            // Of doubles so many are ours.
            const index_t lines = i < 2 ? 4096 : random.between(1, 4);
            p.k = edge;
            p.m = p.side == Side::Left ? edge : lines, p.n = p.side == Side::Left ? lines : edge;
            check(p, random);
        }
}

/// From another matrix into a sum.
TEST_F(Squares, trmm_is_added) {
    Random random(5);
    const auto judged = [&](index_t edge, index_t lines) {
        Problem p = random_level3(random, Routine::trmm, 30);
        p.alpha = p.beta = Factor::general;
        const bool left = p.side == Side::Left;
        p.k = edge, p.m = left ? edge : lines, p.n = left ? lines : edge;
        const Level3Operands x(p, random), from(p, random);
        KernelArgs g = kernel_of(call_of(p, given_of(x)));
        g.b = from.binding().data[2], g.ldb = from.binding().ld[2];
        if (random.chance(50)) g.beta = random.chance(50) ? Scalar{} : Scalar{1, 0};
        const auto bytes = static_cast<std::size_t>(g.ldc * p.n * bytes_of(p.type));
        std::vector<std::byte> got(bytes), wanted(bytes);
        std::memcpy(got.data(), g.c, bytes), std::memcpy(wanted.data(), g.c, bytes);
        g.c = got.data();
        EXPECT_EQ(square_trmm(&blas_, g), 0);
        g.c = wanted.data();
        reference_level3(host_call(g));
        return near(p, got, wanted, g.ldc);
    };
    for (const index_t edge : {1, 20, 64, 65, 255, 256, 300, 700, 1100})
        for (int i = 0; i < affordable(12); ++i) ASSERT_TRUE(judged(edge, random.between(1, 4)));
    blas_.scratch = nullptr;
    EXPECT_TRUE(judged(300, 2));
}

TEST_F(Squares, without_a_scratch) {
    Random random(4);
    blas_.scratch = nullptr;
    for (const Routine routine : {Routine::gemmt, Routine::syr2k, Routine::her2k, Routine::trmm}) {
        Problem p = random_level3(random, routine, 30);
        p.m = p.n = p.k = 150;
        check(p, random);
    }
}

}  // namespace
}  // namespace test
}  // namespace gemmill
