// SPDX-License-Identifier: Apache-2.0
// Routines of level 3 as updates, and the checks of their arguments.
#include <bit>
#include <string>

#include "gemmill/error.hpp"
#include "rank/call.hpp"

namespace gemmill {
namespace {

bool is_sided(Routine routine) {
    return routine == Routine::symm || routine == Routine::hemm || routine == Routine::trmm ||
           routine == Routine::trsm;
}
bool has_two_factors(Routine routine) {
    return routine == Routine::gemm || routine == Routine::symm || routine == Routine::hemm ||
           routine == Routine::syr2k || routine == Routine::her2k;
}

struct Size {
    index_t rows, cols;
};
Size size_of(const RankMatrix& x, Op op) {
    const Distribution& d = x.distribution;
    return op == Op::NoTrans ? Size{d.rows(), d.cols()} : Size{d.cols(), d.rows()};
}

void require_size(const char* name, const RankMatrix& x, Op op, index_t rows, index_t cols) {
    const Size size = size_of(x, op);
    require(size.rows == rows && size.cols == cols, Code::bad_argument, "sizes that match",
            std::string("the size of ") + name + " does not fit the others");
}

Fill fill_of(Uplo uplo) { return uplo == Uplo::Lower ? Fill::lower : Fill::upper; }
Fill strict_fill_of(Uplo uplo) {
    return uplo == Uplo::Lower ? Fill::strictly_lower : Fill::strictly_upper;
}
Scalar conjugated(Scalar x) { return {x.re, -x.im}; }
bool is_zero(Scalar x) { return x.re == 0 && x.im == 0; }

void add_product(DistUpdate& update, const DistFactor& first, const DistFactor& second,
                 Scalar alpha) {
    update.terms.push_back({first, second, alpha});
}
/// A stands on the side that the call says.
void add_sided(DistUpdate& update, const DistCall& call, const DistFactor& a,
               const DistFactor& other) {
    if (call.side == Side::Left)
        add_product(update, a, other, call.alpha);
    else
        add_product(update, other, a, call.alpha);
}

/// The stored triangle, and the other one as its transpose.
void add_symmetric(DistUpdate& update, const DistCall& call) {
    const bool hermitian = call.routine == Routine::hemm;
    add_sided(update, call, {&call.a, Op::NoTrans, fill_of(call.uplo), false, hermitian},
              {.matrix = &call.b});
    add_sided(update, call,
              {&call.a, hermitian ? Op::ConjTrans : Op::Trans, strict_fill_of(call.uplo)},
              {.matrix = &call.b});
}

void add_rank_update(DistUpdate& update, const DistCall& call) {
    const bool hermitian = call.routine == Routine::herk || call.routine == Routine::her2k;
    const bool straight = call.op_a == Op::NoTrans;
    const Op transposed = hermitian ? Op::ConjTrans : Op::Trans;
    const Op left = straight ? Op::NoTrans : transposed,
             right = straight ? transposed : Op::NoTrans;
    const bool two = has_two_factors(call.routine);
    const RankMatrix& second = two ? call.b : call.a;
    add_product(update, {&call.a, left}, {&second, right}, call.alpha);
    if (two)
        add_product(update, {&call.b, left}, {&call.a, right},
                    hermitian ? conjugated(call.alpha) : call.alpha);
    update.fill = fill_of(call.uplo);
    update.hermitian = hermitian;
}

void check_flags(const DistCall& call) {
    const auto is_op = [](Op op) {
        return op == Op::NoTrans || op == Op::Trans || op == Op::ConjTrans;
    };
    require(is_op(call.op_a) && is_op(call.op_b), Code::bad_argument, "N, T or C", "op");
    require(call.side == Side::Left || call.side == Side::Right, Code::bad_argument, "L or R",
            "side");
    require(call.uplo == Uplo::Lower || call.uplo == Uplo::Upper, Code::bad_argument, "L or U",
            "uplo");
    require(call.diag == Diag::NonUnit || call.diag == Diag::Unit, Code::bad_argument, "N or U",
            "diag");
}

}  // namespace

void check_call(const DistCall& call) {
    check_flags(call);
    const index_t m = call.c.distribution.rows(), n = call.c.distribution.cols();
    const bool hermitian = call.routine == Routine::hemm || call.routine == Routine::herk ||
                           call.routine == Routine::her2k;
    require(!hermitian || is_complex(call.type), Code::bad_argument, "c or z",
            "a hermitian routine of a real type");
    if (call.routine == Routine::gemm) {
        const index_t k = size_of(call.a, call.op_a).cols;
        require_size("A", call.a, call.op_a, m, k);
        require_size("B", call.b, call.op_b, k, n);
    } else if (is_sided(call.routine)) {
        const index_t k = call.side == Side::Left ? m : n;
        require_size("A", call.a, Op::NoTrans, k, k);
        if (has_two_factors(call.routine)) require_size("B", call.b, Op::NoTrans, m, n);
    } else {
        require(m == n, Code::bad_argument, "a square C", "the size of C");
        const bool complex_transposed = is_complex(call.type) && call.op_a == Op::ConjTrans;
        require(hermitian ? call.op_a != Op::Trans : !complex_transposed, Code::bad_argument,
                hermitian ? "N or C" : "N or T", "op");
        const index_t k = size_of(call.a, call.op_a).cols;
        require_size("A", call.a, call.op_a, n, k);
        if (has_two_factors(call.routine)) require_size("B", call.b, call.op_a, n, k);
    }
}

DistUpdate update_of(const DistCall& call) {
    DistUpdate update;
    update.type = call.type;
    update.c = call.c;
    update.m = call.c.distribution.rows(), update.n = call.c.distribution.cols();
    update.beta = call.beta;
    const Routine routine = call.routine;
    if (routine == Routine::gemm) {
        update.k = size_of(call.a, call.op_a).cols;
        add_product(update, {&call.a, call.op_a}, {&call.b, call.op_b}, call.alpha);
    } else if (routine == Routine::symm || routine == Routine::hemm) {
        update.k = call.side == Side::Left ? update.m : update.n;
        add_symmetric(update, call);
    } else if (routine == Routine::trmm) {
        update.k = call.side == Side::Left ? update.m : update.n;
        update.beta = {};
        update.c_is_factor = true;
        add_sided(update, call,
                  {&call.a, call.op_a, fill_of(call.uplo), call.diag == Diag::Unit, false},
                  {.matrix = &call.c});
    } else {
        update.k = size_of(call.a, call.op_a).cols;
        add_rank_update(update, call);
    }
    if (is_zero(call.alpha) || update.k == 0) update.terms.clear();
    return update;
}

CallDigest digest_of(const DistCall& call, const DistSetup& setup) {
    CallDigest all;
    const auto add = [&](const char* name, std::uint64_t value) {
        all.digest = mixed(all.digest, value);
        if (setup.full_check) all.fields.push_back(value), all.names.push_back(name);
    };
    const auto scalar = [](Scalar x) {
        return mixed(std::bit_cast<std::uint64_t>(x.re), std::bit_cast<std::uint64_t>(x.im));
    };
    add("routine", static_cast<std::uint64_t>(call.routine));
    add("type", static_cast<std::uint64_t>(call.type));
    add("side", static_cast<std::uint64_t>(call.side));
    add("uplo", static_cast<std::uint64_t>(call.uplo));
    add("op of A", static_cast<std::uint64_t>(call.op_a));
    add("op of B", static_cast<std::uint64_t>(call.op_b));
    add("diag", static_cast<std::uint64_t>(call.diag));
    add("alpha", scalar(call.alpha));
    add("beta", scalar(call.beta));
    add("A", call.a.distribution.digest());
    add("B", call.b.distribution.digest());
    add("C", call.c.distribution.digest());
    const DistPolicy& policy = setup.policy;
    add("rank_policy", std::hash<std::string>{}(policy.name));
    add("rank_memory", static_cast<std::uint64_t>(policy.memory));
    add("nodes", static_cast<std::uint64_t>(policy.one_node));
    add("memory of the node", static_cast<std::uint64_t>(policy.shared));
    add("one device", static_cast<std::uint64_t>(policy.one_device));
    add("device memory", static_cast<std::uint64_t>(policy.device_memory));
    std::uint64_t cut = 0;
    for (const index_t x :
         {policy.row_block, policy.col_block, policy.depth, index_t{policy.lookahead}})
        cut = mixed(cut, static_cast<std::uint64_t>(x));
    add("blocks of the policy", cut);
    // Ranks whose rates differ would choose differently.
    add("rates", mixed(std::bit_cast<std::uint64_t>(setup.rates.flops),
                       std::bit_cast<std::uint64_t>(setup.rates.bytes)));
    return all;
}

CallDigest digest_of(const DistCopy& call, const DistSetup& setup) {
    CallDigest all;
    const auto add = [&](const char* name, std::uint64_t value) {
        all.digest = mixed(all.digest, value);
        if (setup.full_check) all.fields.push_back(value), all.names.push_back(name);
    };
    add("type", static_cast<std::uint64_t>(call.type));
    add("op", static_cast<std::uint64_t>(call.op));
    add("from", call.from.distribution.digest());
    add("to", call.to.distribution.digest());
    return all;
}

}  // namespace gemmill
