// SPDX-License-Identifier: Apache-2.0
// gemmt, syrk, herk, syr2k, her2k: a triangle of C.
#include "planner/split/targets/targets.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// The products of one part of k.
void add_terms(const Problem& p, const Part& rows, const Part& cols, const Part& k, index_t part,
               std::vector<TileTerm>& terms) {
    const auto first = [&](OperandId operand) { return stored_tile(operand, p.op_a, rows, k); };
    const auto second = [&](OperandId operand) {
        return stored_tile(operand, flipped(p.op_a, p.routine), k, cols);
    };
    const bool diagonal = rows == cols;
    if (p.routine == Routine::gemmt) {
        terms.push_back({first(operand::A), stored_tile(operand::B, p.op_b, k, cols), part});
    } else if (!is_rank_2(p.routine)) {
        terms.push_back({first(operand::A), diagonal ? Tile{} : second(operand::A), part});
    } else if (diagonal) {
        terms.push_back({first(operand::A), first(operand::B), part});
    } else {
        terms.push_back({first(operand::A), second(operand::B), part});
        terms.push_back({first(operand::B), second(operand::A), part});
    }
}

}  // namespace

std::vector<Target> rank_targets(const Problem& p, const Cut& cut) {
    const std::vector<Part> parts = cut_by_size({0, p.n}, cut.edge);
    const std::vector<Part> ks =
        cut_from_small(is_read(p, operand::A) ? p.k : 0, cut.other, cut.taper);
    const auto count = static_cast<index_t>(parts.size());
    std::vector<Target> targets;
    for (index_t j = 0; j < count; ++j)
        for (index_t i = p.uplo == Uplo::Lower ? j : 0; i < (p.uplo == Uplo::Lower ? count : j + 1);
             ++i) {
            const Part &rows = parts[static_cast<std::size_t>(i)],
                       &cols = parts[static_cast<std::size_t>(j)];
            Target t{stored_tile(operand::C, Op::NoTrans, rows, cols), i, j, {}};
            for (index_t l = 0; l < std::ssize(ks); ++l)
                add_terms(p, rows, cols, ks[static_cast<std::size_t>(l)], l, t.terms);
            targets.push_back(std::move(t));
        }
    return targets;
}

}  // namespace gemmill
