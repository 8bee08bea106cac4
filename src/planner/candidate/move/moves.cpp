// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/move/moves.hpp"

#include <algorithm>
#include <cmath>

#include "planner/candidate/favour.hpp"
#include "planner/candidate/pad.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/split/decompose.hpp"

namespace gemmill {
namespace {

/// Sets a value; false when it was the same.
template <class T>
bool set(T& value, const T& wanted) {
    if (value == wanted) return false;
    value = wanted;
    return true;
}

bool scale(index_t& count, double factor, index_t most) {
    const auto wanted = static_cast<index_t>(std::lround(static_cast<double>(count) * factor));
    return set(count, std::clamp<index_t>(wanted, 1, most));
}

/// In whole hundredths, so that two ways to the same front meet.
double moved(double front, double by, double least) {
    return std::round(std::clamp(front + by, least, 1.0) * 100) / 100;
}

void add_grids(const Draft& frame, const Candidate& candidate, std::vector<Move>& moves) {
    const auto count = static_cast<index_t>(candidate.choice.devices.size());
    for (index_t rows = 1; rows <= count; ++rows)
        if (count % rows == 0 && rows <= frame.problem.m && count / rows <= frame.problem.n)
            moves.push_back([=](Candidate& c) {
                if (!c.choice.shares.empty() || c.choice.strips.slices > 1) return false;
                return set(c.choice.grid, Grid{rows, count / rows});
            });
}

Move late(LateC late) {
    return [=](Candidate& c) {
        const Strips& s = c.choice.strips;
        const bool open =
            c.policy.order != Sequence::strips || (s.front > 0 && !s.by_rows && s.slices == 1);
        return open && set(c.policy.late_c, late);
    };
}

// --- changes of strips --------------------------------------------------------------------------

Move strips_by(const Draft& frame, double factor) {
    return [&frame, factor](Candidate& c) {
        const index_t cols = frame.problem.n / static_cast<index_t>(c.choice.devices.size());
        return scale(c.choice.strips.strips, factor, std::clamp<index_t>(cols / 128, 1, 64));
    };
}

Move strips_as_guessed(const Draft& frame) {
    return [&frame](Candidate& c) {
        const index_t wanted = rough_strips(frame, c.choice.devices, 32);
        return c.choice.strips.strips < wanted && set(c.choice.strips.strips, wanted);
    };
}

Move panels_by(const Draft& frame, double factor) {
    const index_t most = std::clamp<index_t>(frame.problem.k / 64, 1, 64);
    return [=](Candidate& c) {
        return c.choice.strips.front > 0 && scale(c.choice.strips.panels, factor, most);
    };
}

Move panels_as_guessed(const Draft& frame, bool by_rows) {
    return [&frame, by_rows](Candidate& c) {
        return c.choice.strips.front > 0 && c.choice.strips.by_rows == by_rows &&
               set(c.choice.strips.panels, rough_panels(frame, c.choice));
    };
}

Move growth_of(double growth) {
    return [=](Candidate& c) {
        return c.choice.strips.front > 0 && set(c.choice.strips.growth, growth);
    };
}

Move front_by(double by) {
    return [=](Candidate& c) {
        Strips& s = c.choice.strips;
        return s.slices == 1 && set(s.front, moved(s.front, by, 0));
    };
}

Move front_the_other_way() {
    return [](Candidate& c) {
        Strips& s = c.choice.strips;
        return s.front > 0 && s.slices == 1 && set(s.by_rows, !s.by_rows);
    };
}

Move drain_by(index_t by) {
    constexpr index_t most = 5;
    return [=](Candidate& c) {
        index_t& drain = c.choice.strips.drain;
        return set(drain, std::clamp<index_t>(drain + by, 0, most));
    };
}

Move slices_by(double factor) {
    return [=](Candidate& c) {
        const auto count = static_cast<index_t>(c.choice.devices.size());
        index_t slices = c.choice.strips.slices;
        if (slices == 1 || !scale(slices, factor, count) || count % slices != 0) return false;
        return set(c.choice.strips.slices, slices);
    };
}

/// Where C is written to the host, over links that reading takes too.
Move turns_on_or_off(const Draft& frame) {
    const auto home = static_cast<std::size_t>(frame.problem.home[2]);
    const bool host = frame.machine.memories[home].kind == MemoryKind::host;
    return [=](Candidate& c) {
        return host && c.choice.devices.size() > 1 &&
               set(c.choice.strips.turns, !c.choice.strips.turns);
    };
}

Move ahead_of(index_t strips) {
    return [=](Candidate& c) {
        Strips& s = c.choice.strips;
        return (s.front <= 0.5 || s.by_rows) && set(s.ahead, strips);
    };
}

Move bands_by(index_t by) {
    return [=](Candidate& c) {
        index_t& bands = c.choice.strips.bands;
        return bands > 0 && set(bands, std::max<index_t>(1, bands + by));
    };
}

Move front_of_bands_by(double by) {
    return [=](Candidate& c) {
        Strips& s = c.choice.strips;
        return s.bands > 0 && set(s.front, moved(s.front, by, 0.05));
    };
}

Move grid_with_fewest_fetches(const Draft& frame) {
    return [&frame](Candidate& c) {
        if (!c.choice.shares.empty() || c.choice.strips.slices > 1) return false;
        const auto count = static_cast<index_t>(c.choice.devices.size());
        return set(c.choice.grid, best_grid(frame.problem, count));
    };
}

Move favour_as_guessed(const Draft& frame) {
    return [&frame](Candidate& c) {
        return c.choice.shares.empty() && favour(frame, c, rough_favour(frame, c.choice.devices));
    };
}

Move equal_shares() {
    return [](Candidate& c) { return set(c.choice.shares, {}); };
}

Move favour_by(const Draft& frame, double factor) {
    return [&frame, factor](Candidate& c) {
        return !c.choice.shares.empty() && favour(frame, c, factor * favour_of(c));
    };
}

std::vector<Move> band_moves(const Draft& frame) {
    return {front_of_bands_by(0.05),
            panels_by(frame, 2),
            strips_by(frame, 2),
            panels_by(frame, 0.5),
            bands_by(1),
            strips_by(frame, 0.5),
            growth_of(1.15),
            growth_of(2.0),
            bands_by(-1),
            drain_by(1),
            drain_by(-1),
            front_of_bands_by(-0.05)};
}

std::vector<Move> strip_moves(const Draft& frame, const Candidate& candidate) {
    if (candidate.choice.strips.bands > 0) return band_moves(frame);
    std::vector<Move> moves{grid_with_fewest_fetches(frame),
                            favour_as_guessed(frame),
                            front_by(-0.15),
                            front_by(0.2),
                            drain_by(-1),
                            strips_by(frame, 0.5),
                            panels_by(frame, 0.5),
                            strips_by(frame, 2),
                            favour_by(frame, 0.85),
                            favour_by(frame, 1.15),
                            panels_as_guessed(frame, false),
                            growth_of(2.0),
                            front_the_other_way(),
                            panels_as_guessed(frame, true),
                            strips_as_guessed(frame)};
    add_grids(frame, candidate, moves);
    moves.push_back(late(LateC::always));
    for (const Move& move :
         {ahead_of(3), ahead_of(5), drain_by(1), panels_by(frame, 2), slices_by(0.5), slices_by(2),
          growth_of(1.15), growth_of(1.0), equal_shares(), favour_by(frame, 0.93),
          late(LateC::never), ahead_of(0), turns_on_or_off(frame)})
        moves.push_back(move);
    return moves;
}

// --- changes of tiles ---------------------------------------------------------------------------

struct Scale {
    double m, n, k;
};
index_t scaled(index_t tile, double factor) {
    constexpr index_t grain = 64, least = 256;  // thinner kernels are slow
    if (factor == 1) return tile;
    const auto wanted = static_cast<index_t>(static_cast<double>(tile) * factor);
    return std::max(std::min(tile, least), wanted / grain * grain);
}

Move tile_by(const Scale& s) {
    return [=](Candidate& c) {
        const TileSize& t = c.choice.tile;
        return !c.choice.fixed_tile &&
               set(c.choice.tile, TileSize{scaled(t.m, s.m), scaled(t.n, s.n), scaled(t.k, s.k)});
    };
}

Move order_of(Sequence order) {
    return [=](Candidate& c) { return set(c.policy.order, order); };
}

Move panels_with(double outer) {
    return [=](Candidate& c) {
        const bool order = set(c.policy.order, Sequence::panels);
        return set(c.choice.outer, outer) || order;
    };
}

Move pieces_of(int pieces) {
    return [=](Candidate& c) { return set(c.policy.pieces, pieces); };
}

Move chain_on_or_off() {
    return [](Candidate& c) { return set(c.policy.chain, !c.policy.chain); };
}

std::vector<Move> tile_moves(const Draft& frame, const Candidate& candidate) {
    std::vector<Move> moves{tile_by({2, 0.5, 2}), late(LateC::always),  tile_by({2, 2, 2}),
                            chain_on_or_off(),    tile_by({1, 0.5, 1}), tile_by({1, 1, 0.5})};
    add_grids(frame, candidate, moves);
    for (const Move& move :
         {pieces_of(1), tile_by({1, 1, 2}), tile_by({0.5, 1, 1}), tile_by({0.5, 0.5, 0.5}),
          tile_by({2, 1, 1}), order_of(Sequence::natural), panels_with(0.5), late(LateC::never),
          panels_with(0.25), tile_by({1, 2, 1}), order_of(Sequence::eta), panels_with(0.75)})
        moves.push_back(move);
    return moves;
}

}  // namespace

std::vector<Move> moves_for(const Draft& frame, const Candidate& candidate) {
    std::vector<Move> all =
        frame.problem.routine != Routine::gemm ? level3_moves_for(frame.problem, candidate.choice)
        : candidate.policy.order == Sequence::strips ? strip_moves(frame, candidate)
                                                     : tile_moves(frame, candidate);
    if (can_pad(frame)) all.push_back(flip(&Choice::padded));
    add_beside_moves(frame, candidate.choice, all);
    return all;
}

}  // namespace gemmill
