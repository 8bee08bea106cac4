// SPDX-License-Identifier: Apache-2.0
// The operands of a plan with numbers in them, and the judge of its goal: what the formula says, in
// plain loops over whole matrices, whatever routine it is of, or of none.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "exec/backend.hpp"
#include "plan/access.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"

namespace gemmill::test {

/// Column-major in double precision.
struct Dense {
    using Number = std::complex<double>;
    index_t rows = 0, cols = 0;
    std::vector<Number> all;

    Dense(index_t m, index_t n)
        : rows(m), cols(n), all(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
    Number& operator()(index_t i, index_t j) { return all[static_cast<std::size_t>(i + j * rows)]; }
    Number operator()(index_t i, index_t j) const {
        return all[static_cast<std::size_t>(i + j * rows)];
    }
};

inline bool is_in(Triangle triangle, index_t i, index_t j) {
    return triangle == Triangle::none || (triangle == Triangle::lower ? i >= j : i <= j);
}

/// One element of what an operand stands for.
inline Dense::Number meant(const Operand& of, const Dense& stored, index_t i, index_t j) {
    const bool there = is_in(of.triangle, i, j);
    switch (of.structure) {
        case Structure::general:
            return stored(i, j);
        case Structure::symmetric:
            return there ? stored(i, j) : stored(j, i);
        case Structure::hermitian:
            if (i == j) return stored(i, i).real();
            return there ? stored(i, j) : std::conj(stored(j, i));
        default:
            if (i == j && of.structure == Structure::unit) return 1;
            return there ? stored(i, j) : 0;
    }
}

/// What the goal makes of the operands as they are stored. Elements of the target beyond its
/// triangle mean nothing.
class GoalValue {
  public:
    GoalValue(const Plan& plan, std::vector<Dense> stored, Scalar alpha, Scalar beta)
        : plan_(plan), stored_(std::move(stored)), alpha_(alpha), beta_(beta) {}

    Dense value() const {
        const Goal& goal = plan_.goal;
        Dense made(target_of(plan_).rows, target_of(plan_).cols);
        for (index_t j = 0; j < made.cols; ++j)
            for (index_t i = 0; i < made.rows; ++i) {
                if (goal.keep != Scale::zero) made(i, j) = number(goal.keep) * old(i, j);
                for (const Term& term : goal.terms)
                    if (!goal.solves) made(i, j) += product(term, i, j);
            }
        if (goal.solves) solve(made);
        // As in BLAS a target that stays as it is is not touched.
        if (target_of(plan_).structure == Structure::hermitian && !stays())
            for (index_t i = 0; i < made.cols; ++i) made(i, i) = made(i, i).real();
        return made;
    }

    /// The sum of the sizes of all that goes into an element.
    double size(index_t i, index_t j) const {
        double sum = plan_.goal.keep == Scale::zero ? 0 : 2 * std::abs(number(plan_.goal.keep));
        for (const Term& term : plan_.goal.terms)
            for (index_t l = 0; l < depth(term); ++l) sum += std::abs(part(term, i, l, j));
        return sum;
    }

    index_t depth(const Term& term) const {
        const Operand& first = operand_of(plan_, term.first);
        return term.op_first == Op::NoTrans ? first.cols : first.rows;
    }

  private:
    using Number = Dense::Number;

    Number number(Scale scale) const {
        const Scalar value = value_of(scale, alpha_, beta_);
        return {value.re, value.im};
    }
    Number element(OperandId id, Op op, index_t i, index_t j) const {
        const bool as_is = op == Op::NoTrans;
        const auto& stored = stored_[static_cast<std::size_t>(id)];
        const Number x = id == plan_.goal.target
                             ? stored(as_is ? i : j, as_is ? j : i)
                             : meant(operand_of(plan_, id), stored, as_is ? i : j, as_is ? j : i);
        return op == Op::ConjTrans ? std::conj(x) : x;
    }
    Number old(index_t i, index_t j) const {
        const Number x = stored_[static_cast<std::size_t>(plan_.goal.target)](i, j);
        const bool real = target_of(plan_).structure == Structure::hermitian && !stays();
        return i == j && real ? x.real() : x;
    }
    Number part(const Term& term, index_t i, index_t l, index_t j) const {
        return number(term.weight) * element(term.first, term.op_first, i, l) *
               element(term.second, term.op_second, l, j);
    }
    bool stays() const {
        return plan_.goal.keep == Scale::one &&
               std::ranges::all_of(plan_.goal.terms, [&](const Term& t) { return depth(t) == 0; });
    }
    Number product(const Term& term, index_t i, index_t j) const {
        Number sum = 0;
        for (index_t l = 0; l < depth(term); ++l) sum += part(term, i, l, j);
        return sum;
    }

    /// op(A) X = made, or X op(A) = made, by elimination: columns, or rows from the right.
    void solve(Dense& made) const {
        const Triangular of = triangular_of(plan_);
        const index_t size = of.left ? made.rows : made.cols;
        const auto at = [&](index_t i, index_t line) -> Number& {
            return of.left ? made(i, line) : made(line, i);
        };
        const auto a = [&](index_t i, index_t l) {
            return of.left ? element(of.operand, of.op, i, l) : element(of.operand, of.op, l, i);
        };
        for (index_t line = 0; line < (of.left ? made.cols : made.rows); ++line)
            for (index_t n = 0; n < size; ++n) {
                const index_t i = of.forward ? n : size - 1 - n;
                for (index_t l = of.forward ? 0 : i + 1; l < (of.forward ? i : size); ++l)
                    at(i, line) -= a(i, l) * at(l, line);
                at(i, line) /= a(i, i);
            }
    }

    const Plan& plan_;
    std::vector<Dense> stored_;
    Scalar alpha_, beta_;
};

/// Guarded matrices for the operands. What must not be read is NaN.
class GoalCase {
  public:
    GoalCase(const Plan& plan, Random& random)
        : plan_(plan),
          alpha_(general(is_real(Scale::alpha), 1.5, -0.25)),
          beta_(general(is_real(Scale::beta), -0.75, 0.5)),
          wanted_(0, 0),
          roundings_(roundings(plan)) {
        for (OperandId id = 0; id < std::ssize(plan.operands); ++id) add(id, random);
        judge();
    }

    Binding binding() const {
        Binding binding{{}, {}, alpha_, beta_};
        for (const Guarded& x : all_)
            binding.data.push_back(x.data()), binding.ld.push_back(x.ld());
        return binding;
    }
    void reset() { target().restore(); }
    const Dense& wanted() const { return wanted_; }

    bool old(const Tile& t) const {
        for (index_t j = t.col; j < t.col + t.cols; ++j)
            for (index_t i = t.row; i < t.row + t.rows; ++i)
                if (!target().same_element(i, j)) return false;
        return true;
    }

    ::testing::AssertionResult check() const {
        const Operand& made = target_of(plan_);
        for (index_t j = 0; j < made.cols; ++j)
            for (index_t i = 0; i < made.rows; ++i)
                if (!right(i, j))
                    return ::testing::AssertionFailure()
                           << fmt::format("element ({},{}) is {}+{}i, not {}+{}i", i, j,
                                          target().at(i, j).real(), target().at(i, j).imag(),
                                          wanted_(i, j).real(), wanted_(i, j).imag());
        for (OperandId id = 0; id < std::ssize(all_); ++id)
            if (id != plan_.goal.target && !all_[static_cast<std::size_t>(id)].unchanged())
                return ::testing::AssertionFailure() << "operand " << id << " changed";
        if (!target().surroundings_unchanged())
            return ::testing::AssertionFailure() << "written beside the target";
        return ::testing::AssertionSuccess();
    }

  private:
    Guarded& target() { return all_[static_cast<std::size_t>(plan_.goal.target)]; }
    const Guarded& target() const { return all_[static_cast<std::size_t>(plan_.goal.target)]; }

    /// Of a hermitian target only a pair of terms has factors that are not real.
    bool is_real(Scale scale) const {
        if (!is_complex(target_of(plan_).type)) return true;
        if (target_of(plan_).structure != Structure::hermitian) return false;
        return scale == Scale::beta || plan_.goal.keep == scale ||
               std::ranges::any_of(plan_.goal.terms,
                                   [](const Term& term) { return term.first == term.second; });
    }
    static Scalar general(bool real, double re, double im) { return {re, real ? 0 : im}; }

    void add(OperandId id, Random& random) {
        const Operand& of = operand_of(plan_, id);
        const bool something = target_of(plan_).rows > 0 && target_of(plan_).cols > 0;
        const bool read = something && is_read(plan_.goal, id);
        const bool there = read || id == plan_.goal.target;
        all_.emplace_back(GuardedShape{of.type, Layout::ColMajor, there ? of.rows : 0,
                                       there ? of.cols : 0, random.below(3)});
        if (read) fill(all_.back(), of, random);
        all_.back().keep();
    }

    static void fill(Guarded& x, const Operand& of, Random& random) {
        const bool unit = of.structure == Structure::unit;
        const bool divides = unit || of.structure == Structure::triangular;
        for (index_t j = 0; j < of.cols; ++j)
            for (index_t i = 0; i < of.rows; ++i) {
                if (!is_in(of.triangle, i, j) || (unit && i == j)) continue;
                double re = random.real(), im = is_complex(of.type) ? random.real() : 0;
                // Solutions that do not grow.
                if (divides && i == j) re += re < 0 ? -1 : 1;
                if (divides && i != j)
                    re /= static_cast<double>(of.rows), im /= static_cast<double>(of.rows);
                x.set(i, j, {re, im});
            }
    }

    void judge() {
        std::vector<Dense> stored;
        for (const Guarded& x : all_) {
            Dense& dense = stored.emplace_back(x.shape().rows, x.shape().cols);
            for (index_t j = 0; j < dense.cols; ++j)
                for (index_t i = 0; i < dense.rows; ++i) dense(i, j) = x.at(i, j);
        }
        const GoalValue goal(plan_, std::move(stored), alpha_, beta_);
        wanted_ = goal.value();
        index_t depth = 0;
        for (const Term& term : plan_.goal.terms) depth += goal.depth(term);
        for (index_t j = 0; j < wanted_.cols; ++j)
            for (index_t i = 0; i < wanted_.rows; ++i)
                bounds_.push_back(bound(static_cast<double>(depth + 2), goal.size(i, j)));
    }
    double bound(double depth, double size) const {
        const Type type = target_of(plan_).type;
        const double eps = type == Type::d || type == Type::z ? 0x1p-52 : 0x1p-23;
        const double of_sum = (plan_.goal.solves ? 512 : 16) * eps * depth * (1 + size);
        if (!is_short(type)) return of_sum;
        const double short_eps = type == Type::h ? 0x1p-10 : 0x1p-7;
        return of_sum + static_cast<double>(roundings_) * short_eps * (size + 1e-4);
    }

    bool right(index_t i, index_t j) const {
        if (!is_in(target_of(plan_).triangle, i, j)) return target().same_element(i, j);
        const auto want = wanted_(i, j), got = target().at(i, j);
        return std::abs(want - got) <= bounds_[static_cast<std::size_t>(i + j * wanted_.rows)];
    }

    const Plan& plan_;
    Scalar alpha_, beta_;
    std::vector<Guarded> all_;
    Dense wanted_;
    std::vector<double> bounds_;
    index_t roundings_;  // of 16-bit numbers
};

}  // namespace gemmill::test
