// SPDX-License-Identifier: Apache-2.0
// trmm, trsm: blocks along the triangle depend on each other, those across it do not.
#include <algorithm>

#include "planner/split/targets/targets.hpp"
#include "task/problem.hpp"

namespace gemmill {

std::vector<Target> triangular_targets(const Problem& p, const Cut& cut) {
    const bool left = p.side == Side::Left;
    // In the order in which they are solved.
    std::vector<Part> along = cut_from_small(p.k, cut.edge, cut.taper);
    if (!goes_forward(p)) along = from_the_end(std::move(along), p.k);
    const std::vector<Part> across = cut_lines(left ? p.n : p.m, cut.other, cut.tail);
    std::vector<Target> targets;
    for (std::size_t j = 0; j < across.size(); ++j)
        for (std::size_t i = 0; i < along.size(); ++i) {
            const Part &to = along[i], &beside = across[j];
            const auto c_tile = [&](const Part& part) {
                return stored_tile(operand::C, Op::NoTrans, left ? part : beside,
                                   left ? beside : part);
            };
            const auto a_tile = [&](const Part& from) {
                return stored_tile(operand::A, p.op_a, left ? to : from, left ? from : to);
            };
            const auto row = static_cast<index_t>(i), col = static_cast<index_t>(j);
            Target t{c_tile(to), left ? row : col, left ? col : row, {}};
            for (std::size_t l = 0; is_read(p, operand::A) && l < i; ++l) {
                const Tile a = a_tile(along[l]), c = c_tile(along[l]);
                t.terms.push_back({left ? a : c, left ? c : a, static_cast<index_t>(l)});
            }
            if (is_read(p, operand::A)) t.terms.push_back({a_tile(to), {}, row, true});
            targets.push_back(std::move(t));
        }
    return targets;
}

}  // namespace gemmill
