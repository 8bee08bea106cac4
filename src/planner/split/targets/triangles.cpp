// SPDX-License-Identifier: Apache-2.0
#include "planner/split/targets/triangles.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/split/fit.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// The groups of block 0. Each difference modulo the number of groups occurs once.
struct Design {
    index_t groups = 0;
    std::vector<index_t> first;
};
const std::vector<Design>& designs() {
    static const std::vector<Design> all{
        {3, {0, 1}},
        {7, {0, 1, 3}},
        {13, {0, 1, 3, 9}},
        {21, {0, 1, 4, 14, 16}},
        {31, {0, 1, 3, 8, 12, 18}},
        {57, {0, 1, 3, 13, 32, 36, 43, 52}},
        {73, {0, 1, 3, 7, 15, 31, 36, 54, 63}},
        {91, {0, 1, 3, 9, 27, 49, 56, 61, 77, 81}},
        {133, {0, 1, 3, 12, 20, 34, 38, 81, 88, 94, 104, 109}},
    };
    return all;
}

const Design& design_of(index_t groups) {
    const auto found = std::ranges::find(designs(), groups, &Design::groups);
    require(found != designs().end(), Code::internal, "one of triangle_groups()",
            "planner: no blocks for so many groups");
    return *found;
}

}  // namespace

std::span<const index_t> triangle_groups() {
    static const std::vector<index_t> all = [] {
        std::vector<index_t> groups;
        for (const Design& design : designs()) groups.push_back(design.groups);
        return groups;
    }();
    return all;
}

index_t Triangles::block_of(index_t row, index_t col) const {
    const index_t one = row * groups / rows, other = col * groups / rows;
    if (one == other) return one;
    for (const index_t a : design_of(groups).first)
        for (const index_t b : design_of(groups).first)
            if ((one - a + groups) % groups == (other - b + groups) % groups)
                return (one - a + groups) % groups;
    throw Error(Code::internal, "planner: two groups without a block", "a block for any two");
}

bool has_triangles(Routine r) { return writes_triangle(r) && r != Routine::gemmt; }

std::optional<Cut> triangle_cut(const Problem& p, index_t groups, std::int64_t bytes,
                                index_t grain) {
    constexpr index_t good_edge = 2048, good_part = 4096, shortest_part = 256, fine = 64;
    if (p.n < groups || p.k == 0) return std::nullopt;
    const auto meet = static_cast<index_t>(design_of(groups).first.size());
    const index_t each = (p.n + groups - 1) / groups;  // rows of C
    const index_t tiles = std::max<index_t>(1, each / good_edge);
    index_t edge = (each + tiles - 1) / tiles;
    if (edge >= 4 * fine) edge = (edge + fine - 1) / fine * fine;
    const index_t in_block = meet * (meet - 1) / 2 * tiles * tiles + tiles * (tiles + 1) / 2;
    const std::int64_t left = bytes - in_block * slot_bytes(edge, edge, p.type, grain);
    // Of A, and of B where there is one.
    const index_t panels = 2 * meet * tiles * (is_rank_2(p.routine) ? 2 : 1);
    for (index_t part = std::min(p.k, good_part); part >= std::min(p.k, shortest_part); part /= 2)
        if (panels * slot_bytes(edge, part, p.type, grain) <= left) return Cut{edge, part, false};
    return std::nullopt;
}

}  // namespace gemmill
