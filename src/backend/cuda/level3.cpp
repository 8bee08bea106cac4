// SPDX-License-Identifier: Apache-2.0
// The other routines of level 3 on tiles, by cuBLAS with 64-bit sizes.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "backend/cuda/cuda.hpp"
#include "backend/cuda/triangle.hpp"
#include "plan/form.hpp"

namespace gemmill {
namespace {

cublasOperation_t operation(Op op) {
    return op == Op::NoTrans ? CUBLAS_OP_N : op == Op::Trans ? CUBLAS_OP_T : CUBLAS_OP_C;
}
cublasSideMode_t side_of(const Level3Args& g) {
    return g.side == Side::Left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
cublasFillMode_t fill_of(const Level3Args& g) {
    return g.uplo == Uplo::Lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
cublasDiagType_t diag_of(const Level3Args& g) {
    return g.diag == Diag::Unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

/// The calls of a type; hermitian ones are those of real numbers where there are no others.
template <class T>
struct Calls;
template <>
struct Calls<float> {
    using Real = float;
    static constexpr auto symm = cublasSsymm_64, hemm = cublasSsymm_64;
    static constexpr auto syrk = cublasSsyrk_64, herk = cublasSsyrk_64;
    static constexpr auto syr2k = cublasSsyr2k_64, her2k = cublasSsyr2k_64;
    static constexpr auto trmm = cublasStrmm_64;
    static constexpr auto trsm = cublasStrsm_64;
};
template <>
struct Calls<double> {
    using Real = double;
    static constexpr auto symm = cublasDsymm_64, hemm = cublasDsymm_64;
    static constexpr auto syrk = cublasDsyrk_64, herk = cublasDsyrk_64;
    static constexpr auto syr2k = cublasDsyr2k_64, her2k = cublasDsyr2k_64;
    static constexpr auto trmm = cublasDtrmm_64;
    static constexpr auto trsm = cublasDtrsm_64;
};
template <>
struct Calls<cuComplex> {
    using Real = float;
    static constexpr auto symm = cublasCsymm_64, hemm = cublasChemm_64;
    static constexpr auto syrk = cublasCsyrk_64;
    static constexpr auto herk = cublasCherk_64;
    static constexpr auto syr2k = cublasCsyr2k_64;
    static constexpr auto her2k = cublasCher2k_64;
    static constexpr auto trmm = cublasCtrmm_64;
    static constexpr auto trsm = cublasCtrsm_64;
};
template <>
struct Calls<cuDoubleComplex> {
    using Real = double;
    static constexpr auto symm = cublasZsymm_64, hemm = cublasZhemm_64;
    static constexpr auto syrk = cublasZsyrk_64;
    static constexpr auto herk = cublasZherk_64;
    static constexpr auto syr2k = cublasZsyr2k_64;
    static constexpr auto her2k = cublasZher2k_64;
    static constexpr auto trmm = cublasZtrmm_64;
    static constexpr auto trsm = cublasZtrsm_64;
};

template <class T>
T factor(Scalar s) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(s.re);
    else
        return {static_cast<decltype(T::x)>(s.re), static_cast<decltype(T::x)>(s.im)};
}

template <class T>
cublasStatus_t typed(cublasHandle_t handle, const Level3Args& g) {
    using Real = typename Calls<T>::Real;
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const T alpha = factor<T>(g.alpha), beta = factor<T>(g.beta);
    const Real real_alpha = factor<Real>(g.alpha), real_beta = factor<Real>(g.beta);
    const auto uplo = fill_of(g);
    const auto op = operation(g.op_a);
    switch (g.routine) {
        case Routine::symm:
            return Calls<T>::symm(handle, side_of(g), uplo, g.m, g.n, &alpha, a, g.lda, b, g.ldb,
                                  &beta, c, g.ldc);
        case Routine::hemm:
            return Calls<T>::hemm(handle, side_of(g), uplo, g.m, g.n, &alpha, a, g.lda, b, g.ldb,
                                  &beta, c, g.ldc);
        case Routine::syrk:
            return Calls<T>::syrk(handle, uplo, op, g.n, g.k, &alpha, a, g.lda, &beta, c, g.ldc);
        case Routine::herk:
            return Calls<T>::herk(handle, uplo, op, g.n, g.k, &real_alpha, a, g.lda, &real_beta, c,
                                  g.ldc);
        case Routine::syr2k:
            return Calls<T>::syr2k(handle, uplo, op, g.n, g.k, &alpha, a, g.lda, b, g.ldb, &beta, c,
                                   g.ldc);
        case Routine::her2k:
            return Calls<T>::her2k(handle, uplo, op, g.n, g.k, &alpha, a, g.lda, b, g.ldb,
                                   &real_beta, c, g.ldc);
        case Routine::trmm:
            return Calls<T>::trmm(handle, side_of(g), uplo, op, diag_of(g), g.m, g.n, &alpha, a,
                                  g.lda, b != nullptr ? b : c, b != nullptr ? g.ldb : g.ldc, c,
                                  g.ldc);
        case Routine::trsm:
            return Calls<T>::trsm(handle, side_of(g), uplo, op, diag_of(g), g.m, g.n, &alpha, a,
                                  g.lda, c, g.ldc);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t call(cublasHandle_t handle, const Level3Args& g) {
    switch (g.type) {
        case Type::s:
            return typed<float>(handle, g);
        case Type::d:
            return typed<double>(handle, g);
        case Type::c:
            return typed<cuComplex>(handle, g);
        case Type::z:
            return typed<cuDoubleComplex>(handle, g);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

/// Memory for copies and sums, or nothing.
void* scratch_of(GpuBlas* blas) {
    if (blas->scratch == nullptr && cudaMalloc(&blas->scratch, scratch_bytes) != cudaSuccess) {
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

constexpr index_t leaf = 512;

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
GemmArgs block_of(const Level3Args& g, index_t row, index_t col, index_t rows, index_t cols) {
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
GemmRow row_of(const Level3Args& g, index_t step, index_t count) {
    return {row_at(g.op_a, g.lda, step), col_at(g.op_b, g.ldb, step), step * (g.ldc + 1), count};
}

/// The blocks of one size; the last may be cut short.
int blocks_of_gemmt(GpuBlas* blas, const Level3Args& g, index_t size) {
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
int squares_of_gemmt(GpuBlas* blas, const Level3Args& g, index_t first, index_t size,
                     index_t count) {
    if (count == 0) return 0;
    GemmArgs sums = block_of(g, first, first, size, size);
    Level3Args part = g;
    part.c = sums.c;
    sums.beta = {};
    sums.c = blas->scratch, sums.ldc = size;
    GemmRow row = row_of(g, size, count);
    row.c = size * size;
    if (const int fault = cuda_gemm_row(blas, sums, row)) return fault;
    return code_of(add_triangles(blas->stream->stream, part, size, count, blas->scratch));
}

int gemmt(GpuBlas* blas, const Level3Args& g) {
    constexpr index_t small = 64;
    if (g.n <= small || scratch_of(blas) == nullptr)
        return code_of(small_gemmt(blas->stream->stream, g));
    for (index_t size = leaf; size < g.n; size *= 2)
        if (const int fault = blocks_of_gemmt(blas, g, size)) return fault;
    const index_t most = static_cast<index_t>(scratch_bytes) / (leaf * leaf * bytes_of(g.type));
    const index_t whole = g.n / leaf;
    for (index_t i = 0; i < whole; i += most)
        if (const int fault = squares_of_gemmt(blas, g, i * leaf, leaf, std::min(most, whole - i)))
            return fault;
    const index_t rest = g.n - whole * leaf;
    return squares_of_gemmt(blas, g, whole * leaf, rest, rest > 0 ? 1 : 0);
}

// --- rank-2 updates -----------------------------------------------------------------------------
//
// A square at the diagonal is X + X' + beta C with X = alpha A B', which is one plain product and
// has no more flops than the update itself. Larger ones are halved until X fits the scratch.

/// The block of C at (row, col), which lies off the diagonal.
int block_of_rank_2(GpuBlas* blas, const Level3Args& g, index_t row, index_t col, index_t rows,
                    index_t cols) {
    if (const int fault = cuda_gemm(blas, block_of(g, row, col, rows, cols))) return fault;
    Level3Args second = g;
    std::swap(second.a, second.b), std::swap(second.lda, second.ldb);
    if (is_hermitian(g.routine)) second.alpha.im = -g.alpha.im;
    second.beta = {1, 0};
    return cuda_gemm(blas, block_of(second, row, col, rows, cols));
}

/// Rows `first` and so many more at the diagonal.
int square_of_rank_2(GpuBlas* blas, const Level3Args& g, index_t first, index_t n) {
    if (n * n * bytes_of(g.type) > static_cast<index_t>(scratch_bytes)) {
        constexpr index_t block = 256;
        const index_t half = (n / 2 + block - 1) / block * block, second = first + half;
        const bool lower = g.uplo == Uplo::Lower;
        if (const int fault = square_of_rank_2(blas, g, first, half)) return fault;
        if (const int fault = square_of_rank_2(blas, g, second, n - half)) return fault;
        return lower ? block_of_rank_2(blas, g, second, first, n - half, half)
                     : block_of_rank_2(blas, g, first, second, half, n - half);
    }
    GemmArgs product = block_of(g, first, first, n, n);
    Level3Args part = g;
    part.c = product.c, part.n = n;
    product.beta = {};
    product.c = blas->scratch, product.ldc = n;
    if (const int fault = cuda_gemm(blas, product)) return fault;
    return code_of(fold_triangle(blas->stream->stream, part, blas->scratch));
}

int rank_2(GpuBlas* blas, Level3Args g) {
    constexpr index_t small = 128;
    if (g.n <= small || scratch_of(blas) == nullptr) return code_of(call(blas->handle, g));
    g.op_b = flipped(g.op_a, g.routine);
    return square_of_rank_2(blas, g, 0, g.n);
}

// --- trmm ---------------------------------------------------------------------------------------

/// In place cuBLAS goes through smaller squares step by step, on an H200 at half the speed that it
/// has from a copy of C: copies as many lines as there is memory for.
int trmm(GpuBlas* blas, const Level3Args& g) {
    constexpr index_t large = 1 << 13;
    const bool left = g.side == Side::Left;
    const index_t edge = left ? g.m : g.n, lines = left ? g.n : g.m;
    void* scratch = edge <= large ? scratch_of(blas) : nullptr;
    if (scratch == nullptr) return code_of(call(blas->handle, g));
    const index_t most = static_cast<index_t>(scratch_bytes) / (edge * bytes_of(g.type));
    for (index_t first = 0; first < lines; first += most) {
        Level3Args part = g;
        (left ? part.n : part.m) = std::min(most, lines - first);
        part.c = static_cast<std::byte*>(g.c) + first * (left ? g.ldc : 1) * bytes_of(g.type);
        part.b = scratch, part.ldb = part.m;
        const CombineArgs copy{g.type, part.m, part.n,  {},      {1, 0},
                               part.c, g.ldc,  scratch, part.ldb};
        if (const auto error = combine(blas->stream->stream, copy)) return code_of(error);
        if (const int fault = code_of(call(blas->handle, part))) return fault;
    }
    return 0;
}

}  // namespace

int cuda_level3(GpuBlas* blas, const Level3Args& g) {
    const OnDevice device(blas->stream->device);
    const bool triangle = writes_triangle(g.routine);
    if (g.alpha == Scalar{} || (triangle && g.k == 0)) {
        const Scalar keep = is_in_place(g.routine) ? Scalar{} : g.beta;
        if (keep == Scalar{1, 0}) return 0;
        if (triangle) return code_of(scale_triangle(blas->stream->stream, g));
        return code_of(
            combine(blas->stream->stream, {g.type, g.m, g.n, keep, {}, nullptr, 1, g.c, g.ldc}));
    }
    if (g.routine == Routine::gemmt) return gemmt(blas, g);
    if (g.routine == Routine::trmm) return trmm(blas, g);
    if (is_rank_2(g.routine)) return rank_2(blas, g);
    return code_of(call(blas->handle, g));
}

}  // namespace gemmill
