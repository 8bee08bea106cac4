// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/start/lighten.hpp"

#include <algorithm>

#include "planner/candidate/rough.hpp"
#include "planner/candidate/sizes.hpp"

namespace gemmill {
namespace {

index_t larger(index_t size, index_t part, index_t most) {
    return std::min(most, size + size / part + 1);
}

/// False where there is nothing left to make coarser.
bool coarsen_strips(Strips& s) {
    constexpr index_t least_panels = 4, least_strips = 2;
    if (s.bands > 0 || (s.panels <= least_panels && s.strips <= least_strips)) return false;
    if (s.panels > least_panels) --s.panels;
    if (s.strips > least_strips) --s.strips;
    return true;
}

bool coarsen_tiles(const Problem& p, const Candidate& c, TileSize& tile) {
    if (tile.m == 0) tile = rough_tile(p, c);
    const index_t most = std::max({p.m, p.n, p.k});
    if (std::min({tile.m, tile.n, tile.k}) >= most) return false;
    for (index_t* size : {&tile.m, &tile.n, &tile.k}) *size = larger(*size, 4, most);
    return true;
}

/// Where several devices hold all of A, its pieces enter over all links: they stay.
bool coarsen_shared(const Problem& p, Cut& cut) {
    constexpr index_t few = 4;
    const Cut whole = sizes_of(p);
    if (cut.edge >= whole.edge && cut.other >= whole.other) return false;
    cut.edge = larger(cut.edge, 4, whole.edge);
    if (cut.edge >= whole.edge / few) cut.other = larger(cut.other, 2, whole.other);
    return true;
}

bool coarsen_cut(const Problem& p, Choice& choice) {
    const Cut whole = sizes_of(p);
    Cut& cut = choice.cut;
    if (choice.groups > 0 || (cut.edge >= whole.edge && cut.other >= whole.other)) return false;
    cut.other = larger(cut.other, 2, whole.other);
    cut.edge = larger(cut.edge, 4, whole.edge);
    return true;
}

bool coarsen(const Problem& p, Candidate& c) {
    if (c.choice.tall && c.choice.devices.size() > 1) return coarsen_shared(p, c.choice.cut);
    if (c.policy.chain && c.policy.pieces > 2) {
        c.policy.pieces /= 2;
        return true;
    }
    if (p.routine != Routine::gemm) return coarsen_cut(p, c.choice);
    if (c.policy.order == Sequence::strips) return coarsen_strips(c.choice.strips);
    return coarsen_tiles(p, c, c.choice.tile);
}

}  // namespace

void lighten(const Draft& frame, Candidate& c, double steps) {
    if (c.choice.fixed_tile) return;
    while (rough_steps(frame, c) > steps && coarsen(frame.problem, c)) {
    }
}

}  // namespace gemmill
