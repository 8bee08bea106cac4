// SPDX-License-Identifier: Apache-2.0
// Every routine against dense matrices that are written out in full, and by hand where it is about
// what may be read.
#include "kernel/reference/level3.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

using Z = std::complex<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A dense matrix of complex numbers, without a trick.
struct Dense {
    index_t rows = 0, cols = 0;
    std::vector<Z> x;

    Dense(index_t r, index_t c) : rows(r), cols(c), x(static_cast<std::size_t>(r * c)) {}
    Z& operator()(index_t i, index_t j) { return x[static_cast<std::size_t>(i + j * rows)]; }
    Z operator()(index_t i, index_t j) const { return x[static_cast<std::size_t>(i + j * rows)]; }
};

Dense operator*(const Dense& a, const Dense& b) {
    Dense c(a.rows, b.cols);
    for (index_t i = 0; i < a.rows; ++i)
        for (index_t j = 0; j < b.cols; ++j)
            for (index_t l = 0; l < a.cols; ++l) c(i, j) += a(i, l) * b(l, j);
    return c;
}

Dense turned(const Dense& a, bool conjugate) {
    Dense t(a.cols, a.rows);
    for (index_t i = 0; i < a.rows; ++i)
        for (index_t j = 0; j < a.cols; ++j) t(j, i) = conjugate ? std::conj(a(i, j)) : a(i, j);
    return t;
}

Dense under(Op op, const Dense& a) {
    return op == Op::NoTrans ? a : turned(a, op == Op::ConjTrans);
}

/// A matrix of the call as it is stored; what must not be read is NaN.
template <class T>
struct Stored {
    index_t rows, cols, ld;
    std::vector<T> x;

    Stored(index_t r, index_t c, Random& random)
        : rows(r),
          cols(c),
          ld(std::max<index_t>(1, r) + random.below(3)),
          x(static_cast<std::size_t>(ld * c), from_scalar<T>({nan, nan})) {
        for (index_t j = 0; j < c; ++j)
            for (index_t i = 0; i < r; ++i)
                (*this)(i, j) = from_scalar<T>({random.real(), random.real()});
    }
    T& operator()(index_t i, index_t j) { return x[static_cast<std::size_t>(i + j * ld)]; }
    T operator()(index_t i, index_t j) const { return x[static_cast<std::size_t>(i + j * ld)]; }

    Dense dense() const {
        Dense d(rows, cols);
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < cols; ++j) d(i, j) = Z((*this)(i, j));
        return d;
    }
};

bool named(Uplo uplo, index_t i, index_t j) { return uplo == Uplo::Lower ? i >= j : i <= j; }

bool is_hermitian(Routine r) {
    return r == Routine::hemm || r == Routine::herk || r == Routine::her2k;
}

template <class T>
class Check {
  public:
    Check(Level3Args g, Random& random)
        : g_(g),
          left_(g.side == Side::Left),
          apart_(g.routine == Routine::trmm && random.chance(50)),
          a_(a_rows(), a_cols(), random),
          b_(b_rows(), b_cols(), random),
          c_(g.m, g.n, random) {
        prepare();
    }

    void run() {
        g_.type = type_of<T>;
        g_.a = a_.x.data(), g_.lda = a_.ld;
        if (has_b()) g_.b = b_.x.data(), g_.ldb = b_.ld;
        const Stored<T> before = c_;
        g_.c = c_.x.data(), g_.ldc = c_.ld;
        const Dense want = wanted();
        reference_level3(g_);
        const bool triangle = writes_triangle();
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = 0; i < g_.m; ++i) {
                if (triangle && !named(g_.uplo, i, j)) {
                    ASSERT_EQ(bits(c_(i, j)), bits(before(i, j))) << "the other triangle";
                    continue;
                }
                ASSERT_LE(std::abs(Z(c_(i, j)) - want(i, j)), tolerance()) << fmt::format(
                    "C({},{}) is {}, not {}", i, j, Z(c_(i, j)).real(), want(i, j).real());
                if (triangle && i == j && is_hermitian(g_.routine)) {
                    ASSERT_EQ(Z(c_(i, i)).imag(), 0);
                }
            }
        for (index_t j = 0; j < g_.n; ++j)
            for (index_t i = g_.m; i < c_.ld; ++i)
                ASSERT_EQ(bits(c_(i, j)), bits(before(i, j))) << "between columns";
    }

  private:
    static std::vector<std::byte> bits(const T& x) {
        const auto* begin = reinterpret_cast<const std::byte*>(&x);
        return {begin, begin + sizeof x};
    }
    double tolerance() const {
        return (std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>) ? 1e-3 : 1e-10;
    }
    bool is(Routine r) const { return g_.routine == r; }
    bool half_a() const {
        return is(Routine::symm) || is(Routine::hemm) || is(Routine::trmm) || is(Routine::trsm);
    }
    bool has_b() const { return !is(Routine::syrk) && !is(Routine::herk) && !in_place(); }
    bool triangular() const { return is(Routine::trmm) || is(Routine::trsm); }
    bool in_place() const { return triangular() && !apart_; }
    bool writes_triangle() const { return !half_a() && !is(Routine::gemm); }
    bool multiplies() const { return g_.alpha != Scalar{} && (half_a() || g_.k > 0); }

    index_t order() const { return left_ ? g_.m : g_.n; }
    index_t a_rows() const { return half_a() ? order() : g_.op_a == Op::NoTrans ? g_.m : g_.k; }
    index_t a_cols() const { return half_a() ? order() : g_.op_a == Op::NoTrans ? g_.k : g_.m; }
    bool rank2() const { return is(Routine::syr2k) || is(Routine::her2k); }
    index_t b_rows() const {
        if (rank2()) return a_rows();
        return half_a() ? g_.m : g_.op_b == Op::NoTrans ? g_.k : g_.n;
    }
    index_t b_cols() const {
        if (rank2()) return a_cols();
        return half_a() ? g_.n : g_.op_b == Op::NoTrans ? g_.n : g_.k;
    }

    void poison(Stored<T>& x) {
        for (T& value : x.x) value = from_scalar<T>({nan, nan});
    }
    void prepare() {
        for (index_t i = 0; half_a() && i < order(); ++i) a_(i, i) = a_(i, i) + T(4);
        full_a_ = a_.dense();
        for (index_t j = 0; half_a() && j < order(); ++j)
            for (index_t i = 0; i < order(); ++i) {
                Z& full = full_a_(i, j);
                if (i == j) {
                    if (is(Routine::hemm)) full = full.real();
                    if (triangular() && g_.diag == Diag::Unit) {
                        full = 1;
                        a_(i, i) = from_scalar<T>({nan, nan});
                    } else if (is(Routine::hemm)) {
                        a_(i, i) = from_scalar<T>({Z(a_(i, i)).real(), nan});
                    }
                } else if (!named(g_.uplo, i, j)) {
                    const Z mirrored = Z(a_(j, i));
                    full = triangular() ? Z(0) : is(Routine::hemm) ? std::conj(mirrored) : mirrored;
                }
            }
        for (index_t j = 0; half_a() && j < order(); ++j)
            for (index_t i = 0; i < order(); ++i)
                if (!named(g_.uplo, i, j)) a_(i, j) = from_scalar<T>({nan, nan});
        full_b_ = b_.dense();
        old_c_ = c_.dense();
        const bool rank_h = is(Routine::herk) || is(Routine::her2k);
        for (index_t i = 0; rank_h && i < g_.n; ++i) {
            old_c_(i, i) = old_c_(i, i).real();
            if (multiplies() || g_.beta != Scalar{1, 0})
                c_(i, i) = from_scalar<T>({Z(c_(i, i)).real(), nan});
            else
                c_(i, i) = from_scalar<T>({Z(c_(i, i)).real(), 0});
        }
        if (writes_triangle())
            for (index_t j = 0; j < g_.n; ++j)
                for (index_t i = 0; i < g_.n; ++i)
                    if (!named(g_.uplo, i, j)) c_(i, j) = from_scalar<T>({nan, nan});
        if (!multiplies()) poison(a_), poison(b_);
        if (!has_b()) poison(b_);
        if (in_place() ? !multiplies() : g_.beta == Scalar{}) poison(c_);
    }

    Dense wanted() const {
        const Z alpha{g_.alpha.re, g_.alpha.im}, beta{g_.beta.re, g_.beta.im};
        Dense sum(g_.m, g_.n);
        if (multiplies()) sum = products(alpha);
        if (!in_place() && beta != 0.0)
            for (std::size_t i = 0; i < sum.x.size(); ++i) sum.x[i] += beta * old_c_.x[i];
        return sum;
    }

    Dense products(Z alpha) const {
        const auto times = [](Z factor, Dense d) {
            for (Z& x : d.x) x *= factor;
            return d;
        };
        const Dense a = under(g_.op_a, full_a_);
        const bool hermitian = is_hermitian(g_.routine);
        switch (g_.routine) {
            case Routine::symm:
            case Routine::hemm:
                return times(alpha, left_ ? full_a_ * full_b_ : full_b_ * full_a_);
            case Routine::syrk:
            case Routine::herk:
                return times(alpha, a * turned(a, hermitian));
            case Routine::syr2k:
            case Routine::her2k: {
                const Dense b = under(g_.op_a, full_b_);
                Dense sum = times(alpha, a * turned(b, hermitian));
                const Dense second =
                    times(hermitian ? std::conj(alpha) : alpha, b * turned(a, hermitian));
                for (std::size_t i = 0; i < sum.x.size(); ++i) sum.x[i] += second.x[i];
                return sum;
            }
            case Routine::trmm:
                return times(alpha, left_ ? a * multiplied() : multiplied() * a);
            case Routine::trsm:
                return left_ ? solved(a, times(alpha, old_c_))
                             : turned(solved(turned(a, false), turned(times(alpha, old_c_), false)),
                                      false);
            default:
                return times(alpha, a * under(g_.op_b, full_b_));
        }
    }

    /// What trmm multiplies.
    const Dense& multiplied() const { return apart_ ? full_b_ : old_c_; }

    /// Elimination, as if A were any matrix.
    static Dense solved(Dense a, Dense x) {
        const index_t n = a.rows;
        for (index_t p = 0; p < n; ++p)
            for (index_t i = 0; i < n; ++i) {
                if (i == p) continue;
                const Z factor = a(i, p) / a(p, p);
                for (index_t j = 0; j < n; ++j) a(i, j) -= factor * a(p, j);
                for (index_t j = 0; j < x.cols; ++j) x(i, j) -= factor * x(p, j);
            }
        for (index_t i = 0; i < n; ++i)
            for (index_t j = 0; j < x.cols; ++j) x(i, j) /= a(i, i);
        return x;
    }

    Level3Args g_;
    bool left_, apart_;  // apart: trmm of a b into c
    Stored<T> a_, b_, c_;
    Dense full_a_{0, 0}, full_b_{0, 0}, old_c_{0, 0};
};

constexpr Routine routines[] = {Routine::gemmt, Routine::symm, Routine::hemm,
                                Routine::syrk,  Routine::herk, Routine::syr2k,
                                Routine::her2k, Routine::trmm, Routine::trsm};

Level3Args random_call(Random& random, Type type) {
    constexpr Op ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
    const auto factor = [&](bool real) -> Scalar {
        if (random.chance(20)) return {0, 0};
        if (random.chance(30)) return {1, 0};
        return {random.real() * 2, real || !is_complex(type) ? 0 : random.real()};
    };
    Level3Args g;
    g.routine = random.pick(routines);
    g.side = random.chance(50) ? Side::Left : Side::Right;
    g.uplo = random.chance(50) ? Uplo::Lower : Uplo::Upper;
    g.diag = random.chance(50) ? Diag::NonUnit : Diag::Unit;
    g.op_a = random.pick(ops);
    g.op_b = random.pick(ops);
    g.m = random.between(0, 9), g.n = random.between(0, 9), g.k = random.between(0, 9);
    const bool hermitian = is_hermitian(g.routine);
    const bool half_a = g.routine == Routine::symm || g.routine == Routine::hemm ||
                        g.routine == Routine::trmm || g.routine == Routine::trsm;
    if (half_a)
        g.k = g.side == Side::Left ? g.m : g.n;
    else
        g.m = g.n;
    if (g.routine == Routine::herk || g.routine == Routine::her2k)
        g.op_a = g.op_a == Op::NoTrans ? Op::NoTrans : Op::ConjTrans;
    if (g.routine == Routine::syrk || g.routine == Routine::syr2k)
        g.op_a = g.op_a == Op::NoTrans ? Op::NoTrans : Op::Trans;
    g.alpha = factor(g.routine == Routine::herk);
    g.beta = factor(hermitian && g.routine != Routine::hemm);
    return g;
}

TEST(ReferenceLevel3, agrees_with_dense_matrices) {
    Random random(1);
    for (int i = 0; i < affordable(20'000) && !::testing::Test::HasFailure(); ++i) {
        constexpr Type types[] = {Type::s, Type::d, Type::c, Type::z};
        const Type type = random.pick(types);
        const Level3Args g = random_call(random, type);
        SCOPED_TRACE(
            fmt::format("routine {} type {} side {} uplo {} diag {} ops {}{} {}x{}x{} "
                        "alpha {}+{}i beta {}+{}i",
                        static_cast<int>(g.routine), letter_of(type), static_cast<char>(g.side),
                        static_cast<char>(g.uplo), static_cast<char>(g.diag),
                        static_cast<char>(g.op_a), static_cast<char>(g.op_b), g.m, g.n, g.k,
                        g.alpha.re, g.alpha.im, g.beta.re, g.beta.im));
        if (type == Type::s) Check<float>(g, random).run();
        if (type == Type::d) Check<double>(g, random).run();
        if (type == Type::c) Check<std::complex<float>>(g, random).run();
        if (type == Type::z) Check<Z>(g, random).run();
    }
}

/// 2 x 2 by hand.
Level3Args small(Routine routine, const std::vector<double>& a, std::vector<double>& c) {
    Level3Args g;
    g.routine = routine;
    g.m = g.n = g.k = 2;
    g.alpha = {1, 0};
    g.a = a.data(), g.lda = 2;
    g.c = c.data(), g.ldc = 2;
    return g;
}

TEST(ReferenceLevel3, by_hand) {
    // A = [1 0; 3 4] (lower), stored by columns.
    const std::vector<double> a{1, 3, nan, 4};
    std::vector<double> c{5, 7, 6, 8};  // [5 6; 7 8]
    reference_level3(small(Routine::trmm, a, c));
    EXPECT_EQ(c, (std::vector<double>{5, 43, 6, 50}));
    reference_level3(small(Routine::trsm, a, c));
    EXPECT_EQ(c, (std::vector<double>{5, 7, 6, 8}));
    Level3Args g = small(Routine::trmm, a, c);
    g.side = Side::Right;
    reference_level3(g);  // [5 6; 7 8] [1 0; 3 4]
    EXPECT_EQ(c, (std::vector<double>{23, 31, 24, 32}));
    std::vector<double> s{nan, nan, 77, nan};
    const std::vector<double> full{1, 3, 2, 4};  // [1 2; 3 4]
    reference_level3(small(Routine::syrk, full, s));
    EXPECT_EQ(s, (std::vector<double>{5, 11, 77, 25}));
}

TEST(ReferenceLevel3, nan_and_inf_travel) {
    const std::vector<double> a{nan, 3, 0, 4};
    std::vector<double> c{0, 0, 0, 0};
    reference_level3(small(Routine::syrk, a, c));
    EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
    EXPECT_EQ(c[3], 25);
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> zero{1, 0, nan, 1};
    std::vector<double> x{inf, 1, 2, 3};
    reference_level3(small(Routine::trmm, zero, x));  // 0 times inf
    EXPECT_EQ(x[0], inf);
    EXPECT_TRUE(std::isnan(x[1]));
    const std::vector<double> singular{0, 1, nan, 1};
    std::vector<double> y{1, 1, 0, 1};
    reference_level3(small(Routine::trsm, singular, y));
    EXPECT_EQ(y[0], inf);
    EXPECT_EQ(y[1], -inf);
    EXPECT_TRUE(std::isnan(y[2]));
}

}  // namespace
}  // namespace gemmill::test
