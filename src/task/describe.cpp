// SPDX-License-Identifier: Apache-2.0
#include "task/describe.hpp"

#include <optional>

#include "gemmill/error.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

Scale scale_of(Factor factor, Scale general) {
    return factor == Factor::zero ? Scale::zero : factor == Factor::one ? Scale::one : general;
}

Structure structure_of_a(const Problem& p) {
    if (is_in_place(p.routine))
        return p.diag == Diag::Unit ? Structure::unit : Structure::triangular;
    if (!mirrors(p.routine)) return Structure::general;
    return p.routine == Routine::hemm ? Structure::hermitian : Structure::symmetric;
}

Operand make_operand(const Problem& p, OperandId id) {
    const Shape shape = stored_shape(p, id);
    const bool half = id == operand::A ? reads_triangle(p.routine)
                                       : id == operand::C && writes_triangle(p.routine);
    Operand made;
    made.name = std::string(1, "ABC"[id]);
    made.type = p.type;
    made.rows = shape.rows;
    made.cols = shape.cols;
    if (half) made.triangle = triangle_of(p.uplo);
    if (id == operand::A) made.structure = structure_of_a(p);
    if (id == operand::C && half && is_hermitian(p.routine)) made.structure = Structure::hermitian;
    made.home = p.home[static_cast<std::size_t>(id)];
    made.pitch = p.pitch[static_cast<std::size_t>(id)];
    return made;
}

/// A stands on its side of the other factor.
Term sided(const Problem& p, Scale weight, Op op, OperandId other) {
    if (p.side == Side::Left) return {weight, operand::A, other, op, Op::NoTrans};
    return {weight, other, operand::A, Op::NoTrans, op};
}

std::vector<Term> rank_terms(const Problem& p, Scale alpha) {
    const Op flip = flipped(p.op_a, p.routine);
    if (!is_rank_2(p.routine)) return {{alpha, operand::A, operand::A, p.op_a, flip}};
    const bool conjugates = p.routine == Routine::her2k && alpha == Scale::alpha;
    return {{alpha, operand::A, operand::B, p.op_a, flip},
            {conjugates ? Scale::conj_alpha : alpha, operand::B, operand::A, p.op_a, flip}};
}

std::vector<Term> terms_of(const Problem& p) {
    using namespace operand;
    if (!is_read(p, A)) return {};
    const Scale alpha = scale_of(p.alpha, Scale::alpha);
    switch (p.routine) {
        case Routine::gemm:
        case Routine::gemmt:
            return {{alpha, A, B, p.op_a, p.op_b}};
        case Routine::symm:
        case Routine::hemm:
            return {sided(p, alpha, Op::NoTrans, B)};
        case Routine::trmm:
            return {sided(p, alpha, p.op_a, C)};
        case Routine::trsm:
            return {sided(p, Scale::minus_one, p.op_a, C)};
        default:
            return rank_terms(p, alpha);
    }
}

Goal goal_of(const Problem& p) {
    Goal goal;
    goal.target = operand::C;
    goal.terms = terms_of(p);
    goal.solves = p.routine == Routine::trsm && !goal.terms.empty();
    if (!is_in_place(p.routine)) goal.keep = scale_of(p.beta, Scale::beta);
    if (goal.solves) goal.keep = scale_of(p.alpha, Scale::alpha);
    return goal;
}

/// What the operands and the scales tell of a problem; routine, side and ops are still missing.
Problem known_of(const Plan& plan) {
    Problem p;
    const Operand &a = plan.operands[operand::A], &c = plan.operands[operand::C];
    p.type = c.type;
    p.m = c.rows, p.n = c.cols;
    const Triangle triangle = a.triangle != Triangle::none ? a.triangle : c.triangle;
    if (triangle != Triangle::none) p.uplo = uplo_of(triangle);
    if (a.structure == Structure::unit) p.diag = Diag::Unit;
    for (std::size_t i = 0; i < p.home.size(); ++i) {
        p.home[i] = plan.operands[i].home;
        p.pitch[i] = plan.operands[i].pitch;
    }
    return p;
}

bool is_described_by(const Problem& p, const Plan& plan) {
    Plan made;
    describe(p, made);
    return made.operands == plan.operands && made.goal == plan.goal;
}

/// All that BLAS could mean with operands of these shapes.
template <class Visit>
void each_variant(Problem p, const Operand& a, Visit visit) {
    constexpr Op ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
    constexpr Factor factors[] = {Factor::zero, Factor::one, Factor::general};
    for (int routine = 0; routine <= static_cast<int>(Routine::trsm); ++routine)
        for (const Side side : {Side::Left, Side::Right})
            for (const Op op_a : ops)
                for (const Op op_b : ops)
                    for (const Factor alpha : factors)
                        for (const Factor beta : factors) {
                            p.routine = static_cast<Routine>(routine);
                            p.side = side, p.op_a = op_a, p.op_b = op_b;
                            p.k = op_a == Op::NoTrans ? a.cols : a.rows;
                            p.alpha = alpha, p.beta = beta;
                            if (visit(p)) return;
                        }
}

}  // namespace

void describe(const Problem& problem, Plan& plan) {
    plan.operands.clear();
    for (const OperandId id : {operand::A, operand::B, operand::C})
        plan.operands.push_back(make_operand(problem, id));
    plan.goal = goal_of(problem);
}

Problem problem_of(const Plan& plan) {
    std::optional<Problem> found;
    if (plan.operands.size() == 3)
        each_variant(known_of(plan), plan.operands[operand::A], [&](const Problem& p) {
            if (is_described_by(p, plan)) found = p;
            return found.has_value();
        });
    require(found.has_value(), Code::invalid_plan, "a goal that a routine of level 3 has",
            "the plan makes " + formula_of(plan));
    return *found;
}

double bound_seconds(const Machine& machine, const Problem& problem,
                     std::span<const DeviceId> devices) {
    Plan plan;
    describe(problem, plan);
    return bound_seconds(machine, plan.operands, plan.goal, devices);
}

}  // namespace gemmill
