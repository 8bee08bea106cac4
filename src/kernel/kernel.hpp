// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one tile, as a table that a backend is given.
#pragma once

#include "gemmill/types.hpp"

namespace gemmill {

/// C = alpha op(A) op(B) + beta C, column-major. beta 0 does not read C, alpha 0 or k 0 does not
/// read A and B.
struct GemmArgs {
    Type type = Type::d;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 0, n = 0, k = 0;
    Scalar alpha;
    const void* a = nullptr;
    index_t lda = 1;
    const void* b = nullptr;
    index_t ldb = 1;
    Scalar beta;
    void* c = nullptr;
    index_t ldc = 1;
};

/// What calls and kernels of level 3 are given, with the words of BLAS.
struct Level3Fields {
    Type type = Type::d;
    Side side = Side::Left;
    Uplo uplo = Uplo::Lower;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    Diag diag = Diag::NonUnit;
    index_t m = 0, n = 0, k = 0;
    Scalar alpha;
    const void* a = nullptr;
    index_t lda = 1;
    const void* b = nullptr;
    index_t ldb = 1;
    Scalar beta;
    void* c = nullptr;
    index_t ldc = 1;
};

/// One call of a routine of level 3 (problem.hpp says what each means). herk and her2k have a real
/// beta, herk a real alpha too. trmm and trsm overwrite c; trmm with a b, which lies elsewhere,
/// makes C = alpha op(A) B + beta C instead.
struct Level3Args : Level3Fields {
    Routine routine = Routine::syrk;
};

/// C = C + beta X, column-major m x n.
struct AddArgs {
    Type type = Type::d;
    index_t m = 0, n = 0;
    Scalar beta;
    const void* x = nullptr;
    index_t ldx = 1;
    void* c = nullptr;
    index_t ldc = 1;
};

/// What a symmetric matrix does not store, of a hermitian one with `conjugate`: to, m x n, = from
/// transposed; or, where from is to, the other triangle of a square whose triangle `uplo` is
/// stored, and a hermitian diagonal made real. Both have the same ld.
struct MirrorArgs {
    Type type = Type::d;
    Uplo uplo = Uplo::Lower;
    bool conjugate = false;
    index_t m = 0, n = 0;
    const void* from = nullptr;
    void* to = nullptr;
    index_t ld = 1;
};

/// A kernel that cannot do its work throws and leaves C as it was.
struct Kernels {
    void (*gemm)(const GemmArgs&) = nullptr;
    void (*add)(const AddArgs&) = nullptr;
    void (*level3)(const Level3Args&) = nullptr;
    void (*mirror)(const MirrorArgs&) = nullptr;
};

}  // namespace gemmill
