// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/reference/reference.hpp"
#include "random.hpp"

namespace gemmill::command {
namespace {

constexpr double most_reference_flops = 1e9;

/// The type of sums: long double, or complex of it.
template <class T>
struct Wide {
    using type = long double;
};
template <class R>
struct Wide<std::complex<R>> {
    using type = std::complex<long double>;
};
template <class T>
using wide_t = typename Wide<T>::type;

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

/// Euclidean norms of the rows (or columns) of op(M).
template <class T>
std::vector<double> norms(const Matrix<T>& m, bool of_rows) {
    const bool stored_rows = of_rows == (m.op == Op::NoTrans);
    std::vector<double> sums(static_cast<std::size_t>(stored_rows ? m.rows : m.cols));
    for (index_t j = 0; j < m.cols; ++j)
        for (index_t i = 0; i < m.rows; ++i) {
            const auto size = static_cast<double>(std::abs(m.data[i + j * m.ld]));
            sums[static_cast<std::size_t>(stored_rows ? i : j)] += size * size;
        }
    for (double& sum : sums) sum = std::sqrt(sum);
    return sums;
}

template <class T>
double epsilon() {
    if constexpr (is_complex(type_of<T>))
        return 2 * std::sqrt(2.0) * std::numeric_limits<typename T::value_type>::epsilon();
    else
        return std::numeric_limits<T>::epsilon();
}

double size_of(const Scalar& x) { return std::hypot(x.re, x.im); }

/// The larger error; what is not a number is infinitely wrong.
void keep_largest(double& error, double difference, double allowed) {
    const double ratio = difference == 0 ? 0 : difference / allowed;
    error = std::max(error, std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
}

template <class T>
class Verification {
  public:
    Verification(const GemmArgs& g, const void* old_c)
        : g_(g),
          multiplies_(g.k > 0 && g.alpha != Scalar{}),
          reads_c_(g.beta != Scalar{}),
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
        const double unit = epsilon<T>() * static_cast<double>(g_.k + 2);
        double error = 0;
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = 0; i < g_.m; ++i) {
                const index_t at = i + j * g_.ldc;
                const double difference = static_cast<double>(
                    std::abs(c_.data[at] - expected[static_cast<std::size_t>(at)]));
                keep_largest(error, difference, unit * size_at(i, j));
            }
        return error;
    }

    double by_vector() const {
        const auto x = random_vector();
        const auto left = times(c_, x), right = expected_times(x);
        const std::vector<double> spread = spread_of(x);
        const double unit = 8 * epsilon<T>() * std::sqrt(static_cast<double>(g_.k + 2));
        double error = 0;
        for (std::size_t i = 0; i < left.size(); ++i)
            keep_largest(error, static_cast<double>(std::abs(left[i] - right[i])),
                         unit * spread[i]);
        return error;
    }

  private:
    static Matrix<T> view(const void* data, index_t ld, Op op, index_t rows, index_t cols) {
        const bool as_is = op == Op::NoTrans;
        return {static_cast<const T*>(data), ld, as_is ? rows : cols, as_is ? cols : rows, op};
    }

    /// What the rounding errors of an element are measured by.
    double size_at(index_t i, index_t j) const {
        double size = 0;
        if (multiplies_)
            size += size_of(g_.alpha) * row_norms_[static_cast<std::size_t>(i)] *
                    col_norms_[static_cast<std::size_t>(j)];
        if (reads_c_)
            size += size_of(g_.beta) * static_cast<double>(std::abs(old_.data[i + j * g_.ldc]));
        return size;
    }

    /// Of each row the root of the sum of (size x)^2: the signs of x are random, so that errors of
    /// a row add up like a random walk, which 8 such steps hold with certainty.
    std::vector<double> spread_of(const std::vector<wide_t<T>>& x) const {
        std::vector<double> squares(static_cast<std::size_t>(g_.m));
        for (index_t j = 0; j < g_.n; ++j) {
            const auto weight = static_cast<double>(std::abs(x[static_cast<std::size_t>(j)]));
            for (index_t i = 0; i < g_.m; ++i) {
                const double part = weight * size_at(i, j);
                squares[static_cast<std::size_t>(i)] += part * part;
            }
        }
        for (double& square : squares) square = std::sqrt(square);
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
        const auto add = [&](const Scalar& factor, const std::vector<wide_t<T>>& part) {
            const auto f = widen(from_scalar<T>(factor), false);
            for (std::size_t i = 0; i < y.size(); ++i) y[i] += f * part[i];
        };
        if (multiplies_) add(g_.alpha, times(a_, times(b_, x)));
        if (reads_c_) add(g_.beta, times(old_, x));
        return y;
    }

    const GemmArgs& g_;
    bool multiplies_, reads_c_;
    Matrix<T> a_, b_, c_, old_;
    std::vector<double> row_norms_, col_norms_;
};

}  // namespace

Verdict verify(const GemmArgs& args, const void* old_c) {
    const double flops = flops_per_fma(args.type) * static_cast<double>(args.m) *
                         static_cast<double>(args.n) * static_cast<double>(args.k);
    return with_type(args.type, [&]<class T>() -> Verdict {
        const Verification<T> verification(args, old_c);
        if (flops <= most_reference_flops)
            return {verification.by_reference(), "reference product"};
        return {verification.by_vector(), "random vector"};
    });
}

}  // namespace gemmill::command
