// SPDX-License-Identifier: Apache-2.0
// gemmt, syrk, herk, syr2k, her2k: a triangle of C.
#include "planner/split/targets/targets.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Tiles of A, or of B, by row: one for each part of k. Returns the number of the first.
std::int32_t add_factor(const Problem& p, OperandId operand, const std::vector<Part>& rows,
                        const std::vector<Part>& ks, std::vector<Tile>& tiles) {
    const auto first = static_cast<std::int32_t>(tiles.size());
    const bool transposed = operand == operand::B && p.routine == Routine::gemmt;
    for (const Part& row : rows)
        for (const Part& k : ks)
            tiles.push_back(transposed ? stored_tile(operand, p.op_b, k, row)
                                       : stored_tile(operand, p.op_a, row, k));
    return first;
}

}  // namespace

Targets rank_targets(const Problem& p, const Cut& cut) {
    const std::vector<Part> parts = cut_by_size({0, p.n}, cut.edge);
    const std::vector<Part> ks =
        cut_from_small(is_read(p, operand::A) ? p.k : 0, cut.other, cut.taper);
    const auto count = static_cast<index_t>(parts.size());
    const auto depth = static_cast<std::int32_t>(ks.size());
    const bool lower = p.uplo == Uplo::Lower, twice = is_rank_2(p.routine);
    Targets targets;
    for (index_t j = 0; j < count; ++j)
        for (index_t i = lower ? j : 0; i < (lower ? count : j + 1); ++i)
            add_target(targets,
                       stored_tile(operand::C, Op::NoTrans, parts[static_cast<std::size_t>(i)],
                                   parts[static_cast<std::size_t>(j)]),
                       i, j);
    const std::int32_t a = add_factor(p, operand::A, parts, ks, targets.tiles);
    const std::int32_t b =
        has_b(p.routine) ? add_factor(p, operand::B, parts, ks, targets.tiles) : a;
    targets.terms.reserve(targets.all.size() * ks.size() * (twice ? 2 : 1));
    for (Target& t : targets.all) {
        const bool square = t.row == t.col;
        const auto row = static_cast<std::int32_t>(t.row) * depth;
        const auto col = static_cast<std::int32_t>(t.col) * depth;
        const std::size_t first = targets.terms.size();
        for (std::int32_t l = 0; l < depth; ++l) {
            const bool alone = square && !has_b(p.routine);
            targets.terms.push_back({a + row + l, alone ? -1 : b + col + l, l});
            if (twice && !square) targets.terms.push_back({b + row + l, a + col + l, l});
        }
        end_terms(targets, t, first);
    }
    return targets;
}

}  // namespace gemmill
