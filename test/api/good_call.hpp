// SPDX-License-Identifier: Apache-2.0
// Arguments of a small call in which nothing is wrong.
#pragma once

#include "kernel/kernel.hpp"

namespace gemmill::test {

/// 3 x 2 (or 2 x 2) with inner size 4; leading dimensions as small as they may be.
inline Level3Args good(Routine routine) {
    Level3Args x;
    x.routine = routine;
    x.type = Type::d;
    x.side = Side::Left, x.uplo = Uplo::Lower, x.diag = Diag::Unit;
    x.op_a = x.op_b = Op::NoTrans;
    x.m = 3, x.n = 2, x.k = 4;
    x.lda = x.ldc = 3, x.ldb = 4;
    switch (routine) {
        case Routine::gemm:
            break;
        case Routine::symm:
        case Routine::hemm:
        case Routine::trmm:
        case Routine::trsm:
            x.k = x.ldb = 3;
            break;
        default:
            x.m = x.lda = x.ldc = 2;
            x.ldb = routine == Routine::gemmt ? 4 : 2;
    }
    return x;
}

}  // namespace gemmill::test
