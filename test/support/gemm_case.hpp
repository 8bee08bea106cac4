// SPDX-License-Identifier: Apache-2.0
// One gemm call with its matrices, and the judge of its result.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "exec/backend.hpp"
#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "kernel/reference/reference.hpp"
#include "plan/access.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"

namespace gemmill::test {

struct GemmCase {
    Type type = Type::d;
    Layout layout = Layout::ColMajor;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 0, n = 0, k = 0;
    std::array<index_t, 3> gap{};
    Scalar alpha{1, 0}, beta{0, 0};

    bool multiplies() const { return k > 0 && alpha != Scalar{}; }
};

inline std::string to_string(const GemmCase& c) {
    return fmt::format(
        "{}gemm layout={} op={}{} m={} n={} k={} gaps={},{},{} alpha={}+{}i beta={}+{}i",
        letter_of(c.type), static_cast<char>(c.layout), static_cast<char>(c.op_a),
        static_cast<char>(c.op_b), c.m, c.n, c.k, c.gap[0], c.gap[1], c.gap[2], c.alpha.re,
        c.alpha.im, c.beta.re, c.beta.im);
}

constexpr Type host_types[] = {Type::s, Type::d, Type::c, Type::z, Type::h, Type::b};
constexpr Op all_ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};

inline Scalar random_factor(Random& random, Type type) {
    const int kind = static_cast<int>(random.below(20));
    if (kind < 5) return {0, 0};
    if (kind < 10) return {1, 0};
    if (kind == 10) return {std::numeric_limits<double>::quiet_NaN(), 0};
    if (kind == 11) return {-1, 0};
    const double re = std::round(random.real() * 64) / 16;
    return {re, is_complex(type) ? std::round(random.real() * 64) / 16 : 0};
}

inline GemmCase random_case(Random& random, index_t largest) {
    const auto size = [&]() -> index_t {
        const index_t kind = random.below(20);
        return kind < 2 ? kind : random.between(1, largest);
    };
    GemmCase c;
    c.type = random.pick(host_types);
    c.layout = random.chance(30) ? Layout::RowMajor : Layout::ColMajor;
    c.op_a = random.pick(all_ops);
    c.op_b = random.pick(all_ops);
    c.m = size();
    c.n = size();
    c.k = size();
    for (index_t& gap : c.gap) gap = random.chance(50) ? 0 : random.between(1, 9);
    c.alpha = random_factor(random, c.type);
    c.beta = random_factor(random, c.type);
    return c;
}

/// A call that fits a problem.
inline GemmCase case_of(const Problem& p, Random& random) {
    const auto value = [&](Factor f) -> Scalar {
        if (f == Factor::zero) return {0, 0};
        if (f == Factor::one) return {1, 0};
        return {1.5, is_complex(p.type) ? -0.25 : 0};
    };
    GemmCase c{p.type, Layout::ColMajor, p.op_a,       p.op_b, p.m, p.n, p.k,
               {},     value(p.alpha),   value(p.beta)};
    for (index_t& gap : c.gap) gap = random.below(3);
    return c;
}

/// The matrices of a call. What the call must not read is NaN.
class Operands {
  public:
    using Places = std::array<Guarded::Place, 3>;

    Operands(const GemmCase& c, Random& random, const Places& places = {})
        : case_(c),
          a_({c.type, c.layout, c.op_a == Op::NoTrans ? c.m : c.k,
              c.op_a == Op::NoTrans ? c.k : c.m, c.gap[0]},
             places[0]),
          b_({c.type, c.layout, c.op_b == Op::NoTrans ? c.k : c.n,
              c.op_b == Op::NoTrans ? c.n : c.k, c.gap[1]},
             places[1]),
          c_({c.type, c.layout, c.m, c.n, c.gap[2]}, places[2]),
          roundings_(2 * c.k + 2) {
        if (c.multiplies()) a_.fill(random), b_.fill(random);
        if (c.beta != Scalar{}) c_.fill(random);
        judge();
    }

    Guarded& a() { return a_; }
    Guarded& b() { return b_; }
    Guarded& c() { return c_; }
    const GemmCase& problem() const { return case_; }

    /// Brings the matrices to where they live.
    void send() const { a_.send(), b_.send(), c_.send(); }
    void fetch() const { a_.fetch(), b_.fetch(), c_.fetch(); }

    Binding binding() const {
        send();
        return {{a_.data(), b_.data(), c_.data()},
                {a_.ld(), b_.ld(), c_.ld()},
                case_.alpha,
                case_.beta};
    }
    void reset() { c_.restore(); }
    /// How often a 16-bit C may be rounded; until it is said, as often as any plan may do it.
    void allow_roundings(index_t times) { roundings_ = times; }

    bool right(index_t i, index_t j) const {
        const auto want = wanted_[index(i, j)];
        const auto got = c_.at(i, j);
        const auto nan = [](std::complex<double> x) {
            return std::isnan(x.real()) || std::isnan(x.imag());
        };
        if (nan(want) || nan(got)) return nan(want) && nan(got);
        if (std::isinf(want.real())) return want == got;
        return std::abs(want - got) <= bound(i, j);
    }
    bool right(const Tile& t) const {
        return all_of(t, [&](index_t i, index_t j) { return right(i, j); });
    }
    bool old(const Tile& t) const {
        return all_of(t, [&](index_t i, index_t j) { return c_.same_element(i, j); });
    }

    /// The whole result is right, and nothing else was touched.
    ::testing::AssertionResult check() const {
        fetch();
        for (index_t j = 0; j < case_.n; ++j)
            for (index_t i = 0; i < case_.m; ++i)
                if (!right(i, j)) {
                    const auto want = wanted_[index(i, j)], got = c_.at(i, j);
                    return ::testing::AssertionFailure() << fmt::format(
                               "C({},{}) is {}+{}i, not {}+{}i within {}; {}", i, j, got.real(),
                               got.imag(), want.real(), want.imag(), bound(i, j), to_string(case_));
                }
        return check_surroundings();
    }
    ::testing::AssertionResult check_surroundings() const {
        if (!a_.unchanged())
            return ::testing::AssertionFailure() << "A changed; " << to_string(case_);
        if (!b_.unchanged())
            return ::testing::AssertionFailure() << "B changed; " << to_string(case_);
        if (!c_.surroundings_unchanged())
            return ::testing::AssertionFailure() << "written beside C; " << to_string(case_);
        return ::testing::AssertionSuccess();
    }

    /// Works out what C must become from what the matrices hold now: the result in double
    /// precision, and size = |alpha||A||B| + |beta||C|, which bounds the error:
    /// |dC| <= 4 eps (k + 2) size, and for 16-bit types, whose sums are floats, also
    /// eps16 size + tiny, the least number, for each rounding of C.
    void judge() {
        const auto size = [](std::complex<double> x) { return std::abs(x); };
        if (is_complex(case_.type))
            work_out<std::complex<double>>([](std::complex<double> x) { return x; });
        else
            work_out<double>([](std::complex<double> x) { return x.real(); });
        const auto a = packed<double>(a_, size), b = packed<double>(b_, size);
        sizes_ = packed<double>(c_, size);
        GemmArgs g = args(Type::d, a.data(), b.data(), sizes_.data());
        g.alpha = {std::hypot(case_.alpha.re, case_.alpha.im), 0};
        g.beta = {std::hypot(case_.beta.re, case_.beta.im), 0};
        reference_gemm(g);
    }

  private:
    std::size_t index(index_t i, index_t j) const {
        return static_cast<std::size_t>(i + j * case_.m);
    }
    double bound(index_t i, index_t j) const {
        const double size = sizes_[index(i, j)];
        const double eps = case_.type == Type::d || case_.type == Type::z ? 0x1p-52 : 0x1p-23;
        const double of_sum = 4 * eps * static_cast<double>(case_.k + 2) * size;
        if (!is_short(case_.type)) return of_sum;
        const bool is_half = case_.type == Type::h;
        const double eps16 = is_half ? 0x1p-10 : 0x1p-7, tiny = is_half ? 0x1p-24 : 0x1p-133;
        return of_sum + static_cast<double>(roundings_) * (eps16 * size + tiny);
    }
    template <class F>
    static bool all_of(const Tile& t, F holds) {
        for (index_t j = t.col; j < t.col + t.cols; ++j)
            for (index_t i = t.row; i < t.row + t.rows; ++i)
                if (!holds(i, j)) return false;
        return true;
    }

    /// Column-major without gaps.
    template <class T, class F>
    static std::vector<T> packed(const Guarded& x, F value) {
        std::vector<T> all;
        for (index_t j = 0; j < x.shape().cols; ++j)
            for (index_t i = 0; i < x.shape().rows; ++i) all.push_back(value(x.at(i, j)));
        return all;
    }

    template <class T, class F>
    void work_out(F value) {
        const auto a = packed<T>(a_, value), b = packed<T>(b_, value);
        auto c = packed<T>(c_, value);
        reference_gemm(args(type_of<T>, a.data(), b.data(), c.data()));
        wanted_.assign(c.begin(), c.end());
    }

    GemmArgs args(Type type, const void* a, const void* b, void* c) const {
        const auto rows = [](const Guarded& x) { return std::max<index_t>(1, x.shape().rows); };
        GemmArgs g;
        g.type = type;
        g.op_a = case_.op_a, g.op_b = case_.op_b;
        g.m = case_.m, g.n = case_.n, g.k = case_.k;
        g.alpha = case_.alpha, g.beta = case_.beta;
        g.a = a, g.b = b, g.c = c;
        g.lda = rows(a_), g.ldb = rows(b_), g.ldc = rows(c_);
        return g;
    }

    GemmCase case_;
    Guarded a_, b_, c_;
    std::vector<std::complex<double>> wanted_;
    std::vector<double> sizes_;
    index_t roundings_;
};

}  // namespace gemmill::test
