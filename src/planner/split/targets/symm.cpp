// SPDX-License-Identifier: Apache-2.0
// symm, hemm: a tile of A off the diagonal serves on both sides of it.
#include <algorithm>

#include "planner/split/targets/targets.hpp"
#include "task/problem.hpp"

namespace gemmill {

Targets symm_targets(const Problem& p, const Cut& cut) {
    const bool left = p.side == Side::Left, lower = p.uplo == Uplo::Lower;
    const std::vector<Part> along = cut_from_small(p.k, cut.edge, cut.taper);
    const std::vector<Part> across = cut_lines(left ? p.n : p.m, cut.other, cut.tail);
    const std::vector<Part>&all_rows = left ? along : across, &all_cols = left ? across : along;
    const auto rows = static_cast<std::int32_t>(all_rows.size());
    Targets targets;
    for (index_t j = 0; j < std::ssize(all_cols); ++j)
        for (index_t i = 0; i < std::ssize(all_rows); ++i)
            add_target(targets,
                       stored_tile(operand::C, Op::NoTrans, all_rows[static_cast<std::size_t>(i)],
                                   all_cols[static_cast<std::size_t>(j)]),
                       i, j);
    if (!is_read(p, operand::A)) return targets;
    const auto b = static_cast<std::int32_t>(targets.tiles.size());
    for (const Part& col : all_cols)
        for (const Part& row : all_rows)
            targets.tiles.push_back(stored_tile(operand::B, Op::NoTrans, row, col));
    const auto a = static_cast<std::int32_t>(targets.tiles.size());
    for (std::size_t far = 0; far < along.size(); ++far)
        for (std::size_t near = 0; near <= far; ++near)
            targets.tiles.push_back(stored_tile(operand::A, Op::NoTrans, along[lower ? far : near],
                                                along[lower ? near : far]));
    targets.terms.reserve(targets.all.size() * along.size());
    for (Target& t : targets.all) {
        const auto i = static_cast<std::int32_t>(t.row), j = static_cast<std::int32_t>(t.col);
        const std::size_t first = targets.terms.size();
        for (std::int32_t l = 0; l < static_cast<std::int32_t>(along.size()); ++l) {
            const std::int32_t k = left ? i : j, near = std::min(k, l), far = std::max(k, l);
            const std::int32_t half = a + far * (far + 1) / 2 + near;
            const std::int32_t other = b + (left ? j * rows + l : l * rows + i);
            targets.terms.push_back({left ? half : other, left ? other : half, l});
        }
        end_terms(targets, t, first);
    }
    return targets;
}

}  // namespace gemmill
