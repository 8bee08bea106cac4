// SPDX-License-Identifier: Apache-2.0
#include "check/verify_level3.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "check/rounding.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr double most_flops = 1e8;
constexpr index_t grid = 64;

/// A matrix as the routine sees it: stored, or by its triangle.
enum class Kind : std::uint8_t { whole, symmetric, hermitian, triangular };

template <class T>
class Verification {
  public:
    Verification(const Level3Args& g, const void* old_c)
        : g_(g),
          alpha_(factor<T>(g.alpha)),
          beta_(factor<T>(g.beta)),
          result_(static_cast<const T*>(g.c)),
          old_(static_cast<const T*>(old_c)) {}

    double error(index_t rows_apart, index_t cols_apart) const {
        double worst = 0;
        for (index_t j = 0; j < g_.n; j += cols_apart)
            for (index_t i = 0; i < g_.m; i += rows_apart) worst = std::max(worst, error_at(i, j));
        return worst;
    }

  private:
    bool stored(index_t i, index_t j) const { return g_.uplo == Uplo::Lower ? i >= j : i <= j; }

    /// Element (i, j) of what is stored with one triangle.
    Number half(const T* x, index_t ld, Kind kind, index_t i, index_t j) const {
        if (kind == Kind::triangular) {
            if (i == j && g_.diag == Diag::Unit) return 1;
            return stored(i, j) ? number(x[i + j * ld]) : 0;
        }
        const bool turned = kind != Kind::whole && !stored(i, j);
        const Number value = number(turned ? x[j + i * ld] : x[i + j * ld]);
        if (kind != Kind::hermitian) return value;
        if (i == j) return value.real();
        return turned ? std::conj(value) : value;
    }

    /// Element (i, j) of op(X).
    Number element(const void* data, index_t ld, Op op, index_t i, index_t j,
                   Kind kind = Kind::whole) const {
        const auto* x = static_cast<const T*>(data);
        if (op == Op::NoTrans) return half(x, ld, kind, i, j);
        const Number value = half(x, ld, kind, j, i);
        return op == Op::ConjTrans ? std::conj(value) : value;
    }

    Kind kind_of_a() const {
        if (is_in_place(g_.routine)) return Kind::triangular;
        return g_.routine == Routine::symm   ? Kind::symmetric
               : g_.routine == Routine::hemm ? Kind::hermitian
                                             : Kind::whole;
    }

    /// C = C: a hermitian diagonal keeps its imaginary part, too.
    bool leaves_all() const {
        return !is_in_place(g_.routine) && beta_ == Number(1) && (alpha_ == Number(0) || g_.k == 0);
    }
    bool is_real_at(index_t i, index_t j) const {
        return i == j && is_hermitian(g_.routine) && writes_triangle(g_.routine);
    }
    Allowed allowed() const {
        return {epsilon<T>() * static_cast<double>(g_.k + 2), underflow<T>(g_.k)};
    }

    double error_at(index_t i, index_t j) const {
        if (leaves_all() || (writes_triangle(g_.routine) && !stored(i, j))) return untouched(i, j);
        if (g_.routine == Routine::trsm) return of_solution(i, j);
        Sum right = products(i, j);
        if (!is_in_place(g_.routine) && beta_ != Number(0)) right.add(beta_ * old_at(i, j));
        if (is_real_at(i, j)) right.value = right.value.real();
        return error_of(result_[i + j * g_.ldc], right, allowed());
    }

    double untouched(index_t i, index_t j) const {
        const index_t at = i + j * g_.ldc;
        return std::memcmp(result_ + at, old_ + at, sizeof(T)) == 0
                   ? 0
                   : std::numeric_limits<double>::infinity();
    }

    Number old_at(index_t i, index_t j) const {
        const Number old = number(old_[i + j * g_.ldc]);
        return is_real_at(i, j) ? Number(old.real()) : old;
    }

    /// op(A) X, or X op(A), against alpha times what was there. An element that overflows takes
    /// with it those that are made of it.
    double of_solution(index_t i, index_t j) const {
        const bool left = g_.side == Side::Left;
        const index_t own = left ? i : j;
        const auto factor_at = [&](index_t l) {
            return left ? element(g_.a, g_.lda, g_.op_a, i, l, Kind::triangular)
                        : element(g_.a, g_.lda, g_.op_a, l, j, Kind::triangular);
        };
        Sum sum;
        sum.add(-alpha_ * number(old_[i + j * g_.ldc]));
        bool overflowed = false;
        for (index_t l = 0; l < g_.k; ++l) {
            const Number a = factor_at(l);
            if (l == own || a == Number(0)) continue;
            const Number x = number(left ? result_[l + j * g_.ldc] : result_[i + l * g_.ldc]);
            overflowed |= !is_finite(x);
            sum.add(a * x);
        }
        return quotient_error(result_[i + j * g_.ldc], sum, factor_at(own), overflowed);
    }

    /// Of x with pivot x + sum = 0.
    double quotient_error(const T& element, Sum sum, const Number& pivot, bool overflowed) const {
        const Number x = number(element);
        const long double most = largest<T>() / (1 + allowed().unit);
        const bool may = overflowed || sum.size / std::min(1.0L, std::abs(pivot)) >= most;
        if (!is_finite(x) && may) return 0;
        if (!is_finite(x) || overflowed) return std::numeric_limits<double>::infinity();
        sum.add(pivot * x);
        return ratio(std::abs(sum.value), allowed().unit * sum.size + allowed().least);
    }

    /// alpha op(A) X or alpha X op(A), at (i, j).
    Sum times_a(const void* x, index_t ld, index_t i, index_t j, Number alpha) const {
        Sum sum;
        const Kind kind = kind_of_a();
        const Op op = is_in_place(g_.routine) ? g_.op_a : Op::NoTrans;
        for (index_t l = 0; l < g_.k; ++l)
            sum.add(alpha * (g_.side == Side::Left ? element(g_.a, g_.lda, op, i, l, kind) *
                                                         element(x, ld, Op::NoTrans, l, j)
                                                   : element(x, ld, Op::NoTrans, i, l) *
                                                         element(g_.a, g_.lda, op, l, j, kind)));
        return sum;
    }

    Sum products(index_t i, index_t j) const {
        if (alpha_ == Number(0)) return {};
        if (mirrors(g_.routine)) return times_a(g_.b, g_.ldb, i, j, alpha_);
        if (g_.routine == Routine::trmm) return times_a(old_, g_.ldc, i, j, alpha_);
        Sum sum;
        const bool own = g_.routine == Routine::gemmt;
        const Op second = own ? g_.op_b : flipped(g_.op_a, g_.routine);
        const void* b = has_b(g_.routine) ? g_.b : g_.a;
        const index_t ldb = has_b(g_.routine) ? g_.ldb : g_.lda;
        for (index_t l = 0; l < g_.k; ++l)
            sum.add(alpha_ * element(g_.a, g_.lda, g_.op_a, i, l) * element(b, ldb, second, l, j));
        if (!is_rank_2(g_.routine)) return sum;
        const Number other = is_hermitian(g_.routine) ? std::conj(alpha_) : alpha_;
        for (index_t l = 0; l < g_.k; ++l)
            sum.add(other * element(g_.b, g_.ldb, g_.op_a, i, l) *
                    element(g_.a, g_.lda, second, l, j));
        return sum;
    }

    const Level3Args& g_;
    const Number alpha_, beta_;
    const T *result_, *old_;
};

}  // namespace

Verdict verify_level3(const Level3Args& g, const void* old_c) {
    const double flops =
        2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
    const bool all = flops <= most_flops;
    const auto apart = [&](index_t size) { return all ? 1 : std::max<index_t>(1, size / grid); };
    if (g.m == 0 || g.n == 0) return {0, "every element"};
    const double error = with_type(
        g.type, [&]<class T>() { return Verification<T>(g, old_c).error(apart(g.m), apart(g.n)); });
    return {error, all ? "every element" : "elements of a grid"};
}

}  // namespace gemmill::command
