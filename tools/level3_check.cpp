// SPDX-License-Identifier: Apache-2.0
#include "level3_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench_data.hpp"
#include "random.hpp"

namespace gemmill::command {
namespace {

using Vector = std::vector<double>;

/// An n x n matrix: all of it, or its lower triangle.
struct Matrix {
    const double* data;
    index_t n;
    bool lower;
};

/// M x; rows are cut over the cores.
Vector times(const Matrix& m, const Vector& x) {
    Vector y(x.size());
    parallel(m.n, [&](index_t first, index_t last) {
        for (index_t j = 0; j < m.n; ++j)
            for (index_t i = std::max(first, m.lower ? j : 0); i < last; ++i)
                y[static_cast<std::size_t>(i)] +=
                    m.data[i + j * m.n] * x[static_cast<std::size_t>(j)];
    });
    return y;
}

/// M' x; without the diagonal where that is asked for.
Vector times_turned(const Matrix& m, const Vector& x, bool diagonal = true) {
    Vector y(x.size());
    parallel(m.n, [&](index_t first, index_t last) {
        for (index_t j = first; j < last; ++j) {
            double sum = 0;
            for (index_t i = m.lower ? j + (diagonal ? 0 : 1) : 0; i < m.n; ++i)
                sum += m.data[i + j * m.n] * x[static_cast<std::size_t>(i)];
            y[static_cast<std::size_t>(j)] = sum;
        }
    });
    return y;
}

Vector sum(double a, const Vector& x, double b, const Vector& y) {
    Vector z(x.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = a * x[i] + b * y[i];
    return z;
}

/// A symmetric matrix by its lower triangle.
Vector times_symmetric(const double* data, index_t n, const Vector& x) {
    const Matrix half{data, n, true};
    return sum(1, times(half, x), 1, times_turned(half, x, false));
}

const double* reals(const void* data) { return static_cast<const double*>(data); }
Matrix whole(const void* data, index_t n) { return {reals(data), n, false}; }
Matrix half(const void* data, index_t n) { return {reals(data), n, true}; }

/// What the result, or for trsm A times it, does with x.
Vector right_of(const Level3Args& g, const Vector& x) {
    const index_t n = g.n;
    const double alpha = g.alpha.re, beta = g.beta.re;
    switch (g.routine) {
        case Routine::syrk:
            return sum(alpha, times(whole(g.a, n), times_turned(whole(g.a, n), x)), beta,
                       times_symmetric(reals(g.c), n, x));
        case Routine::syr2k: {
            const Vector ab = times(whole(g.a, n), times_turned(whole(g.b, n), x));
            const Vector ba = times(whole(g.b, n), times_turned(whole(g.a, n), x));
            return sum(alpha, sum(1, ab, 1, ba), beta, times_symmetric(reals(g.c), n, x));
        }
        case Routine::symm:
            return sum(alpha, times_symmetric(reals(g.a), n, times(whole(g.b, n), x)), beta,
                       times(whole(g.c, n), x));
        case Routine::trmm:
            return sum(alpha, times(half(g.a, n), times(whole(g.c, n), x)), 0, x);
        default:  // trsm
            return sum(alpha, times(whole(g.c, n), x), 0, x);
    }
}

Vector found_in(const Level3Args& g, const Vector& x) {
    if (g.routine == Routine::syrk || g.routine == Routine::syr2k)
        return times_symmetric(reals(g.c), g.n, x);
    const Vector y = times(whole(g.c, g.n), x);
    return g.routine == Routine::trsm ? times(half(g.a, g.n), y) : y;
}

}  // namespace

Level3Check::Level3Check(const Level3Args& before) {
    Random random(7);
    for (index_t i = 0; i < before.n; ++i) x_.push_back(random.uniform());
    right_ = right_of(before, x_);
}

double Level3Check::error(const Level3Args& after) const {
    const Vector found = found_in(after, x_);
    double square = 0, worst = 0;
    for (const double r : right_) square += r * r;
    const auto n = static_cast<double>(right_.size());
    const double unit = 8 * std::sqrt(n) * std::numeric_limits<double>::epsilon() *
                        std::sqrt(std::max(square / n, std::numeric_limits<double>::min()));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double ratio = std::abs(found[i] - right_[i]) / unit;
        worst =
            std::max(worst, std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
    }
    return worst;
}

}  // namespace gemmill::command
