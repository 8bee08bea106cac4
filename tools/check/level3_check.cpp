// SPDX-License-Identifier: Apache-2.0
#include "check/level3_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/routine.hpp"
#include "random/arrays.hpp"
#include "random/numbers.hpp"

namespace gemmill::command {
namespace {

using Vector = std::vector<double>;

enum class Part : std::uint8_t { whole, lower, upper };

/// A matrix as it is stored, or a triangle of it.
template <class T>
struct Matrix {
    const T* data;
    index_t ld, rows, cols;
    Part part = Part::whole;
    bool diagonal = true;  // of a triangle: with it

    /// Rows [first, last) of column j.
    index_t first(index_t j) const { return part == Part::lower ? j + (diagonal ? 0 : 1) : 0; }
    index_t last(index_t j) const {
        return part == Part::upper ? std::min(rows, j + (diagonal ? 1 : 0)) : rows;
    }
};

/// M x; rows are cut over the cores.
template <class T>
Vector times(const Matrix<T>& m, const Vector& x) {
    Vector y(static_cast<std::size_t>(m.rows));
    parallel(m.rows, [&, out = y.data(), in = x.data()](index_t first, index_t last) {
        for (index_t j = 0; j < m.cols; ++j) {
            const index_t end = std::min(last, m.last(j));
            for (index_t i = std::max(first, m.first(j)); i < end; ++i)
                out[i] += static_cast<double>(m.data[i + j * m.ld]) * in[j];
        }
    });
    return y;
}

/// M' x; columns are cut over the cores.
template <class T>
Vector times_turned(const Matrix<T>& m, const Vector& x) {
    Vector y(static_cast<std::size_t>(m.cols));
    parallel(m.cols, [&, out = y.data(), in = x.data()](index_t first, index_t last) {
        for (index_t j = first; j < last; ++j)
            for (index_t i = m.first(j); i < m.last(j); ++i)
                out[j] += static_cast<double>(m.data[i + j * m.ld]) * in[i];
    });
    return y;
}

template <class T>
Vector times(const Matrix<T>& m, Op op, const Vector& x) {
    return op == Op::NoTrans ? times(m, x) : times_turned(m, x);
}

Vector sum(double a, const Vector& x, double b, const Vector& y) {
    Vector z(x.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = a * x[i] + b * y[i];
    return z;
}

Op turned(Op op) { return op == Op::NoTrans ? Op::Trans : Op::NoTrans; }

/// The matrices of a call, applied to vectors.
template <class T>
class Call {
  public:
    explicit Call(const Level3Args& args) : g_(args) {}

    /// What the result does with x; for trsm what op(A) and it do.
    Vector found(const Vector& x) const {
        if (g_.routine == Routine::trsm) return by_side(x, c());
        return old(x);
    }

    /// The same, by the matrices before the call.
    Vector right(const Vector& x) const {
        const double alpha = g_.alpha.re, beta = g_.beta.re;
        const Vector product = g_.routine == Routine::trsm ? times(c(), x) : products(x);
        const bool reads_c = !is_in_place(g_.routine) && beta != 0;
        return sum(alpha, product, reads_c ? beta : 0, reads_c ? old(x) : product);
    }

  private:
    static Matrix<T> view(const void* data, index_t ld, index_t rows, index_t cols) {
        return {static_cast<const T*>(data), ld, rows, cols};
    }
    /// Stored so that op of it is rows x cols.
    static Matrix<T> under(const void* data, index_t ld, Op op, index_t rows, index_t cols) {
        return op == Op::NoTrans ? view(data, ld, rows, cols) : view(data, ld, cols, rows);
    }
    Matrix<T> a() const { return under(g_.a, g_.lda, g_.op_a, g_.m, g_.k); }
    Matrix<T> b() const { return under(g_.b, g_.ldb, g_.op_b, g_.k, g_.n); }
    /// The B of syr2k has the shape of A.
    Matrix<T> like_a() const { return under(g_.b, g_.ldb, g_.op_a, g_.m, g_.k); }
    Matrix<T> whole(const void* data, index_t ld) const { return view(data, ld, g_.m, g_.n); }
    Matrix<T> c() const { return whole(g_.c, g_.ldc); }
    Matrix<T> triangle(const void* data, index_t ld, index_t n) const {
        Matrix<T> made = view(data, ld, n, n);
        made.part = g_.uplo == Uplo::Lower ? Part::lower : Part::upper;
        return made;
    }

    static Vector symmetric(Matrix<T> half, const Vector& x) {
        const Vector stored = times(half, x);
        half.diagonal = false;
        return sum(1, stored, 1, times_turned(half, x));
    }
    /// A of symm, or op(A) of trmm and trsm.
    Vector special(const Vector& x) const {
        Matrix<T> half = triangle(g_.a, g_.lda, g_.k);
        if (mirrors(g_.routine)) return symmetric(half, x);
        half.diagonal = g_.diag == Diag::NonUnit;
        const Vector y = times(half, g_.op_a, x);
        return half.diagonal ? y : sum(1, y, 1, x);
    }
    Vector by_side(const Vector& x, const Matrix<T>& other) const {
        return g_.side == Side::Left ? special(times(other, x)) : times(other, special(x));
    }

    /// C as it is, all of it or by the triangle that the routine writes.
    Vector old(const Vector& x) const {
        if (!writes_triangle(g_.routine)) return times(c(), x);
        const Matrix<T> half = triangle(g_.c, g_.ldc, g_.n);
        return g_.routine == Routine::gemmt ? times(half, x) : symmetric(half, x);
    }

    Vector products(const Vector& x) const {
        switch (g_.routine) {
            case Routine::gemm:
                return times(a(), g_.op_a, times(b(), g_.op_b, x));
            case Routine::gemmt:
                return triangle_of_product(x);
            case Routine::syrk:
                return times(a(), g_.op_a, times(a(), turned(g_.op_a), x));
            case Routine::syr2k:
                return sum(1, times(a(), g_.op_a, times(like_a(), turned(g_.op_a), x)), 1,
                           times(like_a(), g_.op_a, times(a(), turned(g_.op_a), x)));
            case Routine::symm:
                return by_side(x, whole(g_.b, g_.ldb));
            default:  // trmm
                return by_side(x, c());
        }
    }

    /// Row i of a triangle of op(A) op(B) times x is row i of op(A) times the sum of those columns
    /// of op(B) x that are in the triangle: sums that differ by one column from row to row.
    Vector triangle_of_product(const Vector& x) const {
        const bool lower = g_.uplo == Uplo::Lower;
        Vector y(x.size());
        parallel(g_.n, [&](index_t first, index_t last) {
            Vector sums(static_cast<std::size_t>(g_.k));
            const index_t before = lower ? first : g_.n - last;
            for (index_t j = 0; j < before; ++j) add_column(lower ? j : g_.n - 1 - j, x, sums);
            for (index_t step = 0; step < last - first; ++step) {
                const index_t i = lower ? first + step : last - 1 - step;
                add_column(i, x, sums);
                y[static_cast<std::size_t>(i)] = row_times(i, sums);
            }
        });
        return y;
    }
    void add_column(index_t j, const Vector& x, Vector& sums) const {
        const Matrix<T> m = b();
        const bool as_is = g_.op_b == Op::NoTrans;
        const T* const column = m.data + (as_is ? j * m.ld : j);
        const index_t apart = as_is ? 1 : m.ld;
        const double factor = x[static_cast<std::size_t>(j)];
        for (index_t l = 0; l < g_.k; ++l)
            sums[static_cast<std::size_t>(l)] += static_cast<double>(column[l * apart]) * factor;
    }
    double row_times(index_t i, const Vector& sums) const {
        const Matrix<T> m = a();
        const bool as_is = g_.op_a == Op::NoTrans;
        const T* const row = m.data + (as_is ? i : i * m.ld);
        const index_t apart = as_is ? m.ld : 1;
        double total = 0;
        for (index_t l = 0; l < g_.k; ++l)
            total += static_cast<double>(row[l * apart]) * sums[static_cast<std::size_t>(l)];
        return total;
    }

    const Level3Args& g_;
};

template <class F>
auto with_reals(Type type, F f) {
    return type == Type::s ? f.template operator()<float>() : f.template operator()<double>();
}

}  // namespace

Level3Check::Level3Check(const Level3Args& before) {
    Random random(7);
    for (index_t i = 0; i < before.n; ++i) x_.push_back(random.uniform());
    right_ = with_reals(before.type, [&]<class T>() { return Call<T>(before).right(x_); });
}

double Level3Check::error(const Level3Args& after) const {
    const Vector found =
        with_reals(after.type, [&]<class T>() { return Call<T>(after).found(x_); });
    const double epsilon =
        with_reals(after.type, []<class T>() { return double{std::numeric_limits<T>::epsilon()}; });
    double square = 0, worst = 0;
    for (const double r : right_) square += r * r;
    const double mean = square / static_cast<double>(right_.size());
    const double unit = 8 * std::sqrt(static_cast<double>(after.k + 2)) * epsilon *
                        std::sqrt(std::max(mean, std::numeric_limits<double>::min()));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double ratio = std::abs(found[i] - right_[i]) / unit;
        worst =
            std::max(worst, std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
    }
    return worst;
}

}  // namespace gemmill::command
