// SPDX-License-Identifier: Apache-2.0
// One call of any routine of level 3 with its matrices, and the judge of its result.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "base/routine.hpp"
#include "kernel/reference/level3.hpp"
#include "support/gemm_case.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"

namespace gemmill::test {

/// A call as its caller writes it: matrices in `layout`, pointers not yet there.
struct Level3Call {
    Layout layout = Layout::ColMajor;
    Level3Args args;
    std::array<index_t, 3> gap{};
    bool apart = false;  ///< trmm of a b into c

    Routine routine() const { return args.routine; }
    bool hermitian() const {
        return routine() == Routine::hemm || routine() == Routine::herk ||
               routine() == Routine::her2k;
    }
    bool update() const { return routine() >= Routine::syrk && routine() <= Routine::her2k; }
    bool sided() const { return routine() == Routine::symm || routine() == Routine::hemm; }
    bool product() const { return routine() <= Routine::gemmt; }
    bool triangular() const { return routine() >= Routine::trmm; }
    bool has_b() const {
        if (triangular()) return apart;
        return routine() != Routine::syrk && routine() != Routine::herk;
    }
    /// Of C only one triangle belongs to the call.
    bool half_c() const { return update() || routine() == Routine::gemmt; }
    bool multiplies() const { return args.k > 0 && args.alpha != Scalar{}; }
};

inline std::string to_string(const Level3Call& c) {
    const Level3Args& x = c.args;
    return fmt::format(
        "{}{} layout={} side={} uplo={} op={}{} diag={} m={} n={} k={} gaps={},{},{} "
        "alpha={}+{}i beta={}+{}i",
        letter_of(x.type), name_of(x.routine), static_cast<char>(c.layout),
        static_cast<char>(x.side), static_cast<char>(x.uplo), static_cast<char>(x.op_a),
        static_cast<char>(x.op_b), static_cast<char>(x.diag), x.m, x.n, x.k, c.gap[0], c.gap[1],
        c.gap[2], x.alpha.re, x.alpha.im, x.beta.re, x.beta.im);
}

/// Of this routine, every flag and size up to `largest`.
inline Level3Call random_level3(Random& random, Routine routine, index_t largest) {
    const auto size = [&]() -> index_t {
        const index_t kind = random.below(20);
        return kind < 2 ? kind : random.between(1, largest);
    };
    Level3Call c;
    Level3Args& x = c.args;
    x.routine = routine;
    constexpr Type types[] = {Type::s, Type::d, Type::c, Type::z};
    x.type = c.hermitian() ? types[2 + random.below(2)] : random.pick(types);
    c.layout = random.chance(40) ? Layout::RowMajor : Layout::ColMajor;
    x.side = random.chance(50) ? Side::Left : Side::Right;
    x.uplo = random.chance(50) ? Uplo::Upper : Uplo::Lower;
    x.diag = random.chance(50) ? Diag::Unit : Diag::NonUnit;
    x.op_a = random.pick(all_ops);
    x.op_b = random.pick(all_ops);
    if (c.update() && is_complex(x.type) && x.op_a != Op::NoTrans)
        x.op_a = c.hermitian() ? Op::ConjTrans : Op::Trans;
    x.m = size(), x.n = size(), x.k = size();
    if (c.half_c()) x.m = x.n;
    if (c.sided() || c.triangular()) x.k = x.side == Side::Left ? x.m : x.n;
    for (index_t& gap : c.gap) gap = random.chance(50) ? 0 : random.between(1, 9);
    x.alpha = random_factor(random, x.type);
    x.beta = c.triangular() ? Scalar{} : random_factor(random, x.type);
    if (routine == Routine::herk) x.alpha.im = 0;
    if (routine == Routine::herk || routine == Routine::her2k) x.beta.im = 0;
    return c;
}

/// The matrices of a call. What it must not read is NaN: gaps, the other triangle, a diagonal that
/// is one, imaginary parts that are none.
class Level3Operands {
  public:
    Level3Operands(const Level3Call& c, Random& random)
        : call_(c),
          a_(shape_a(c)),
          b_(shape_b(c)),
          c_({c.args.type, c.layout, c.args.m, c.args.n, c.gap[2]}) {
        if (c.multiplies()) fill_a(random);
        if (c.multiplies() && c.has_b()) b_.fill(random);
        const bool overwrites = c.triangular() && !c.apart;
        const bool reads_c = (overwrites ? c.args.alpha : c.args.beta) != Scalar{};
        if (reads_c) fill_c(random);
        judge();
    }

    const Level3Call& call() const { return call_; }
    /// The arguments with their pointers and leading dimensions.
    Level3Args args() const {
        Level3Args x = call_.args;
        x.a = a_.data(), x.lda = a_.ld();
        if (call_.has_b()) x.b = b_.data(), x.ldb = b_.ld();
        x.c = c_.data(), x.ldc = c_.ld();
        return x;
    }

    /// The whole result is right, and nothing else was touched.
    ::testing::AssertionResult check() const {
        const auto fail = [&](const std::string& text) {
            return ::testing::AssertionFailure() << text << "; " << to_string(call_);
        };
        for (index_t j = 0; j < call_.args.n; ++j)
            for (index_t i = 0; i < call_.args.m; ++i)
                if (!written(i, j)) {
                    if (!c_.same_element(i, j))
                        return fail(fmt::format("C({},{}) of the other triangle changed", i, j));
                } else if (!right(i, j)) {
                    const auto want = wanted_[index(i, j)], got = c_.at(i, j);
                    return fail(fmt::format("C({},{}) is {}+{}i, not {}+{}i within {}", i, j,
                                            got.real(), got.imag(), want.real(), want.imag(),
                                            bound(i, j)));
                }
        if (!a_.unchanged()) return fail("A changed");
        if (!b_.unchanged()) return fail("B changed");
        if (!c_.surroundings_unchanged()) return fail("written beside C");
        return ::testing::AssertionSuccess();
    }

  private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    static GuardedShape shape_a(const Level3Call& c) {
        const Level3Args& x = c.args;
        if (c.sided() || c.triangular()) return {x.type, c.layout, x.k, x.k, c.gap[0]};
        return x.op_a == Op::NoTrans ? GuardedShape{x.type, c.layout, x.m, x.k, c.gap[0]}
                                     : GuardedShape{x.type, c.layout, x.k, x.m, c.gap[0]};
    }
    static GuardedShape shape_b(const Level3Call& c) {
        const Level3Args& x = c.args;
        if (!c.has_b()) return {x.type, c.layout, 0, 0, 0};
        if (c.sided() || c.apart) return {x.type, c.layout, x.m, x.n, c.gap[1]};
        const bool as_is = (c.product() ? x.op_b : x.op_a) == Op::NoTrans;
        const index_t rows = c.product() ? x.k : x.n, cols = c.product() ? x.n : x.k;
        return {x.type, c.layout, as_is ? rows : cols, as_is ? cols : rows, c.gap[1]};
    }
    bool named(index_t i, index_t j) const {
        return call_.args.uplo == Uplo::Lower ? i >= j : i <= j;
    }
    bool written(index_t i, index_t j) const { return !call_.half_c() || named(i, j); }

    std::complex<double> number(Random& random) const {
        const double re = random.real();
        return {re, is_complex(call_.args.type) ? random.real() : 0};
    }
    void fill_a(Random& random) {
        if (!call_.sided() && !call_.triangular()) return a_.fill(random);
        const auto size = static_cast<double>(a_.shape().rows);
        for (index_t j = 0; j < a_.shape().cols; ++j)
            for (index_t i = 0; i < a_.shape().rows; ++i) {
                if (!named(i, j)) continue;
                std::complex<double> value = number(random);
                // A triangle that can be solved with: its diagonal is the largest by far.
                if (call_.triangular()) value = i == j ? value + 3.0 : value / size;
                if (i == j && call_.triangular() && call_.args.diag == Diag::Unit) continue;
                if (i == j && call_.hermitian()) value = {value.real(), nan};
                a_.set(i, j, value);
            }
        a_.keep();
    }
    void fill_c(Random& random) {
        for (index_t j = 0; j < call_.args.n; ++j)
            for (index_t i = 0; i < call_.args.m; ++i) {
                if (!written(i, j)) continue;
                std::complex<double> value = number(random);
                const bool real = i == j && call_.update() && call_.hermitian();
                c_.set(i, j, real ? std::complex<double>(value.real(), nan) : value);
            }
        c_.keep();
    }

    std::size_t index(index_t i, index_t j) const {
        return static_cast<std::size_t>(i + j * call_.args.m);
    }
    double bound(index_t i, index_t j) const {
        const Type type = call_.args.type;
        const double eps = type == Type::d || type == Type::z ? 0x1p-52 : 0x1p-23;
        return 8 * eps * static_cast<double>(call_.args.k + 2) * sizes_[index(i, j)];
    }
    bool right(index_t i, index_t j) const {
        const auto want = wanted_[index(i, j)], got = c_.at(i, j);
        const auto strange = [](std::complex<double> x) {
            return std::isnan(x.real()) || std::isnan(x.imag());
        };
        if (strange(want) || strange(got)) return strange(want) && strange(got);
        // Unwritten although it belongs to the call: nothing had to be done.
        return std::abs(want - got) <= bound(i, j);
    }

    /// Column-major without gaps.
    template <class T, class F>
    static std::vector<T> packed(const Guarded& x, F value) {
        std::vector<T> all;
        for (index_t j = 0; j < x.shape().cols; ++j)
            for (index_t i = 0; i < x.shape().rows; ++i) all.push_back(value(i, j, x.at(i, j)));
        return all;
    }
    template <class T>
    Level3Args packed_args(std::vector<T>& a, std::vector<T>& b, std::vector<T>& c) const {
        const auto rows = [](const Guarded& x) { return std::max<index_t>(1, x.shape().rows); };
        Level3Args x = call_.args;
        x.type = type_of<T>;
        x.a = a.data(), x.b = call_.has_b() ? b.data() : nullptr, x.c = c.data();
        x.lda = rows(a_), x.ldb = rows(b_), x.ldc = rows(c_);
        return x;
    }

    /// What C must become, by the loops in double precision, and what bounds the error: the same
    /// call with all numbers positive, and for a solution with the signs that make it largest.
    void judge() {
        using Z = std::complex<double>;
        const auto same = [](index_t, index_t, Z x) { return x; };
        const auto real = [](index_t, index_t, Z x) { return x.real(); };
        if (is_complex(call_.args.type))
            work_out<Z>(same);
        else
            work_out<double>(real);
        const auto size = [](index_t, index_t, Z x) {
            return std::isnan(x.imag()) ? std::abs(x.real()) : std::abs(x);
        };
        const bool solves = call_.routine() == Routine::trsm;
        auto a = packed<double>(a_, [&](index_t i, index_t j, Z x) {
            return solves && i != j ? -size(i, j, x) : size(i, j, x);
        });
        auto b = packed<double>(b_, size);
        sizes_ = packed<double>(c_, size);
        Level3Args x = packed_args(a, b, sizes_);
        constexpr Routine plain[] = {Routine::gemm, Routine::gemmt, Routine::symm,  Routine::symm,
                                     Routine::syrk, Routine::syrk,  Routine::syr2k, Routine::syr2k,
                                     Routine::trmm, Routine::trsm};
        x.routine = plain[static_cast<int>(x.routine)];
        if (x.op_a == Op::ConjTrans) x.op_a = Op::Trans;
        x.alpha = {std::hypot(x.alpha.re, x.alpha.im), 0};
        x.beta = {std::hypot(x.beta.re, x.beta.im), 0};
        if (x.m > 0 && x.n > 0) reference_level3(x);
    }
    template <class T, class F>
    void work_out(F value) {
        auto a = packed<T>(a_, value), b = packed<T>(b_, value), c = packed<T>(c_, value);
        Level3Args x = packed_args(a, b, c);
        if (x.op_a == Op::ConjTrans && call_.update() && !is_complex(x.type)) x.op_a = Op::Trans;
        if (x.m > 0 && x.n > 0) reference_level3(x);
        wanted_.assign(c.begin(), c.end());
    }

    Level3Call call_;
    Guarded a_, b_, c_;
    std::vector<std::complex<double>> wanted_;
    std::vector<double> sizes_;
};

inline constexpr Routine all_routines[] = {
    Routine::gemm, Routine::gemmt, Routine::symm,  Routine::hemm, Routine::syrk,
    Routine::herk, Routine::syr2k, Routine::her2k, Routine::trmm, Routine::trsm};

}  // namespace gemmill::test
