// SPDX-License-Identifier: Apache-2.0
// symm, hemm: a tile of A off the diagonal serves on both sides of it.
#include "planner/split/targets/targets.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// The stored tile that stands for (rows, cols) of the whole A.
Tile half_tile(const Problem& p, const Part& rows, const Part& cols) {
    const bool stored = p.uplo == Uplo::Lower ? rows.first >= cols.first : rows.first <= cols.first;
    return stored_tile(operand::A, Op::NoTrans, stored ? rows : cols, stored ? cols : rows);
}

}  // namespace

std::vector<Target> symm_targets(const Problem& p, const Cut& cut) {
    const bool left = p.side == Side::Left;
    const std::vector<Part> along = cut_from_small(p.k, cut.edge, cut.taper);
    const std::vector<Part> across = cut_lines(left ? p.n : p.m, cut.other, cut.tail);
    const std::vector<Part>&all_rows = left ? along : across, &all_cols = left ? across : along;
    std::vector<Target> targets;
    for (std::size_t j = 0; j < all_cols.size(); ++j)
        for (std::size_t i = 0; i < all_rows.size(); ++i) {
            const Part &rows = all_rows[i], &cols = all_cols[j];
            Target t{stored_tile(operand::C, Op::NoTrans, rows, cols),
                     static_cast<index_t>(i),
                     static_cast<index_t>(j),
                     {}};
            for (std::size_t l = 0; is_read(p, operand::A) && l < along.size(); ++l) {
                const Part& k = along[l];
                const Tile b =
                    stored_tile(operand::B, Op::NoTrans, left ? k : rows, left ? cols : k);
                const Tile a = left ? half_tile(p, rows, k) : half_tile(p, k, cols);
                t.terms.push_back({left ? a : b, left ? b : a, static_cast<index_t>(l)});
            }
            targets.push_back(std::move(t));
        }
    return targets;
}

}  // namespace gemmill
