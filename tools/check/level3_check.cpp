// SPDX-License-Identifier: Apache-2.0
#include "check/level3_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/routine.hpp"
#include "random/arrays.hpp"
#include "random/numbers.hpp"

namespace gemmill::command {
namespace {

/// Sums of elements of a type.
template <class T>
using Wide = std::conditional_t<is_complex(type_of<T>), std::complex<double>, double>;
template <class W>
using Vector = std::vector<W>;

template <class T>
Wide<T> wide(T x) {
    return static_cast<Wide<T>>(x);
}
double conjugate(double x) { return x; }
std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

enum class Part : std::uint8_t { whole, below, above };
enum class Diagonal : std::uint8_t { stored, conjugated, real };

/// A matrix as it is stored, or what lies below or above its diagonal.
template <class T>
struct Matrix {
    const T* data;
    index_t ld, rows, cols;
    Part part = Part::whole;

    /// Rows [first, last) of column j.
    index_t first(index_t j) const { return part == Part::below ? j + 1 : 0; }
    index_t last(index_t j) const { return part == Part::above ? std::min(rows, j) : rows; }
};

/// M x; rows are cut over the cores.
template <class T, class W = Wide<T>>
Vector<W> times_stored(const Matrix<T>& m, const Vector<W>& x) {
    Vector<W> y(static_cast<std::size_t>(m.rows));
    parallel(m.rows, [&, out = y.data(), in = x.data()](index_t first, index_t last) {
        for (index_t j = 0; j < m.cols; ++j) {
            const index_t end = std::min(last, m.last(j));
            for (index_t i = std::max(first, m.first(j)); i < end; ++i)
                out[i] += wide(m.data[i + j * m.ld]) * in[j];
        }
    });
    return y;
}

/// M' x, of the conjugate of M where that is asked for; columns are cut over the cores.
template <class T, class W = Wide<T>>
Vector<W> times_turned(const Matrix<T>& m, const Vector<W>& x, bool conjugated) {
    Vector<W> y(static_cast<std::size_t>(m.cols));
    parallel(m.cols, [&, out = y.data(), in = x.data()](index_t first, index_t last) {
        for (index_t j = first; j < last; ++j)
            for (index_t i = m.first(j); i < m.last(j); ++i) {
                const W element = wide(m.data[i + j * m.ld]);
                out[j] += (conjugated ? conjugate(element) : element) * in[i];
            }
    });
    return y;
}

template <class T, class W = Wide<T>>
Vector<W> times(const Matrix<T>& m, Op op, const Vector<W>& x) {
    return op == Op::NoTrans ? times_stored(m, x) : times_turned(m, x, op == Op::ConjTrans);
}

template <class W>
Vector<W> sum(W a, const Vector<W>& x, W b, const Vector<W>& y) {
    Vector<W> z(x.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = a * x[i] + b * y[i];
    return z;
}

/// The matrices of a call, applied to vectors.
template <class T>
class Call {
  public:
    using W = Wide<T>;
    explicit Call(const Level3Args& args) : g_(args) {}

    /// What the result does with x; for trsm what op(A) and it do.
    Vector<W> found(const Vector<W>& x) const {
        if (g_.routine == Routine::trsm) return by_side(x, c());
        return by_triangle(x, Diagonal::stored);
    }

    /// The same, by the matrices before the call.
    Vector<W> right(const Vector<W>& x) const {
        const W beta = from_scalar<W>(g_.beta), alpha = from_scalar<W>(g_.alpha);
        if (g_.routine == Routine::trsm) {
            const Vector<W> before = times_stored(c(), x);
            return sum(alpha, before, W{}, before);
        }
        const Vector<W> product = products(x);
        const bool reads_c = !is_in_place(g_.routine) && beta != W{};
        return sum(W{1}, product, reads_c ? beta : W{}, reads_c ? old(x) : product);
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
    /// What a triangle stores beside its diagonal.
    Matrix<T> beside(const void* data, index_t ld, index_t n) const {
        Matrix<T> made = view(data, ld, n, n);
        made.part = g_.uplo == Uplo::Lower ? Part::below : Part::above;
        return made;
    }
    /// x times the diagonal of a triangle.
    static Vector<W> times_diagonal(const void* data, index_t ld, Diagonal as, const Vector<W>& x) {
        Vector<W> y(x.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
            W element = wide(static_cast<const T*>(data)[static_cast<index_t>(i) * (ld + 1)]);
            if (as == Diagonal::real) element = std::real(element);
            if (as == Diagonal::conjugated) element = conjugate(element);
            y[i] = element * x[i];
        }
        return y;
    }
    /// What is read of matrices that the routine takes to be equal to their images.
    Diagonal diagonal() const {
        return is_hermitian(g_.routine) ? Diagonal::real : Diagonal::stored;
    }

    Op turned() const { return is_hermitian(g_.routine) ? Op::ConjTrans : Op::Trans; }
    Op turned(Op op) const { return op == Op::NoTrans ? turned() : Op::NoTrans; }

    Vector<W> symmetric(const void* data, index_t ld, Diagonal as, const Vector<W>& x) const {
        const Matrix<T> half = beside(data, ld, static_cast<index_t>(x.size()));
        const Vector<W> both = sum(W{1}, times_stored(half, x), W{1}, times(half, turned(), x));
        return sum(W{1}, both, W{1}, times_diagonal(data, ld, as, x));
    }
    /// A of symm and hemm, or op(A) of trmm and trsm.
    Vector<W> special(const Vector<W>& x) const {
        if (mirrors(g_.routine)) return symmetric(g_.a, g_.lda, diagonal(), x);
        const Vector<W> y = times(beside(g_.a, g_.lda, g_.k), g_.op_a, x);
        if (g_.diag == Diag::Unit) return sum(W{1}, y, W{1}, x);
        const Diagonal as = g_.op_a == Op::ConjTrans ? Diagonal::conjugated : Diagonal::stored;
        return sum(W{1}, y, W{1}, times_diagonal(g_.a, g_.lda, as, x));
    }
    Vector<W> by_side(const Vector<W>& x, const Matrix<T>& other) const {
        return g_.side == Side::Left ? special(times_stored(other, x))
                                     : times_stored(other, special(x));
    }

    /// C as it is, all of it or by the triangle that the routine writes.
    Vector<W> by_triangle(const Vector<W>& x, Diagonal as) const {
        if (!writes_triangle(g_.routine)) return times_stored(c(), x);
        if (g_.routine != Routine::gemmt) return symmetric(g_.c, g_.ldc, as, x);
        return sum(W{1}, times_stored(beside(g_.c, g_.ldc, g_.n), x), W{1},
                   times_diagonal(g_.c, g_.ldc, as, x));
    }
    Vector<W> old(const Vector<W>& x) const { return by_triangle(x, diagonal()); }

    /// op(first) times the other turned, times x.
    Vector<W> update(const Matrix<T>& first, const Matrix<T>& second, const Vector<W>& x) const {
        return times(first, g_.op_a, times(second, turned(g_.op_a), x));
    }

    /// alpha times what the call multiplies.
    Vector<W> products(const Vector<W>& x) const {
        const W alpha = from_scalar<W>(g_.alpha);
        const auto scaled = [&](const Vector<W>& y) { return sum(alpha, y, W{}, y); };
        switch (g_.routine) {
            case Routine::gemm:
                return scaled(times(a(), g_.op_a, times(b(), g_.op_b, x)));
            case Routine::gemmt:
                return scaled(triangle_of_product(x));
            case Routine::syrk:
            case Routine::herk:
                return scaled(update(a(), a(), x));
            case Routine::syr2k:
            case Routine::her2k: {
                const bool hermitian = g_.routine == Routine::her2k;
                return sum(alpha, update(a(), like_a(), x), hermitian ? conjugate(alpha) : alpha,
                           update(like_a(), a(), x));
            }
            case Routine::symm:
            case Routine::hemm:
                return scaled(by_side(x, whole(g_.b, g_.ldb)));
            default:  // trmm
                return scaled(by_side(x, c()));
        }
    }

    /// Row i of a triangle of op(A) op(B) times x is row i of op(A) times the sum of those columns
    /// of op(B) x that are in the triangle: sums that differ by one column from row to row.
    Vector<W> triangle_of_product(const Vector<W>& x) const {
        const bool lower = g_.uplo == Uplo::Lower;
        Vector<W> y(x.size());
        parallel(g_.n, [&](index_t first, index_t last) {
            Vector<W> sums(static_cast<std::size_t>(g_.k));
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
    void add_column(index_t j, const Vector<W>& x, Vector<W>& sums) const {
        const Matrix<T> m = b();
        const bool as_is = g_.op_b == Op::NoTrans, conjugated = g_.op_b == Op::ConjTrans;
        const T* const column = m.data + (as_is ? j * m.ld : j);
        const index_t apart = as_is ? 1 : m.ld;
        const W factor = x[static_cast<std::size_t>(j)];
        for (index_t l = 0; l < g_.k; ++l) {
            const W element = wide(column[l * apart]);
            sums[static_cast<std::size_t>(l)] +=
                (conjugated ? conjugate(element) : element) * factor;
        }
    }
    W row_times(index_t i, const Vector<W>& sums) const {
        const Matrix<T> m = a();
        const bool as_is = g_.op_a == Op::NoTrans, conjugated = g_.op_a == Op::ConjTrans;
        const T* const row = m.data + (as_is ? i : i * m.ld);
        const index_t apart = as_is ? m.ld : 1;
        W total{};
        for (index_t l = 0; l < g_.k; ++l) {
            const W element = wide(row[l * apart]);
            total +=
                (conjugated ? conjugate(element) : element) * sums[static_cast<std::size_t>(l)];
        }
        return total;
    }

    const Level3Args& g_;
};

/// What rounding may do to a sum of so many products: once at each, and once where it is stored.
double rounding(Type type, index_t terms) {
    const double sum = type == Type::d || type == Type::z ? 0x1p-52 : 0x1p-23;
    const double stored = type == Type::h ? 0x1p-10 : type == Type::b ? 0x1p-7 : 0;
    return std::sqrt(static_cast<double>(terms)) * sum + stored;
}

/// f applied to x, in the type of sums of a call.
template <class T, class F>
std::vector<std::complex<double>> applied(const std::vector<double>& x, F f) {
    const Vector<Wide<T>> y = f(Vector<Wide<T>>(x.begin(), x.end()));
    return {y.begin(), y.end()};
}

}  // namespace

Level3Check::Level3Check(const Level3Args& before) {
    Random random(7);
    for (index_t i = 0; i < before.n; ++i) x_.push_back(random.uniform());
    right_ = with_type(before.type, [&]<class T>() {
        return applied<T>(x_, [&](const auto& x) { return Call<T>(before).right(x); });
    });
}

double Level3Check::error(const Level3Args& after) const {
    const auto found = with_type(after.type, [&]<class T>() {
        return applied<T>(x_, [&](const auto& x) { return Call<T>(after).found(x); });
    });
    double square = 0, worst = 0;
    for (const auto& r : right_) square += std::norm(r);
    const double mean = square / static_cast<double>(right_.size());
    const double unit = 8 * rounding(after.type, after.k + 2) *
                        std::sqrt(std::max(mean, std::numeric_limits<double>::min()));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double ratio = std::abs(found[i] - right_[i]) / unit;
        worst =
            std::max(worst, std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
    }
    return worst;
}

}  // namespace gemmill::command
