// SPDX-License-Identifier: Apache-2.0
// One call of any routine of level 3 with its matrices, and the judge of its result.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "backend/perform.hpp"
#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"
#include "kernel/reference/level3.hpp"
#include "support/gemm_case.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill::test {

constexpr Routine level3_routines[] = {Routine::gemmt, Routine::symm, Routine::hemm,
                                       Routine::syrk,  Routine::herk, Routine::syr2k,
                                       Routine::her2k, Routine::trmm, Routine::trsm};

inline std::string describe(const Problem& p) {
    constexpr const char* names[] = {"gemm", "gemmt", "symm",  "hemm", "syrk",
                                     "herk", "syr2k", "her2k", "trmm", "trsm"};
    return fmt::format(
        "{}{} side={} uplo={} diag={} op={}{} m={} n={} k={} alpha={} beta={} "
        "home={},{},{}",
        letter_of(p.type), names[static_cast<int>(p.routine)], static_cast<char>(p.side),
        static_cast<char>(p.uplo), static_cast<char>(p.diag), static_cast<char>(p.op_a),
        static_cast<char>(p.op_b), p.m, p.n, p.k, static_cast<int>(p.alpha),
        static_cast<int>(p.beta), p.home[0], p.home[1], p.home[2]);
}

/// Flags and sizes that the routine allows.
inline Problem random_level3(Random& random, Routine routine, index_t largest,
                             index_t memories = 1) {
    constexpr Factor factors[] = {Factor::zero, Factor::one, Factor::general, Factor::general};
    constexpr Type types[] = {Type::s, Type::d, Type::c, Type::z};
    const auto size = [&] { return random.chance(4) ? 0 : random.between(1, largest); };
    Problem p;
    p.routine = routine;
    p.type = random.pick(types);
    if (is_hermitian(routine)) p.type = random.chance(50) ? Type::c : Type::z;
    p.side = random.chance(50) ? Side::Left : Side::Right;
    p.uplo = random.chance(50) ? Uplo::Lower : Uplo::Upper;
    p.diag = random.chance(50) ? Diag::NonUnit : Diag::Unit;
    p.op_a = random.pick(all_ops);
    p.op_b = random.pick(all_ops);
    p.m = size(), p.n = size(), p.k = size();
    if (reads_triangle(routine))
        p.k = p.side == Side::Left ? p.m : p.n;
    else
        p.m = p.n;
    if (routine == Routine::herk || routine == Routine::her2k)
        p.op_a = p.op_a == Op::NoTrans ? Op::NoTrans : Op::ConjTrans;
    if ((routine == Routine::syrk || routine == Routine::syr2k) && p.op_a == Op::ConjTrans)
        p.op_a = Op::Trans;
    p.alpha = random.chance(10) ? Factor::zero : random.pick(factors);
    p.beta = random.pick(factors);
    for (MemoryId& home : p.home)
        home = random.chance(50) ? 0 : static_cast<MemoryId>(random.below(memories));
    return p;
}

/// The matrices of a call. What it must not read is NaN: the other triangle, a diagonal of ones,
/// all of an operand that the factors leave out.
class Level3Operands {
  public:
    using Places = std::array<Guarded::Place, 3>;

    Level3Operands(const Problem& p, Random& random, const Places& places = {})
        : p_(p), alpha_(value(p.alpha, p.routine == Routine::herk)), beta_(value(p.beta, real())) {
        for (std::size_t o = 0; o < 3; ++o) {
            const Shape shape = stored_shape(p, static_cast<OperandId>(o));
            all_.emplace_back(
                GuardedShape{p.type, Layout::ColMajor, shape.rows, shape.cols, random.below(3)},
                places[o]);
        }
        fill(random);
        judge();
    }

    Binding binding() const {
        for (const Guarded& x : all_) x.send();
        return {{all_[0].data(), all_[1].data(), all_[2].data()},
                {all_[0].ld(), all_[1].ld(), all_[2].ld()},
                alpha_,
                beta_};
    }
    Guarded& c() { return all_[2]; }
    void reset() { all_[2].restore(); }
    void fetch() const {
        for (const Guarded& x : all_) x.fetch();
    }

    bool right(index_t i, index_t j) const {
        if (is_other(i, j)) return all_[2].same_element(i, j);
        const auto want = wanted_[index(i, j)], got = all_[2].at(i, j);
        const auto nan = [](std::complex<double> x) {
            return std::isnan(x.real()) || std::isnan(x.imag());
        };
        if (nan(want) || nan(got)) return nan(want) && nan(got);
        return std::abs(want - got) <= bound();
    }
    bool right(const Tile& t) const {
        for (index_t j = t.col; j < t.col + t.cols; ++j)
            for (index_t i = t.row; i < t.row + t.rows; ++i)
                if (!right(i, j)) return false;
        return true;
    }
    bool old(const Tile& t) const {
        for (index_t j = t.col; j < t.col + t.cols; ++j)
            for (index_t i = t.row; i < t.row + t.rows; ++i)
                if (!all_[2].same_element(i, j)) return false;
        return true;
    }

    /// The whole result is right, and nothing else was touched.
    ::testing::AssertionResult check() const {
        fetch();
        for (index_t j = 0; j < p_.n; ++j)
            for (index_t i = 0; i < p_.m; ++i)
                if (!right(i, j)) {
                    const auto got = all_[2].at(i, j), want = wanted_[index(i, j)];
                    return ::testing::AssertionFailure() << fmt::format(
                               "C({},{}) is {}+{}i, not {}+{}i{}; {}", i, j, got.real(), got.imag(),
                               want.real(), want.imag(),
                               is_other(i, j) ? " (the other triangle)" : "", describe(p_));
                }
        return check_surroundings();
    }
    ::testing::AssertionResult check_surroundings() const {
        if (!all_[0].unchanged() || !all_[1].unchanged())
            return ::testing::AssertionFailure() << "A or B changed; " << describe(p_);
        if (!all_[2].surroundings_unchanged())
            return ::testing::AssertionFailure() << "written beside C; " << describe(p_);
        return ::testing::AssertionSuccess();
    }

  private:
    bool real() const { return p_.routine == Routine::herk || p_.routine == Routine::her2k; }
    Scalar value(Factor f, bool real) const {
        if (f == Factor::zero) return {0, 0};
        if (f == Factor::one) return {1, 0};
        return {1.5, is_complex(p_.type) && !real ? -0.25 : 0};
    }
    std::size_t index(index_t i, index_t j) const { return static_cast<std::size_t>(i + j * p_.m); }
    bool is_other(index_t i, index_t j) const {
        return writes_triangle(p_.routine) && (p_.uplo == Uplo::Lower ? i < j : i > j);
    }

    void fill(Random& random) {
        for (std::size_t o = 0; o < 3; ++o)
            if (is_read(p_, static_cast<OperandId>(o))) fill_one(all_[o], random, o);
        for (Guarded& x : all_) x.keep();
    }
    void fill_one(Guarded& x, Random& random, std::size_t o) {
        const bool half = o == 0 && reads_triangle(p_.routine);
        for (index_t j = 0; j < x.shape().cols; ++j)
            for (index_t i = 0; i < x.shape().rows; ++i) {
                if (half && (p_.uplo == Uplo::Lower ? i < j : i > j)) continue;
                if (o == 2 && is_other(i, j)) continue;
                if (half && i == j && is_in_place(p_.routine) && p_.diag == Diag::Unit) continue;
                double re = random.real(), im = random.real();
                // Solutions that do not grow.
                if (half && is_in_place(p_.routine)) {
                    const double scale = i == j ? 1 : 1 / static_cast<double>(p_.k);
                    re = re * scale + (i == j ? (re < 0 ? -1 : 1) : 0), im *= scale;
                }
                if (!is_complex(p_.type)) im = 0;
                x.set(i, j, {re, im});
            }
    }

    double bound() const {
        const bool twice = p_.type == Type::d || p_.type == Type::z;
        const double eps = twice ? 0x1p-52 : 0x1p-23;
        const double growth = p_.routine == Routine::trsm ? 8 : 1;
        return 64 * growth * eps * static_cast<double>(p_.k + 2);
    }

    void judge() {
        if (is_complex(p_.type))
            work_out<std::complex<double>>([](std::complex<double> x) { return x; });
        else
            work_out<double>([](std::complex<double> x) { return x.real(); });
    }
    template <class T, class F>
    void work_out(F value) {
        std::array<std::vector<T>, 3> x;
        std::array<index_t, 3> ld{};
        for (std::size_t o = 0; o < 3; ++o) {
            const GuardedShape& shape = all_[o].shape();
            for (index_t j = 0; j < shape.cols; ++j)
                for (index_t i = 0; i < shape.rows; ++i) x[o].push_back(value(all_[o].at(i, j)));
            ld[o] = std::max<index_t>(1, shape.rows);
        }
        Level3Args g = call_of(p_, {{x[0].data(), x[1].data(), x[2].data()}, ld, alpha_, beta_});
        g.type = type_of<T>;
        reference_level3(g);
        wanted_.assign(x[2].begin(), x[2].end());
    }

    Problem p_;
    Scalar alpha_, beta_;
    std::vector<Guarded> all_;
    std::vector<std::complex<double>> wanted_;
};

}  // namespace gemmill::test
