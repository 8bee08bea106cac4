// SPDX-License-Identifier: Apache-2.0
#include "kernel/reference/level3.hpp"

#include <vector>

#include "kernel/reference/numbers.hpp"

namespace gemmill {
namespace {

bool named(Uplo uplo, index_t i, index_t j) { return uplo == Uplo::Lower ? i >= j : i <= j; }

/// One call with its matrices as what they stand for.
template <class T>
class Call {
  public:
    using S = scalar_t<T>;

    explicit Call(const Level3Args& g)
        : g_(g),
          a_(static_cast<const T*>(g.a)),
          b_(static_cast<const T*>(g.b)),
          c_(static_cast<T*>(g.c)),
          alpha_(from_scalar<S>(g.alpha)),
          beta_(from_scalar<S>(g.beta)) {}

    void run() const {
        switch (g_.routine) {
            case Routine::trmm:
            case Routine::trsm:
                return triangular();
            case Routine::gemm:
            case Routine::symm:
            case Routine::hemm:
                return update([](index_t, index_t) { return true; });
            default:
                return update([&](index_t i, index_t j) { return named(g_.uplo, i, j); });
        }
    }

  private:
    bool hermitian() const {
        return g_.routine == Routine::hemm || g_.routine == Routine::herk ||
               g_.routine == Routine::her2k;
    }
    /// Of a product: k, or the size of the half-stored A.
    index_t depth() const {
        if (g_.routine != Routine::symm && g_.routine != Routine::hemm) return g_.k;
        return g_.side == Side::Left ? g_.m : g_.n;
    }

    static S element(const T* x, index_t ld, Op op, index_t i, index_t j) {
        if (op == Op::NoTrans) return S(x[i + j * ld]);
        const S value(x[j + i * ld]);
        return op == Op::Trans ? value : conjugate(value);
    }
    S op_a(index_t i, index_t l) const { return element(a_, g_.lda, g_.op_a, i, l); }
    S op_b(index_t l, index_t j) const { return element(b_, g_.ldb, g_.op_b, l, j); }
    /// op_a(X) of the second factor of a rank update, transposed; conjugated where it is hermitian.
    S turned(const T* x, index_t ld, index_t l, index_t j) const {
        const S value = element(x, ld, g_.op_a, j, l);
        return hermitian() ? conjugate(value) : value;
    }
    /// A of symm and hemm, of which one triangle is stored.
    S whole_a(index_t i, index_t j) const {
        if (i == j && hermitian()) return real_part(S(a_[i + i * g_.lda]));
        if (named(g_.uplo, i, j)) return S(a_[i + j * g_.lda]);
        const S value(a_[j + i * g_.lda]);
        return hermitian() ? conjugate(value) : value;
    }

    /// alpha times the sum of all products for C(i, j).
    S product(index_t i, index_t j) const {
        S sum(0), second(0);
        for (index_t l = 0; l < depth(); ++l) switch (g_.routine) {
                case Routine::symm:
                case Routine::hemm:
                    sum += g_.side == Side::Left ? times(whole_a(i, l), S(b_[l + j * g_.ldb]))
                                                 : times(S(b_[i + l * g_.ldb]), whole_a(l, j));
                    break;
                case Routine::syrk:
                case Routine::herk:
                    sum += times(op_a(i, l), turned(a_, g_.lda, l, j));
                    break;
                case Routine::syr2k:
                case Routine::her2k:
                    sum += times(op_a(i, l), turned(b_, g_.ldb, l, j));
                    second += times(element(b_, g_.ldb, g_.op_a, i, l), turned(a_, g_.lda, l, j));
                    break;
                default:
                    sum += times(op_a(i, l), op_b(l, j));
            }
        if (g_.routine == Routine::herk) return times_real(alpha_, sum);
        if (g_.routine == Routine::syr2k) return times(alpha_, sum) + times(alpha_, second);
        if (g_.routine == Routine::her2k)
            return times(alpha_, sum) + times(conjugate(alpha_), second);
        return times(alpha_, sum);
    }

    /// beta times the old C; herk and her2k have a real one.
    S kept(S old) const {
        const bool real = g_.routine == Routine::herk || g_.routine == Routine::her2k;
        return real && beta_ != S(1) ? times_real(beta_, old) : scaled(beta_, old);
    }

    /// C = alpha products + beta C where `wanted`.
    template <class Wanted>
    void update(Wanted wanted) const {
        const bool multiply = alpha_ != S(0) && depth() > 0;
        if (!multiply && beta_ == S(1)) return;
        const bool real_diagonal = hermitian() && g_.routine != Routine::hemm;
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = 0; i < g_.m; ++i) {
                if (!wanted(i, j)) continue;
                T& out = c_[i + j * g_.ldc];
                const bool real = real_diagonal && i == j;
                S sum(0);
                if (beta_ != S(0)) sum = kept(real ? real_part(S(out)) : S(out));
                if (multiply) sum += product(i, j);
                out = T(real ? real_part(sum) : sum);
            }
    }

    // --- trmm and trsm: C column by column, or from the right row by row ------------------------

    /// Element (i, l) of what a column is multiplied with: op_a(A), or its transpose for a row.
    S triangle(index_t i, index_t l) const {
        return g_.side == Side::Left ? op_a(i, l) : op_a(l, i);
    }
    /// That element times x; a diagonal of ones is not read, and multiplies nothing.
    S by_triangle(index_t i, index_t l, S x) const {
        return i == l && g_.diag == Diag::Unit ? x : times(triangle(i, l), x);
    }
    /// Whether element l of a column goes into element i only for l <= i.
    bool downward() const {
        const bool lower = (g_.uplo == Uplo::Lower) == (g_.op_a == Op::NoTrans);
        return lower == (g_.side == Side::Left);
    }

    void triangular() const {
        const bool left = g_.side == Side::Left;
        const index_t size = left ? g_.m : g_.n, count = left ? g_.n : g_.m;
        const index_t step = left ? 1 : g_.ldc, next = left ? g_.ldc : 1;
        for (index_t j = 0; j < count; ++j) {
            T* x = c_ + j * next;
            if (alpha_ == S(0))
                for (index_t i = 0; i < size; ++i) x[i * step] = T(left_of(x[i * step]));
            else if (g_.routine == Routine::trsm)
                solve(x, size, step);
            else if (b_ == nullptr)
                multiply(x, step, x, size, step);
            else
                multiply(b_ + j * (left ? g_.ldb : 1), left ? 1 : g_.ldb, x, size, step);
        }
    }
    /// What stays of C: nothing where it is overwritten.
    S left_of(const T& c) const { return b_ == nullptr ? S(0) : scaled(beta_, c); }

    void multiply(const T* from, index_t from_step, T* x, index_t size, index_t step) const {
        std::vector<S> old;
        for (index_t i = 0; i < size; ++i) old.push_back(S(from[i * from_step]));
        for (index_t i = 0; i < size; ++i) {
            S sum(0);
            const index_t first = downward() ? 0 : i, last = downward() ? i : size - 1;
            for (index_t l = first; l <= last; ++l)
                sum += by_triangle(i, l, old[static_cast<std::size_t>(l)]);
            x[i * step] = T(times(alpha_, sum) + left_of(x[i * step]));
        }
    }

    void solve(T* x, index_t size, index_t step) const {
        for (index_t n = 0; n < size; ++n) {
            const index_t i = downward() ? n : size - 1 - n;
            S sum = scaled(alpha_, x[i * step]);
            const index_t first = downward() ? 0 : i + 1, last = downward() ? i : size;
            for (index_t l = first; l < last; ++l) sum -= by_triangle(i, l, S(x[l * step]));
            if (g_.diag == Diag::NonUnit) sum /= triangle(i, i);
            x[i * step] = T(sum);
        }
    }

    const Level3Args& g_;
    const T *a_, *b_;
    T* c_;
    const S alpha_, beta_;
};

}  // namespace

void reference_level3(const Level3Args& args) {
    with_type(args.type, [&]<class T>() { Call<T>(args).run(); });
}

}  // namespace gemmill
