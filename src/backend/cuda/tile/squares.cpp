// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/tile/squares.hpp"

#include <algorithm>
#include <utility>

#include "backend/cuda/tile/local_copy.hpp"
#include "backend/cuda/tile/solve.hpp"
#include "backend/cuda/tile/triangle.hpp"
#include "base/routine.hpp"
#include "plan/ops.hpp"

namespace gemmill {
namespace {

constexpr index_t leaf = 512;  // rows of the largest square that the scratch must hold

/// Memory for copies and sums, or nothing.
void* scratch_of(GpuBlas* blas, Type type) {
    if (blas->scratch_bytes() < leaf * leaf * bytes_of(type)) return nullptr;
    if (blas->scratch == nullptr && cudaMalloc(&blas->scratch, blas->room.scratch) != cudaSuccess) {
        cudaGetLastError();
        blas->scratch = nullptr;
    }
    return blas->scratch;
}

// --- gemmt --------------------------------------------------------------------------------------
//
//   +---+
//   |0 \|                 Blocks of one size, from the diagonal outwards: all 1 in one call, then
//   +---+---+             all 2. Squares at the diagonal, 0, are made whole in the scratch; of
//   | 1 |0 \|             these the triangle is added.
//   +---+---+---+
//   |   2   |0 \|
//   |       +---+---+
//   |       | 1 |0 \|
//   +-------+---+---+

/// How far row i or column i of op(X) is from its first one, in elements.
index_t row_at(Op op, index_t ld, index_t i) { return op == Op::NoTrans ? i : i * ld; }
index_t col_at(Op op, index_t ld, index_t i) { return op == Op::NoTrans ? i * ld : i; }

const void* moved(const void* x, index_t elements, Type type) {
    return static_cast<const std::byte*>(x) + elements * bytes_of(type);
}
void* moved(void* x, index_t elements, Type type) {
    return static_cast<std::byte*>(x) + elements * bytes_of(type);
}

/// The product of some rows and columns.
GemmArgs block_of(const KernelArgs& g, index_t row, index_t col, index_t rows, index_t cols) {
    GemmArgs block;
    block.type = g.type;
    block.op_a = g.op_a, block.op_b = g.op_b;
    block.m = rows, block.n = cols, block.k = g.k;
    block.alpha = g.alpha, block.beta = g.beta;
    block.a = moved(g.a, row_at(g.op_a, g.lda, row), g.type), block.lda = g.lda;
    block.b = moved(g.b, col_at(g.op_b, g.ldb, col), g.type), block.ldb = g.ldb;
    block.c = moved(g.c, row + col * g.ldc, g.type), block.ldc = g.ldc;
    return block;
}

/// From a block to the one that lies so much further down the diagonal.
GemmRow row_of(const KernelArgs& g, index_t step, index_t count) {
    return {row_at(g.op_a, g.lda, step), col_at(g.op_b, g.ldb, step), step * (g.ldc + 1), count};
}

/// The blocks of one size; the last may be cut short.
int blocks_of_gemmt(GpuBlas* blas, const KernelArgs& g, index_t size) {
    const auto block = [&](index_t from, index_t to, index_t count) {
        return g.uplo == Uplo::Lower ? block_of(g, to, from, count, size)
                                     : block_of(g, from, to, size, count);
    };
    const index_t whole = g.n / (2 * size), from = 2 * size * whole, to = from + size;
    if (const int fault = cuda_gemm_row(blas, block(0, size, size), row_of(g, 2 * size, whole)))
        return fault;
    return to < g.n ? cuda_gemm(blas, block(from, to, g.n - to)) : 0;
}

/// Squares of one size at the diagonal from `first` on.
int squares_of_gemmt(GpuBlas* blas, const KernelArgs& g, index_t first, index_t size,
                     index_t count) {
    if (count == 0) return 0;
    GemmArgs sums = block_of(g, first, first, size, size);
    KernelArgs part = g;
    part.c = sums.c;
    sums.beta = {};
    sums.c = blas->scratch, sums.ldc = size;
    GemmRow row = row_of(g, size, count);
    row.c = size * size;
    if (const int fault = cuda_gemm_row(blas, sums, row)) return fault;
    return code_of(add_triangles(blas->stream->stream, part, size, count, blas->scratch));
}

}  // namespace

int square_gemmt(GpuBlas* blas, const KernelArgs& g) {
    constexpr index_t small = 64;
    if (g.n <= small || scratch_of(blas, g.type) == nullptr)
        return code_of(small_gemmt(blas->stream->stream, g));
    for (index_t size = leaf; size < g.n; size *= 2)
        if (const int fault = blocks_of_gemmt(blas, g, size)) return fault;
    const index_t most = blas->scratch_bytes() / (leaf * leaf * bytes_of(g.type));
    const index_t whole = g.n / leaf;
    for (index_t i = 0; i < whole; i += most)
        if (const int fault = squares_of_gemmt(blas, g, i * leaf, leaf, std::min(most, whole - i)))
            return fault;
    const index_t rest = g.n - whole * leaf;
    return squares_of_gemmt(blas, g, whole * leaf, rest, rest > 0 ? 1 : 0);
}

namespace {

// --- rank-2 updates -----------------------------------------------------------------------------
//
// A square at the diagonal is X + X' + beta C with X = alpha A B', which is one plain product and
// has no more flops than the update itself. Larger ones are halved until X fits the scratch.

/// The block of C at (row, col), which lies off the diagonal.
int block_of_rank_2(GpuBlas* blas, const KernelArgs& g, index_t row, index_t col, index_t rows,
                    index_t cols) {
    if (const int fault = cuda_gemm(blas, block_of(g, row, col, rows, cols))) return fault;
    KernelArgs second = g;
    std::swap(second.a, second.b), std::swap(second.lda, second.ldb);
    if (is_hermitian(g.op)) second.alpha.im = -g.alpha.im;
    second.beta = {1, 0};
    return cuda_gemm(blas, block_of(second, row, col, rows, cols));
}

/// The first of two parts of a square, in whole blocks.
index_t half_of(index_t n) {
    constexpr index_t block = 256;
    return (n / 2 + block - 1) / block * block;
}

/// Rows `first` and so many more at the diagonal.
int square_of_rank_2(GpuBlas* blas, const KernelArgs& g, index_t first, index_t n) {
    if (n * n * bytes_of(g.type) > blas->scratch_bytes()) {
        const index_t half = half_of(n), second = first + half;
        const bool lower = g.uplo == Uplo::Lower;
        if (const int fault = square_of_rank_2(blas, g, first, half)) return fault;
        if (const int fault = square_of_rank_2(blas, g, second, n - half)) return fault;
        return lower ? block_of_rank_2(blas, g, second, first, n - half, half)
                     : block_of_rank_2(blas, g, first, second, half, n - half);
    }
    GemmArgs product = block_of(g, first, first, n, n);
    KernelArgs part = g;
    part.c = product.c, part.n = n;
    product.beta = {};
    product.c = blas->scratch, product.ldc = n;
    if (const int fault = cuda_gemm(blas, product)) return fault;
    return code_of(fold_triangle(blas->stream->stream, part, blas->scratch));
}

}  // namespace

int square_rank_2(GpuBlas* blas, KernelArgs g) {
    constexpr index_t small = 128;
    if (g.n <= small || scratch_of(blas, g.type) == nullptr) return cublas_level3(blas, g);
    g.op_b = second_op(g.op, g.op_a);
    return square_of_rank_2(blas, g, 0, g.n);
}

// --- syrk, herk ---------------------------------------------------------------------------------

/// cuBLAS has 58 TFLOP/s with up to 8192 rows on an H200, as with plain products, and 53 with
/// 16384.
int square_rank_1(GpuBlas* blas, KernelArgs g, index_t large) {
    if (g.n <= large) return cublas_level3(blas, g);
    const index_t half = half_of(g.n), rest = g.n - half;
    KernelArgs first = g, second = g;
    first.m = first.n = half, second.m = second.n = rest;
    second.a = moved(g.a, row_at(g.op_a, g.lda, half), g.type);
    second.c = moved(g.c, half * (g.ldc + 1), g.type);
    if (const int fault = square_rank_1(blas, first, large)) return fault;
    if (const int fault = square_rank_1(blas, second, large)) return fault;
    g.b = g.a, g.ldb = g.lda, g.op_b = second_op(g.op, g.op_a);
    return cuda_gemm(blas, g.uplo == Uplo::Lower ? block_of(g, half, 0, rest, half)
                                                 : block_of(g, 0, half, half, rest));
}

namespace {

// --- trmm ---------------------------------------------------------------------------------------

/// The part of trmm that takes squares at A's diagonal, or what lies between two of them: lines
/// `from` of B go into lines `to` of C, rows or columns by side.
GemmArgs lines_of_trmm(const KernelArgs& g, Span from, Span to) {
    const bool left = g.side == Side::Left;
    GemmArgs product;
    product.type = g.type;
    product.m = left ? to.count : g.m, product.n = left ? g.n : to.count;
    product.k = from.count;
    product.alpha = g.alpha, product.beta = {1, 0};
    (left ? product.op_a : product.op_b) = g.op_a;
    const void* lines = moved(g.b, left ? from.first : from.first * g.ldb, g.type);
    (left ? product.b : product.a) = lines, (left ? product.ldb : product.lda) = g.ldb;
    product.c = moved(g.c, left ? to.first : to.first * g.ldc, g.type), product.ldc = g.ldc;
    return product;
}
void set_triangular(const KernelArgs& g, GemmArgs& product, const void* a, index_t lda) {
    const bool left = g.side == Side::Left;
    (left ? product.a : product.b) = a, (left ? product.lda : product.ldb) = lda;
}

/// From one product to the one that lies so much further down the diagonal; a: how far that is in
/// A.
GemmRow row_of_trmm(const KernelArgs& g, index_t a, index_t step, index_t count) {
    const bool left = g.side == Side::Left;
    const index_t lines = left ? step : step * g.ldb;
    return {left ? a : lines, left ? lines : a, left ? step : step * g.ldc, count};
}

/// What lies between neighbours of one size; the last may be cut short.
int blocks_of_trmm(GpuBlas* blas, const KernelArgs& g, index_t edge, index_t size) {
    const bool down = goes_forward(g.side, g.uplo, g.op_a);
    const auto block = [&](index_t at, index_t count) {
        const Span first{at, size}, second{at + size, count};
        GemmArgs product = lines_of_trmm(g, down ? first : second, down ? second : first);
        const index_t row = g.uplo == Uplo::Lower ? at + size : at, col = 2 * at + size - row;
        set_triangular(g, product, moved(g.a, row + col * g.lda, g.type), g.lda);
        return product;
    };
    const index_t whole = edge / (2 * size), at = 2 * size * whole, rest = edge - at - size;
    const GemmRow row = row_of_trmm(g, 2 * size * (g.lda + 1), 2 * size, whole);
    if (const int fault = cuda_gemm_row(blas, block(0, size), row)) return fault;
    return rest > 0 ? cuda_gemm(blas, block(at, rest)) : 0;
}

/// Squares of one size at the diagonal from `first` on.
int squares_of_trmm(GpuBlas* blas, const KernelArgs& g, index_t first, index_t size,
                    index_t count) {
    if (count == 0) return 0;
    KernelArgs part = g;
    part.a = moved(g.a, first * (g.lda + 1), g.type);
    const auto error = fill_triangles(blas->stream->stream, part, size, count, blas->scratch);
    if (error != cudaSuccess) return code_of(error);
    GemmArgs product = lines_of_trmm(g, {first, size}, {first, size});
    product.beta = g.beta;
    set_triangular(g, product, blas->scratch, size);
    return cuda_gemm_row(blas, product, row_of_trmm(g, size * size, size, count));
}

/// C = alpha op(A) B + beta C, as with gemmt from the diagonal outwards: squares there are made
/// whole in the scratch, with zeros. cuBLAS has no beta.
int add_trmm(GpuBlas* blas, const KernelArgs& g) {
    constexpr index_t small = 64, block = 256;
    const index_t edge = g.side == Side::Left ? g.m : g.n;
    if (edge <= small || scratch_of(blas, g.type) == nullptr)
        return code_of(small_trmm(blas->stream->stream, g));
    const index_t most = blas->scratch_bytes() / (block * block * bytes_of(g.type));
    const index_t whole = edge / block, rest = edge - whole * block;
    for (index_t i = 0; i < whole; i += most)
        if (const int fault = squares_of_trmm(blas, g, i * block, block, std::min(most, whole - i)))
            return fault;
    if (const int fault = squares_of_trmm(blas, g, whole * block, rest, rest > 0 ? 1 : 0))
        return fault;
    for (index_t size = block; size < edge; size *= 2)
        if (const int fault = blocks_of_trmm(blas, g, edge, size)) return fault;
    return 0;
}

}  // namespace

/// In place cuBLAS goes through smaller squares step by step, on an H200 at half the speed that it
/// has from a copy of C: copies as many lines as there is memory for.
int square_trmm(GpuBlas* blas, const KernelArgs& g) {
    if (g.b != nullptr) return add_trmm(blas, g);
    constexpr index_t large = 1 << 13;
    const bool left = g.side == Side::Left;
    const index_t edge = left ? g.m : g.n, lines = left ? g.n : g.m;
    void* scratch = edge <= large ? scratch_of(blas, g.type) : nullptr;
    if (scratch == nullptr) return cublas_level3(blas, g);
    const index_t most = blas->scratch_bytes() / (edge * bytes_of(g.type));
    for (index_t first = 0; first < lines; first += most) {
        KernelArgs part = g;
        (left ? part.n : part.m) = std::min(most, lines - first);
        part.c = moved(g.c, first * (left ? g.ldc : 1), g.type);
        part.b = scratch, part.ldb = part.m;
        const CopyArgs copy{part.c, g.ldc, scratch, part.ldb, part.m, part.n, bytes_of(g.type)};
        if (const auto error = local_copy(blas->stream->stream, copy, {})) return code_of(error);
        if (const int fault = cublas_level3(blas, part)) return fault;
    }
    return 0;
}

namespace {

// --- trsm ---------------------------------------------------------------------------------------

/// The system of some rows at A's diagonal.
KernelArgs part_of_trsm(const KernelArgs& g, Span lines) {
    const bool left = g.side == Side::Left;
    KernelArgs part = g;
    (left ? part.m : part.n) = lines.count;
    part.a = moved(g.a, lines.first * (g.lda + 1), g.type);
    part.c = moved(g.c, lines.first * (left ? 1 : g.ldc), g.type);
    return part;
}

/// Takes lines that are solved out of the others, which are multiplied by alpha.
GemmArgs rest_of_trsm(KernelArgs g, Span solved, Span others) {
    g.b = g.c, g.ldb = g.ldc;
    GemmArgs product = lines_of_trmm(g, solved, others);
    product.alpha = {-1, 0}, product.beta = g.alpha;
    const auto [before, behind] = std::minmax(solved.first, others.first);
    const bool lower = g.uplo == Uplo::Lower;
    const index_t row = lower ? behind : before, col = lower ? before : behind;
    set_triangular(g, product, moved(g.a, row + col * g.lda, g.type), g.lda);
    return product;
}

/// In halves, so that most of it is products of many rows.
int halves_of_trsm(GpuBlas* blas, const KernelArgs& g) {
    const index_t edge = g.side == Side::Left ? g.m : g.n, small = most_unknowns(g.type);
    if (edge <= small) return code_of(small_trsm(blas->stream->stream, g));
    const index_t half = (edge / 2 + small - 1) / small * small, rest = edge - half;
    const bool down = goes_forward(g.side, g.uplo, g.op_a);
    const Span first{down ? 0 : rest, half}, second{down ? half : 0, rest};
    if (const int fault = halves_of_trsm(blas, part_of_trsm(g, first))) return fault;
    if (const int fault = cuda_gemm(blas, rest_of_trsm(g, first, second))) return fault;
    KernelArgs last = part_of_trsm(g, second);
    last.alpha = {1, 0};
    return halves_of_trsm(blas, last);
}

}  // namespace

/// Where many right-hand sides fill the GPU a kernel of ours for the squares at the diagonal is
/// faster than that of cuBLAS in double precision, on an H200 by 2 to 20 % with 4096 of them; with
/// 1024 it is slower, and single precision is not faster either.
int square_trsm(GpuBlas* blas, const KernelArgs& g) {
    constexpr index_t many = 4096, few = 64;
    const bool left = g.side == Side::Left;
    const bool ours = (g.type == Type::d || g.type == Type::z) && (left ? g.n : g.m) >= many &&
                      (left ? g.m : g.n) > few;
    return ours ? halves_of_trsm(blas, g) : cublas_level3(blas, g);
}

}  // namespace gemmill
