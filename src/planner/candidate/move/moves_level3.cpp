// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "planner/candidate/move/moves.hpp"
#include "planner/candidate/sizes.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr int most_taper = 4;

Move scale(index_t Cut::*size, double factor, index_t most) {
    return [=](Candidate& candidate) {
        Choice& c = candidate.choice;
        if (c.fixed_tile) return false;
        const index_t old = c.cut.*size;
        const index_t next = tile_size(factor * static_cast<double>(old), most);
        c.cut.*size = next;
        return next != old && (next > old || next >= least_edge);
    };
}

/// As many more lines for each device.
Move more_lines(const Cut& whole, index_t added) {
    return [=](Candidate& candidate) {
        Choice& c = candidate.choice;
        if (c.fixed_tile || whole.other == 0) return false;
        const auto each = static_cast<index_t>(c.devices.size());
        const index_t old = (whole.other + c.cut.other - 1) / c.cut.other;
        const index_t next = (old / each + added) * each;
        if (next < each || whole.other / next < least_edge) return false;
        return std::exchange(c.cut.other, (whole.other + next - 1) / next) != c.cut.other;
    };
}

Move outer(double step) {
    return [=](Candidate& candidate) {
        Choice& c = candidate.choice;
        const double next = std::clamp(c.outer + step, 0.0, 1.0);
        return std::exchange(c.outer, next) != next;
    };
}

/// Where there are lines, they are tapered alike.
Move taper(int step, bool has_lines) {
    return [=](Candidate& candidate) {
        Choice& c = candidate.choice;
        const int next = std::clamp(c.cut.taper + step, 0, most_taper);
        if (has_lines) c.cut.tail = next;
        return !c.fixed_tile && std::exchange(c.cut.taper, next) != next;
    };
}

Move tail(int step) {
    return [=](Candidate& candidate) {
        Choice& c = candidate.choice;
        const int next = std::clamp(c.cut.tail + step, 0, most_taper);
        return !c.fixed_tile && std::exchange(c.cut.tail, next) != next;
    };
}

/// Of what goes to all devices.
Move pieces_by(double factor) {
    return [=](Candidate& candidate) {
        const int most = static_cast<int>(candidate.choice.devices.size());
        const int old = std::min(candidate.policy.pieces, most);
        const int next = std::clamp(static_cast<int>(factor * old), 1, most);
        candidate.policy.pieces = next;
        return next != old;
    };
}

}  // namespace

std::vector<Move> level3_moves_for(const Problem& p, const Choice& choice) {
    const Cut whole = sizes_of(p);
    const bool several = choice.devices.size() > 1, has_lines = reads_triangle(p.routine);
    const bool shared = several && choice.tall, in_place = is_in_place(p.routine);
    const bool lines = several && has_lines;
    // A front of all lines leaves none to be cut.
    const bool cuts_other = !shared || !in_place || choice.outer < 1;
    std::vector<Move> all;
    if (cuts_other)
        all.push_back(lines ? more_lines(whole, 1) : scale(&Cut::other, 1.5, whole.other));
    all.push_back(scale(&Cut::edge, 1.34, whole.edge));
    all.push_back(scale(&Cut::edge, 2.0 / 3, whole.edge));
    if (cuts_other)
        all.push_back(lines ? more_lines(whole, -1) : scale(&Cut::other, 0.5, whole.other));
    if (several && !shared) all.push_back(flip(&Choice::singly));
    if (!several) all.push_back(flip(&Choice::tall));
    if (is_read(p, operand::C) && !(choice.tall && in_place)) all.push_back(flip(&Choice::late));
    all.push_back(taper(-1, has_lines));
    if (!choice.tall && in_place) all.push_back(flip(&Choice::ahead));
    all.push_back(taper(1, has_lines));
    if (shared) {
        all.push_back(pieces_by(2));
        all.push_back(pieces_by(0.5));
    }
    if ((!several || shared) && has_lines && cuts_other) {
        all.push_back(tail(-1));
        all.push_back(tail(1));
    }
    // Only whole parts of k, or whole lines, can go first.
    const auto part = [&](index_t Cut::*size) {
        return static_cast<double>(choice.cut.*size) /
               static_cast<double>(std::max<index_t>(1, whole.*size));
    };
    const double step = std::max(0.125, part(mirrors(p.routine) ? &Cut::edge : &Cut::other));
    all.push_back(outer(step));
    all.push_back(outer(-step));
    return all;
}

}  // namespace gemmill
