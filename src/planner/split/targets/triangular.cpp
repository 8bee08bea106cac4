// SPDX-License-Identifier: Apache-2.0
// trmm, trsm: blocks along the triangle depend on each other, those across it do not.
#include <utility>

#include "planner/split/targets/targets.hpp"
#include "task/problem.hpp"

namespace gemmill {

Targets triangular_targets(const Problem& p, const Cut& cut) {
    const bool left = p.side == Side::Left;
    // In the order in which they are solved.
    std::vector<Part> along = cut_from_small(p.k, cut.edge, cut.taper);
    if (!goes_forward(p)) along = from_the_end(std::move(along), p.k);
    const std::vector<Part> across = cut_lines(left ? p.n : p.m, cut.other, cut.tail);
    const auto length = static_cast<std::int32_t>(along.size());
    Targets targets;
    for (index_t j = 0; j < std::ssize(across); ++j)
        for (index_t i = 0; i < length; ++i) {
            const Part &to = along[static_cast<std::size_t>(i)],
                       &beside = across[static_cast<std::size_t>(j)];
            const Tile c =
                stored_tile(operand::C, Op::NoTrans, left ? to : beside, left ? beside : to);
            add_target(targets, c, left ? i : j, left ? j : i);
        }
    if (!is_read(p, operand::A)) return targets;
    const auto first_a = static_cast<std::int32_t>(targets.tiles.size());
    for (std::size_t i = 0; i < along.size(); ++i)
        for (std::size_t l = 0; l <= i; ++l)
            targets.tiles.push_back(
                stored_tile(operand::A, p.op_a, along[left ? i : l], along[left ? l : i]));
    targets.terms.reserve(targets.all.size() * (along.size() + 1) / 2);
    for (Target& t : targets.all) {
        const auto i = static_cast<std::int32_t>(left ? t.row : t.col);
        const auto line = static_cast<std::int32_t>(left ? t.col : t.row) * length;
        const std::int32_t row = first_a + i * (i + 1) / 2;
        const std::size_t first = targets.terms.size();
        for (std::int32_t l = 0; l < i; ++l) {
            const std::int32_t a = row + l, c = line + l;
            targets.terms.push_back({left ? a : c, left ? c : a, l});
        }
        targets.terms.push_back({row + i, -1, i, true});
        end_terms(targets, t, first);
    }
    return targets;
}

}  // namespace gemmill
