// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/rough.hpp"

#include <algorithm>
#include <cmath>

#include "machine/sharing.hpp"
#include "plan/access.hpp"
#include "planner/candidate/sizes.hpp"
#include "planner/split/decompose.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Links between an operand's home and the devices.
std::vector<LinkId> links_of(const Draft& frame, const std::vector<DeviceId>& devices,
                             OperandId operand, bool back) {
    const MemoryId home = frame.problem.home[static_cast<std::size_t>(operand)];
    std::vector<LinkId> links;
    for (const DeviceId d : devices) {
        const MemoryId own = device_memory(frame.machine, d);
        const LinkId link =
            back ? find_link(frame.machine, own, home) : find_link(frame.machine, home, own);
        if (own != home && link >= 0) links.push_back(link);
    }
    return links;
}

/// What of an operand leaves its home, or comes back, at the rate of all links there.
double move_seconds(const Draft& frame, const std::vector<DeviceId>& devices, OperandId operand,
                    bool back = false) {
    const double bandwidth =
        aggregate_bandwidth(frame.machine, links_of(frame, devices, operand, back));
    const Operand& whole = frame.operands[static_cast<std::size_t>(operand)];
    return bandwidth > 0 ? static_cast<double>(needed_bytes(whole)) / bandwidth : 0;
}
double bring_seconds(const Draft& frame, const std::vector<DeviceId>& devices, OperandId operand) {
    return is_read(frame.problem, operand) ? move_seconds(frame, devices, operand) : 0;
}

double steps_of_strips(const Strips& s, index_t devices) {
    const index_t panels = s.front > 0 ? s.panels : 1;
    const index_t halves = s.front > 0 && !s.by_rows ? 2 : 1, parts = s.by_rows ? 7 : 2;
    if (s.bands > 0) return static_cast<double>(s.bands * (3 * panels + 9 * s.strips));
    return static_cast<double>(devices * (panels * (devices + parts) + 4 * halves * s.strips));
}

double parts(index_t whole, index_t size) {
    const index_t full = (std::max<index_t>(whole, 1) - 1) / std::max<index_t>(size, 1);
    return static_cast<double>(full + 1);
}

Grid rough_grid(const Problem& p, const Choice& choice) {
    return choice.grid.rows > 0 ? choice.grid
                                : best_grid(p, static_cast<index_t>(choice.devices.size()));
}

/// A tile that is passed on goes in pieces, unless it is small.
double pieces_of(const Problem& p, const Candidate& c, double elements) {
    constexpr double least_piece = 1 << 20;  // bytes
    if (!c.policy.chain || c.choice.devices.size() == 1) return 1;
    const double most = elements * static_cast<double>(bytes_of(p.type)) / least_piece;
    return std::clamp(std::floor(most), 1.0, static_cast<double>(c.policy.pieces));
}

double steps_of_tiles(const Problem& p, const Candidate& candidate) {
    const Grid grid = rough_grid(p, candidate.choice);
    const TileSize tile = rough_tile(p, candidate);
    const double m = parts(p.m, tile.m), n = parts(p.n, tile.n), k = parts(p.k, tile.k);
    if (!candidate.policy.caching) return 3 * m * n * (k + 1);
    const double moves =
        m * k * static_cast<double>(grid.cols) + k * n * static_cast<double>(grid.rows);
    const double elements =
        static_cast<double>(std::min(tile.m, p.m)) * static_cast<double>(std::min(tile.k, p.k));
    return m * n * (k + 3) + moves * pieces_of(p, candidate, elements);
}

double steps_of_gemm(const Problem& p, const Candidate& c) {
    return c.policy.order == Sequence::strips
               ? steps_of_strips(c.choice.strips, static_cast<index_t>(c.choice.devices.size()))
               : steps_of_tiles(p, c);
}

/// Of several devices that hold all of A: pieces of its parts go to all of them; each adds every
/// part to its columns of blocks, or takes every block of its lines.
double steps_of_shared(const Problem& p, const Candidate& candidate, double twice) {
    const Cut whole = sizes_of(p), &cut = candidate.choice.cut;
    const auto devices = static_cast<double>(candidate.choice.devices.size());
    const double edges = parts(whole.edge, cut.edge), others = parts(whole.other, cut.other);
    const double tapered = cut.taper;
    const auto shared = [&](double count, double elements) {
        return (count + tapered) * devices * pieces_of(p, candidate, elements);
    };
    const auto size = [](index_t edge, index_t other) {
        return static_cast<double>(edge) * static_cast<double>(other);
    };
    if (reads_triangle(p.routine)) {
        const double lines = devices + (1 - candidate.choice.outer) * others;
        return shared(edges, size(cut.edge, p.k) / 2) + 5 * (edges + tapered) * lines;
    }
    const double columns = std::max(edges, devices);
    return twice * shared(others, size(cut.other, p.n)) +
           columns * ((1 + twice) * (1 + candidate.choice.outer * (others + tapered)) + 5);
}

/// Products, tiles of A and B that come, and what comes and goes of C. Tall products take a whole
/// line at a time.
double steps_of_level3(const Problem& p, const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    const Cut whole = sizes_of(p);
    const double edges = parts(whole.edge, choice.cut.edge);
    const double others = parts(whole.other, choice.cut.other);
    const double twice = is_rank_2(p.routine) ? 2 : 1;
    if (choice.tall && choice.devices.size() > 1) return steps_of_shared(p, candidate, twice);
    if (choice.tall) return 4 * edges * others + edges * edges / 2;
    const bool square = reads_triangle(p.routine) && !is_in_place(p.routine);
    const double area = square ? edges * edges : edges * (edges + 1) / 2;
    const double products = area * others * twice;
    const double targets = reads_triangle(p.routine) ? edges * others : area;
    if (!candidate.policy.caching) return 3 * (products + targets);
    // Tiles of a triangle that is read, of all that is multiplied with it, or of both factors.
    const double tiles = reads_triangle(p.routine) ? area + edges * others : twice * edges * others;
    const double elements = static_cast<double>(std::min(choice.cut.edge, whole.edge)) *
                            static_cast<double>(std::min(choice.cut.other, whole.other));
    const double copies = std::min(edges, static_cast<double>(choice.devices.size()));
    // A target is written; before that it is read where something of it is kept, and added.
    const double moved = !is_read(p, operand::C) ? 1 : choice.late ? 3 : 2;
    return products + moved * targets + copies * tiles * pieces_of(p, candidate, elements);
}

}  // namespace

Rough rough_times(const Draft& frame, const std::vector<DeviceId>& devices) {
    double rate = 0;
    for (const DeviceId d : devices) rate += rate_of(frame.machine, frame.problem, d);
    const auto& home = frame.problem.home;
    const double a = bring_seconds(frame, devices, operand::A);
    const double b = bring_seconds(frame, devices, operand::B);
    const double c = bring_seconds(frame, devices, operand::C);
    const double with_a = a + (home[1] == home[0] ? b : 0) + (home[2] == home[0] ? c : 0);
    const double with_b = b + (home[2] == home[1] ? c : 0);
    return {a, home[1] == home[0] ? b : 0, std::max({with_a, with_b, c}),
            flops_of(frame.problem) / rate, move_seconds(frame, devices, operand::C, true)};
}

int rough_entries(const Draft& frame, const std::vector<DeviceId>& devices) {
    const std::vector<LinkId> links = links_of(frame, devices, operand::A, false);
    double fastest = 0;
    for (const LinkId link : links)
        fastest = std::max(fastest, frame.machine.links[static_cast<std::size_t>(link)].bandwidth);
    if (fastest <= 0) return 1;
    constexpr double rounding = 1e-6;
    return static_cast<int>(
        std::ceil(aggregate_bandwidth(frame.machine, links) / fastest - rounding));
}

double rough_front(const Rough& t) {
    const double spare = std::max(0.0, t.all - t.compute);
    if (t.a <= spare) return 0;
    if (t.compute <= t.b_beside_a) return 1;
    return std::round(20 * std::min(1.0, (t.a - spare) / (t.compute - t.b_beside_a))) / 20;
}

double rough_growth(const Rough& t, double front) {
    const double bring = t.a + front * t.b_beside_a;
    return bring > 0 ? std::clamp((1 + front * t.compute / bring) / 2, 1.06, 1.3) : 1.06;
}

index_t rough_panels(const Draft& frame, const Choice& choice) {
    constexpr double fewest = 6, most = 32, wait = 0.005, issuing = 0.25;
    const Rough t = rough_times(frame, choice.devices);
    const auto devices = static_cast<double>(choice.devices.size());
    const double issued = frame.machine.issue * devices * (devices + 2);
    const double total = std::max(t.all, t.compute);
    const double limit = issued > 0 ? std::clamp(issuing * total / issued, fewest, most) : most;
    const double bring = t.a + choice.strips.front * t.b_beside_a;
    double first = bring, sum = 1, width = 1;
    double panels = 1;
    for (; panels < limit && (panels < fewest || first > wait * total); ++panels) {
        sum += width *= choice.strips.growth;
        first = bring / sum;
    }
    return static_cast<index_t>(panels);
}

index_t rough_strips(const Draft& frame, const std::vector<DeviceId>& devices, double enough) {
    constexpr double steps_of_one = 4;
    const auto count = static_cast<double>(devices.size());
    const double issue = frame.machine.issue;
    const double most = std::clamp(static_cast<double>(frame.problem.n) / count / 128, 1.0, enough);
    const auto within = [&](double seconds) {
        const double steps = issue > 0 ? seconds / issue / 4 : enough * steps_of_one * count;
        return std::clamp(steps / (steps_of_one * count), 1.0, most);
    };
    // The bound, which takes longer to find, could only allow more.
    double strips = within(rough_times(frame, devices).all);
    if (strips < most)
        strips = std::max(
            strips, within(bound_seconds(frame.machine, frame.operands, frame.goal, devices)));
    return static_cast<index_t>(strips);
}

Strips rough_bands(const Draft& frame, DeviceId device, double times) {
    constexpr double for_a = 0.65;  // of the memory
    constexpr index_t depth = 2048, width = 512;
    const Problem& p = frame.problem;
    const MemoryId memory = device_memory(frame.machine, device);
    const auto limit = static_cast<double>(frame.limit[static_cast<std::size_t>(memory)]);
    const auto a = static_cast<double>(operand_bytes(p, operand::A));
    const bool local = p.home[0] == memory;
    const double bands = std::ceil(times * (local ? 1 : std::ceil(a / (for_a * limit))));
    // As wide a front as lets computing keep up with what a panel of A and B takes to come.
    const Rough t = rough_times(frame, {device});
    const double front =
        t.compute > bands * t.b_beside_a ? t.a / (t.compute - bands * t.b_beside_a) : 1;
    Strips s;
    s.front = std::clamp(std::ceil(20 * front) / 20, 0.1, 0.8);
    s.panels = std::max<index_t>(1, p.k / depth);
    s.growth = 1.3;
    s.strips = std::max<index_t>(1, p.n / width);
    s.drain = 2;
    s.bands = static_cast<index_t>(bands);
    return s;
}

DeviceId favoured_device(const Draft& frame, const std::vector<DeviceId>& devices) {
    const auto& home = frame.problem.home;
    for (auto memory = home.rbegin(); memory != home.rend(); ++memory)
        for (const DeviceId d : devices)
            if (device_memory(frame.machine, d) == *memory) return d;
    return -1;
}

double rough_favour(const Draft& frame, const std::vector<DeviceId>& devices) {
    const DeviceId device = favoured_device(frame, devices);
    if (device < 0 || devices.size() < 2) return 1;
    const MemoryId memory = device_memory(frame.machine, device);
    double move = 0, wait = 0;
    for (const OperandId operand : {operand::A, operand::B, operand::C}) {
        const double bring = bring_seconds(frame, devices, operand);
        if (frame.problem.home[static_cast<std::size_t>(operand)] != memory)
            wait += operand == operand::A ? bring : 0;
        else  // C goes both ways, which is a little slower than one way at a time.
            move += (operand == operand::C ? 1.1 : 0.5) * bring;
    }
    const double alone = flops_of(frame.problem) / rate_of(frame.machine, frame.problem, device);
    const double share = std::max(0.0, move - wait) / (move + alone);
    return share * static_cast<double>(devices.size() - 1) / (1 - share);
}

TileSize rough_tile(const Problem& p, const Candidate& candidate) {
    if (candidate.choice.tile.m > 0) return candidate.choice.tile;
    const Grid grid =
        candidate.policy.spread == Spread::turns ? Grid{1, 1} : rough_grid(p, candidate.choice);
    const index_t edge = choose_edge({candidate.policy.tiling,
                                      {0, (p.m - 1) / grid.rows + 1},
                                      {0, (p.n - 1) / grid.cols + 1},
                                      p.m,
                                      p.n,
                                      p.k,
                                      static_cast<index_t>(candidate.choice.devices.size())});
    return {edge, edge, edge};
}

double rough_steps(const Draft& frame, const Candidate& candidate) {
    const Problem& p = frame.problem;
    if (p.m == 0 || p.n == 0) return 0;
    return p.routine == Routine::gemm ? steps_of_gemm(p, candidate) : steps_of_level3(p, candidate);
}

}  // namespace gemmill
