// SPDX-License-Identifier: Apache-2.0
#include "check/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "check/rounding.hpp"
#include "kernel/reference/reference.hpp"
#include "random/numbers.hpp"

namespace gemmill::command {
namespace {

constexpr double most_reference_flops = 1e9;

/// The type of sums: long double, or complex of it.
template <class T>
using wide_t = std::conditional_t<is_complex(type_of<T>), Number, long double>;

template <class T>
wide_t<T> widen(T x, bool conjugate) {
    if constexpr (is_complex(type_of<T>))
        return {x.real(), conjugate ? -x.imag() : x.imag()};
    else
        return x;
}

/// A stored matrix and the op that is applied to it.
template <class T>
struct Matrix {
    const T* data;
    index_t ld, rows, cols;  // as stored
    Op op;
};

/// op(M) x.
template <class T>
std::vector<wide_t<T>> times(const Matrix<T>& m, const std::vector<wide_t<T>>& x) {
    const bool as_is = m.op == Op::NoTrans, conjugate = m.op == Op::ConjTrans;
    std::vector<wide_t<T>> y(static_cast<std::size_t>(as_is ? m.rows : m.cols));
    for (index_t j = 0; j < m.cols; ++j)
        for (index_t i = 0; i < m.rows; ++i) {
            const auto value = widen(m.data[i + j * m.ld], conjugate);
            const auto row = static_cast<std::size_t>(as_is ? i : j);
            y[row] += value * x[static_cast<std::size_t>(as_is ? j : i)];
        }
    return y;
}

/// Element (i, j) of op(M).
template <class T>
Number element(const Matrix<T>& m, index_t i, index_t j) {
    const bool as_is = m.op == Op::NoTrans;
    return widen(m.data[as_is ? i + j * m.ld : j + i * m.ld], m.op == Op::ConjTrans);
}

/// Euclidean norms of the rows (or columns) of op(M).
template <class T>
std::vector<long double> norms(const Matrix<T>& m, bool of_rows) {
    const bool stored_rows = of_rows == (m.op == Op::NoTrans);
    std::vector<long double> sums(static_cast<std::size_t>(stored_rows ? m.rows : m.cols));
    for (index_t j = 0; j < m.cols; ++j)
        for (index_t i = 0; i < m.rows; ++i)
            sums[static_cast<std::size_t>(stored_rows ? i : j)] +=
                std::norm(widen(m.data[i + j * m.ld], false));
    for (long double& sum : sums) sum = std::sqrt(sum);
    return sums;
}

/// What rounding C to 16 bits does, beyond what is done to sums: its epsilon and least number.
struct Storage {
    double epsilon = 0, tiny = 0;
};
template <class T>
constexpr Storage storage{};
template <>
constexpr Storage storage<half>{0x1p-10, 0x1p-24};
template <>
constexpr Storage storage<bfloat16>{0x1p-7, 0x1p-133};

template <class T>
class Verification {
  public:
    Verification(const GemmArgs& g, const void* old_c, index_t roundings)
        : g_(g),
          roundings_(static_cast<double>(roundings)),
          alpha_(factor<T>(g.alpha)),
          beta_(factor<T>(g.beta)),
          multiplies_(g.k > 0 && alpha_ != Number(0)),
          reads_c_(beta_ != Number(0)),
          a_(view(g.a, g.lda, g.op_a, g.m, g.k)),
          b_(view(g.b, g.ldb, g.op_b, g.k, g.n)),
          c_(view(g.c, g.ldc, Op::NoTrans, g.m, g.n)),
          old_(view(old_c, g.ldc, Op::NoTrans, g.m, g.n)) {
        if (!multiplies_) return;
        row_norms_ = norms(a_, true);
        col_norms_ = norms(b_, false);
    }

    double by_reference() const {
        std::vector<T> expected(old_.data, old_.data + g_.ldc * g_.n);
        GemmArgs args = g_;
        args.c = expected.data();
        reference_gemm(args);
        double error = 0;
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = 0; i < g_.m; ++i) {
                const T& want = expected[static_cast<std::size_t>(i + j * g_.ldc)];
                error = std::max(error, error_at(i, j, number(want)));
            }
        return error;
    }

    double by_vector() const {
        const auto x = random_vector();
        const auto left = times(c_, x), right = expected_times(x);
        const std::vector<long double> spread = spread_of(x);
        double error = 0;
        for (std::size_t i = 0; i < left.size(); ++i)
            error = std::max(error, ratio(std::abs(left[i] - right[i]), 8 * spread[i]));
        return error;
    }

    bool has_overflows() const {
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = 0; i < g_.m; ++i)
                if (!is_finite(found(i, j))) return true;
        return false;
    }

    /// Exact sums of some elements; of all others that may overflow if they did.
    double by_grid() const {
        constexpr index_t grid = 64;
        const index_t rows = std::max<index_t>(1, g_.m / grid),
                      cols = std::max<index_t>(1, g_.n / grid);
        double error = 0;
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = 0; i < g_.m; ++i) {
                const T& x = c_.data[i + j * g_.ldc];
                if (i % rows == 0 && j % cols == 0)
                    error = std::max(error, error_of(x, exact(i, j), allowed()));
                else if (!is_finite(number(x)) && size_at(i, j, 1) < largest<T>() / 2)
                    error = std::numeric_limits<double>::infinity();
            }
        return error;
    }

  private:
    static Matrix<T> view(const void* data, index_t ld, Op op, index_t rows, index_t cols) {
        const bool as_is = op == Op::NoTrans;
        return {static_cast<const T*>(data), ld, as_is ? rows : cols, as_is ? cols : rows, op};
    }

    Number found(index_t i, index_t j) const { return number(c_.data[i + j * g_.ldc]); }

    Allowed allowed() const {
        return {epsilon<T>() * static_cast<double>(g_.k + 2) + roundings_ * storage<T>.epsilon,
                roundings_ * storage<T>.tiny + underflow<T>(g_.k)};
    }

    /// Against a plain loop; where one of the two overflows against the exact sum.
    double error_at(index_t i, index_t j, const Number& want) const {
        const Number difference = found(i, j) - want;
        if (!is_finite(difference))
            return error_of(c_.data[i + j * g_.ldc], exact(i, j), allowed());
        return ratio(std::abs(difference), allowed().unit * size_at(i, j, 1) + allowed().least);
    }

    Sum exact(index_t i, index_t j) const {
        Sum sum;
        for (index_t l = 0; multiplies_ && l < g_.k; ++l)
            sum.add(alpha_ * element(a_, i, l) * element(b_, l, j));
        if (reads_c_) sum.add(beta_ * element(old_, i, j));
        return sum;
    }

    /// What the rounding errors of an element are measured by, with its product times `share`.
    long double size_at(index_t i, index_t j, long double share) const {
        long double size = 0;
        if (multiplies_)
            size += share * std::abs(alpha_) * row_norms_[static_cast<std::size_t>(i)] *
                    col_norms_[static_cast<std::size_t>(j)];
        if (reads_c_) size += std::abs(beta_ * element(old_, i, j));
        return size;
    }

    /// The usual error of an element whose sum has terms of random signs.
    long double usual_error(index_t i, index_t j) const {
        const double k = static_cast<double>(g_.k);
        const long double sum =
            epsilon<T>() * std::sqrt(k + 2) * size_at(i, j, 1) + underflow<T>(g_.k);
        if constexpr (!is_short(type_of<T>)) return sum;
        const long double typical = size_at(i, j, 1 / std::sqrt(std::max(1.0, k)));
        return sum + std::sqrt(roundings_) * (storage<T>.epsilon / 2 * typical + storage<T>.tiny);
    }

    /// Of each row the root of the sum of (error x)^2: the signs of x are random, so that errors of
    /// a row add up like a random walk, which 8 such steps hold with certainty.
    std::vector<long double> spread_of(const std::vector<wide_t<T>>& x) const {
        std::vector<long double> squares(static_cast<std::size_t>(g_.m));
        for (index_t j = 0; j < g_.n; ++j) {
            const long double weight = std::abs(x[static_cast<std::size_t>(j)]);
            for (index_t i = 0; i < g_.m; ++i) {
                const long double part = weight * usual_error(i, j);
                squares[static_cast<std::size_t>(i)] += part * part;
            }
        }
        for (long double& square : squares) square = std::sqrt(square);
        return squares;
    }

    /// Entries of size 0.5 to 1.5 and either sign, so that equal errors of one row do not cancel.
    std::vector<wide_t<T>> random_vector() const {
        Random random(7);
        std::vector<wide_t<T>> x(static_cast<std::size_t>(g_.n));
        for (auto& value : x) {
            const double u = random.uniform();
            value = u < 0 ? u - 0.5 : u + 0.5;
        }
        return x;
    }

    std::vector<wide_t<T>> expected_times(const std::vector<wide_t<T>>& x) const {
        std::vector<wide_t<T>> y(static_cast<std::size_t>(g_.m));
        const auto add = [&](const Scalar& by, const std::vector<wide_t<T>>& part) {
            const auto f = widen(from_scalar<scalar_t<T>>(by), false);
            for (std::size_t i = 0; i < y.size(); ++i) y[i] += f * part[i];
        };
        if (multiplies_) add(g_.alpha, times(a_, times(b_, x)));
        if (reads_c_) add(g_.beta, times(old_, x));
        return y;
    }

    const GemmArgs& g_;
    double roundings_;
    const Number alpha_, beta_;
    bool multiplies_, reads_c_;
    Matrix<T> a_, b_, c_, old_;
    std::vector<long double> row_norms_, col_norms_;
};

}  // namespace

Verdict verify(const GemmArgs& args, const void* old_c, index_t roundings) {
    const double flops = flops_per_fma(args.type) * static_cast<double>(args.m) *
                         static_cast<double>(args.n) * static_cast<double>(args.k);
    if (args.m == 0 || args.n == 0) return {0, "reference product"};
    return with_type(args.type, [&]<class T>() -> Verdict {
        const Verification<T> verification(args, old_c, roundings);
        if (flops <= most_reference_flops)
            return {verification.by_reference(), "reference product"};
        if (verification.has_overflows()) return {verification.by_grid(), "elements of a grid"};
        return {verification.by_vector(), "random vector"};
    });
}

}  // namespace gemmill::command
