// SPDX-License-Identifier: Apache-2.0
#include "task/call.hpp"

#include "task/problem.hpp"

namespace gemmill {
namespace {

Factor factor_of(Scalar x) {
    return x == Scalar{} ? Factor::zero : x == Scalar{1, 0} ? Factor::one : Factor::general;
}

}  // namespace

Problem problem_of(const Level3Args& call, const std::array<MemoryId, 3>& home) {
    Problem p;
    p.routine = call.routine;
    p.type = call.type;
    p.side = call.side;
    p.uplo = call.uplo;
    p.diag = call.diag;
    p.op_a = call.op_a;
    p.op_b = call.op_b;
    p.m = call.m;
    p.n = call.n;
    p.k = call.k;
    p.alpha = factor_of(call.alpha);
    p.beta = factor_of(call.beta);
    p.home = home;
    return p;
}

Level3Args call_of(const Problem& p, const Given& given) {
    Level3Args g;
    g.routine = p.routine, g.type = p.type;
    g.side = p.side, g.uplo = p.uplo, g.diag = p.diag;
    g.op_a = p.op_a, g.op_b = p.op_b;
    g.m = p.m, g.n = p.n, g.k = p.k;
    g.alpha = given.alpha, g.beta = given.beta;
    g.a = given.data[0], g.lda = given.ld[0];
    g.b = has_b(p.routine) ? given.data[1] : nullptr, g.ldb = given.ld[1];
    // The caller gave it as writable.
    g.c = const_cast<void*>(given.data[2]), g.ldc = given.ld[2];
    return g;
}

}  // namespace gemmill
