// SPDX-License-Identifier: Apache-2.0
// The routines of dist.hpp: each becomes a call of src/rank.
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "mpi/state.hpp"

namespace gemmill {
namespace {

template <class T>
RankMatrix matrix_of(const Ranks& ranks, const DistMatrix<T>& x) {
    std::vector<std::byte*> data;
    for (T* address : x.data) data.push_back(reinterpret_cast<std::byte*>(address));
    return rank_matrix(ranks, x.layout, data, x.ld, {x.row, x.col, x.rows, x.cols});
}

/// A call with its flags set; the rest is filled in here.
template <class T>
RankReport run(Ranks& ranks, DistCall call, Scalar alpha, const DistMatrix<T>& a,
               const DistMatrix<T>& b, Scalar beta, const DistMatrix<T>& c) {
    call.type = type_of<T>;
    call.alpha = alpha, call.beta = beta;
    const auto make = [&] {
        call.a = matrix_of(ranks, a), call.b = matrix_of(ranks, b), call.c = matrix_of(ranks, c);
        return call;
    };
    const OneCall one(ranks.state());
    return report_of(run_call(ranks.state().transport, make, setup_of(ranks)));
}

/// The flags of routines whose A, or C, has one triangle.
DistCall sided(Routine routine, Side side, Uplo uplo, Op op = Op::NoTrans,
               Diag diag = Diag::NonUnit) {
    DistCall call;
    call.routine = routine, call.side = side, call.uplo = uplo;
    call.op_a = op, call.diag = diag;
    return call;
}

}  // namespace

RankOptions RankOptions::from(const Options& options) {
    RankOptions result;
    result.policy = options.rank_policy;
    result.memory = options.rank_memory;
    result.check = options.rank_check;
    result.gpu_aware = options.gpu_aware_mpi;
    if (!options.timeout.empty()) result.timeout = parse_seconds(options.timeout, "timeout");
    return result;
}

template <class T>
RankReport copy(Ranks& ranks, Op op, const DistMatrix<T>& from, const DistMatrix<T>& to) {
    const auto make = [&] {
        return DistCopy{type_of<T>, op, matrix_of(ranks, from), matrix_of(ranks, to)};
    };
    const OneCall one(ranks.state());
    return report_of(run_copy(ranks.state().transport, make, setup_of(ranks)));
}

template <class T>
RankReport gemm(Ranks& ranks, Op op_a, Op op_b, T alpha, const DistMatrix<T>& a,
                const DistMatrix<T>& b, T beta, const DistMatrix<T>& c) {
    DistCall call;
    call.op_a = op_a, call.op_b = op_b;
    return run(ranks, call, to_scalar(alpha), a, b, to_scalar(beta), c);
}
template <class T>
RankReport symm(Ranks& ranks, Side side, Uplo uplo, T alpha, const DistMatrix<T>& a,
                const DistMatrix<T>& b, T beta, const DistMatrix<T>& c) {
    return run(ranks, sided(Routine::symm, side, uplo), to_scalar(alpha), a, b, to_scalar(beta), c);
}
template <class T>
RankReport hemm(Ranks& ranks, Side side, Uplo uplo, T alpha, const DistMatrix<T>& a,
                const DistMatrix<T>& b, T beta, const DistMatrix<T>& c) {
    return run(ranks, sided(Routine::hemm, side, uplo), to_scalar(alpha), a, b, to_scalar(beta), c);
}
template <class T>
RankReport syrk(Ranks& ranks, Uplo uplo, Op op, T alpha, const DistMatrix<T>& a, T beta,
                const DistMatrix<T>& c) {
    return run(ranks, sided(Routine::syrk, Side::Left, uplo, op), to_scalar(alpha), a, a,
               to_scalar(beta), c);
}
template <class T>
RankReport herk(Ranks& ranks, Uplo uplo, Op op, real_t<T> alpha, const DistMatrix<T>& a,
                real_t<T> beta, const DistMatrix<T>& c) {
    return run(ranks, sided(Routine::herk, Side::Left, uplo, op), to_scalar(alpha), a, a,
               to_scalar(beta), c);
}
template <class T>
RankReport syr2k(Ranks& ranks, Uplo uplo, Op op, T alpha, const DistMatrix<T>& a,
                 const DistMatrix<T>& b, T beta, const DistMatrix<T>& c) {
    return run(ranks, sided(Routine::syr2k, Side::Left, uplo, op), to_scalar(alpha), a, b,
               to_scalar(beta), c);
}
template <class T>
RankReport her2k(Ranks& ranks, Uplo uplo, Op op, T alpha, const DistMatrix<T>& a,
                 const DistMatrix<T>& b, real_t<T> beta, const DistMatrix<T>& c) {
    return run(ranks, sided(Routine::her2k, Side::Left, uplo, op), to_scalar(alpha), a, b,
               to_scalar(beta), c);
}
template <class T>
RankReport trmm(Ranks& ranks, Side side, Uplo uplo, Op op, Diag diag, T alpha,
                const DistMatrix<T>& a, const DistMatrix<T>& b) {
    return run(ranks, sided(Routine::trmm, side, uplo, op, diag), to_scalar(alpha), a, b, {}, b);
}
template <class T>
RankReport trsm(Ranks& ranks, Side side, Uplo uplo, Op op, Diag diag, T alpha,
                const DistMatrix<T>& a, const DistMatrix<T>& b) {
    return run(ranks, sided(Routine::trsm, side, uplo, op, diag), to_scalar(alpha), a, b, {}, b);
}

#define GEMMILL_DIST(T)                                                                            \
    template RankReport copy(Ranks&, Op, const DistMatrix<T>&, const DistMatrix<T>&);              \
    template RankReport gemm(Ranks&, Op, Op, T, const DistMatrix<T>&, const DistMatrix<T>&, T,     \
                             const DistMatrix<T>&);                                                \
    template RankReport symm(Ranks&, Side, Uplo, T, const DistMatrix<T>&, const DistMatrix<T>&, T, \
                             const DistMatrix<T>&);                                                \
    template RankReport syrk(Ranks&, Uplo, Op, T, const DistMatrix<T>&, T, const DistMatrix<T>&);  \
    template RankReport syr2k(Ranks&, Uplo, Op, T, const DistMatrix<T>&, const DistMatrix<T>&, T,  \
                              const DistMatrix<T>&);                                               \
    template RankReport trmm(Ranks&, Side, Uplo, Op, Diag, T, const DistMatrix<T>&,                \
                             const DistMatrix<T>&);                                                \
    template RankReport trsm(Ranks&, Side, Uplo, Op, Diag, T, const DistMatrix<T>&,                \
                             const DistMatrix<T>&);
#define GEMMILL_DIST_HERMITIAN(T)                                                                  \
    template RankReport hemm(Ranks&, Side, Uplo, T, const DistMatrix<T>&, const DistMatrix<T>&, T, \
                             const DistMatrix<T>&);                                                \
    template RankReport herk(Ranks&, Uplo, Op, real_t<T>, const DistMatrix<T>&, real_t<T>,         \
                             const DistMatrix<T>&);                                                \
    template RankReport her2k(Ranks&, Uplo, Op, T, const DistMatrix<T>&, const DistMatrix<T>&,     \
                              real_t<T>, const DistMatrix<T>&);
GEMMILL_DIST(float)
GEMMILL_DIST(double)
GEMMILL_DIST(std::complex<float>)
GEMMILL_DIST(std::complex<double>)
GEMMILL_DIST_HERMITIAN(std::complex<float>)
GEMMILL_DIST_HERMITIAN(std::complex<double>)

}  // namespace gemmill
