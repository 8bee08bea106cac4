// SPDX-License-Identifier: Apache-2.0
#include "bench/random/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "random/dice.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr Routine others[] = {Routine::gemmt, Routine::symm, Routine::syrk,
                              Routine::syr2k, Routine::trmm, Routine::trsm};

/// m, n and k as the routine ties them.
void tie(Problem& p) {
    if (writes_triangle(p.routine)) p.m = p.n;
    if (reads_triangle(p.routine)) p.k = p.side == Side::Left ? p.m : p.n;
}

bool fits(const Problem& p, const CaseLimits& limits) {
    const auto elements = [&](OperandId id) {
        const Shape shape = stored_shape(p, id);
        return shape.rows * shape.cols;
    };
    return std::max({elements(operand::A), elements(operand::B), elements(operand::C)}) <=
               limits.elements() &&
           flops_of(p) <= limits.flops();
}

index_t scaled(index_t size, double factor) {
    return static_cast<index_t>(static_cast<double>(size) * factor);
}

/// Makes a size odd or even; never larger, so that limits hold.
index_t with_parity(index_t size, bool odd) { return size - ((size % 2 != 0) == odd ? 0 : 1); }

void set_shape(Dice& dice, Problem& p, const CaseLimits& limits) {
    const double base =
        dice.spread(static_cast<double>(limits.least), static_cast<double>(limits.most));
    const bool square = dice.chance(50), odd = dice.chance(50);
    for (index_t* size : {&p.m, &p.n, &p.k})
        *size = static_cast<index_t>(square ? base : base * dice.spread(0.25, 4));
    for (tie(p); !fits(p, limits); tie(p))
        for (index_t* size : {&p.m, &p.n, &p.k}) *size = scaled(*size, 0.9);
    for (index_t* size : {&p.m, &p.n, &p.k}) *size = with_parity(*size, odd);
}

Op pick_op(Dice& dice) { return dice.chance(50) ? Op::NoTrans : Op::Trans; }

Where pick_where(Dice& dice) {
    if (dice.chance(10)) return Where::device;
    return dice.chance(50) ? Where::pinned : Where::pageable;
}

/// The flags that a routine has, as its name shows them.
std::string flags_text(const Problem& p) {
    const auto op = [](Op x) { return x == Op::NoTrans ? 'n' : x == Op::Trans ? 't' : 'c'; };
    const char* const side = p.side == Side::Left ? "left" : "right";
    const char* const uplo = p.uplo == Uplo::Lower ? "lower" : "upper";
    if (p.routine == Routine::gemm) return fmt::format("{}{}", op(p.op_a), op(p.op_b));
    if (p.routine == Routine::gemmt) return fmt::format("{} {}{}", uplo, op(p.op_a), op(p.op_b));
    if (writes_triangle(p.routine)) return fmt::format("{} {}", uplo, op(p.op_a));
    if (mirrors(p.routine)) return fmt::format("{} {}", side, uplo);
    return fmt::format("{} {} {}{}", side, uplo, op(p.op_a), p.diag == Diag::Unit ? " unit" : "");
}

std::string size_text(const Problem& p) {
    if (p.routine == Routine::gemm) return fmt::format("{}x{}x{}", p.m, p.n, p.k);
    if (writes_triangle(p.routine)) return fmt::format("{}x{}", p.n, p.k);
    return fmt::format("{}x{}", p.m, p.n);
}

}  // namespace

double CaseLimits::flops() const { return 2 * std::pow(static_cast<double>(most), 3); }

RandomCase random_case(std::uint64_t seed, std::uint64_t number, const CaseLimits& limits) {
    Dice dice(seed * 1000003 + number);
    RandomCase one;
    one.number = number;
    Problem& p = one.problem;
    p.routine = dice.chance(50) ? Routine::gemm : dice.pick(others);
    p.type = dice.chance(75) ? Type::d : Type::s;
    p.side = dice.chance(50) ? Side::Left : Side::Right;
    p.uplo = dice.chance(50) ? Uplo::Lower : Uplo::Upper;
    const bool unit = dice.chance(50);
    p.diag = unit && p.routine == Routine::trmm ? Diag::Unit : Diag::NonUnit;
    const Op op_a = pick_op(dice), op_b = pick_op(dice);
    if (!mirrors(p.routine)) p.op_a = op_a;
    if (p.routine == Routine::gemm || p.routine == Routine::gemmt) p.op_b = op_b;
    p.alpha = Factor::general;
    const bool reads_c = dice.chance(60) && !is_in_place(p.routine);
    p.beta = reads_c ? Factor::general : Factor::zero;
    one.where = pick_where(dice);
    set_shape(dice, p, limits);
    return one;
}

RandomCase in_type(RandomCase one, std::uint64_t seed, Type type) {
    Problem& p = one.problem;
    p.type = type;
    const Problem plain;
    if (is_short(type))
        p.routine = Routine::gemm, p.side = plain.side, p.uplo = plain.uplo, p.diag = plain.diag;
    if (!is_complex(type)) return one;
    Dice dice((seed * 1000003 + one.number) ^ 0x5851f42d4c957f2dU);
    const bool hermitian = dice.chance(50);
    if (hermitian && p.routine == Routine::symm) p.routine = Routine::hemm;
    if (hermitian && p.routine == Routine::syrk) p.routine = Routine::herk;
    if (hermitian && p.routine == Routine::syr2k) p.routine = Routine::her2k;
    for (Op* op : {&p.op_a, &p.op_b}) {
        const bool conjugated = dice.chance(50);
        const bool may = !writes_triangle(p.routine) || p.routine == Routine::gemmt;
        if (*op != Op::NoTrans && (is_hermitian(p.routine) || (may && conjugated)))
            *op = Op::ConjTrans;
    }
    return one;
}

RandomCase core_case(index_t n, Type type) {
    RandomCase one{0, {}, Where::device};
    one.problem.type = type;
    one.problem.m = one.problem.n = one.problem.k = n;
    one.problem.alpha = one.problem.beta = Factor::general;
    return one;
}

std::vector<RandomCase> core_cases(const std::vector<index_t>& sizes, Type type) {
    std::vector<RandomCase> all;
    for (const index_t least : sizes)
        for (const index_t n : {least, least + 1})
            for (const Op op_a : {Op::NoTrans, Op::Trans})
                for (const Op op_b : {Op::NoTrans, Op::Trans}) {
                    RandomCase one = core_case(n, type);
                    one.number = all.size();
                    one.problem.op_a = op_a, one.problem.op_b = op_b;
                    all.push_back(one);
                }
    return all;
}

std::string name_of(const RandomCase& one) {
    constexpr const char* places[] = {"pinned", "pageable", "in core"};
    const Problem& p = one.problem;
    const bool beta_0 = p.beta == Factor::zero && !is_in_place(p.routine);
    return fmt::format("{}{} {} {}{} {}", letter_of(p.type), name_of(p.routine), flags_text(p),
                       size_text(p), beta_0 ? " beta 0" : "",
                       places[static_cast<std::size_t>(one.where)]);
}

bool is_odd(const RandomCase& one) {
    return (one.problem.m % 2) + (one.problem.n % 2) + (one.problem.k % 2) > 0;
}

std::size_t bytes_of(const RandomCase& one, std::size_t operand) {
    return static_cast<std::size_t>(operand_bytes(one.problem, static_cast<OperandId>(operand)));
}

}  // namespace gemmill::command
