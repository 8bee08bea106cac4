// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

double parts(index_t whole, int part) {
    const index_t count = (whole + part - 1) / part;
    return static_cast<double>(count);
}

bool can_make(const PipeCandidate& c, const BatchShape& s) {
    return c.is_piped() || (s.m <= c.tile_m() && s.n <= c.tile_n());
}

std::string joined(std::initializer_list<int> numbers) {
    return fmt::format("{}", fmt::join(numbers, "_"));
}

}  // namespace

double seconds_about(const PipeCandidate& c, Type type, const BatchShape& s,
                     const GpuLimits& limits, const GpuRates& rates) {
    const auto bytes = static_cast<double>(bytes_of(type));
    const double numbers = is_complex(type) ? 4 : 1;  // products of reals in one
    const double tiles = parts(s.m, c.tile_m()) * parts(s.n, c.tile_n());
    const double depth = parts(s.k, c.slab) * c.slab;
    const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n),
               k = static_cast<double>(s.k);
    const double blocks = blocks_at_once(c, type, limits);
    // What is on its way must be much more than what a short delay leaves idle.
    constexpr double delay = 8 << 10;
    const double on_its_way =
        blocks * std::max(1, c.stages - 1) * c.slab * (c.tile_m() + c.tile_n()) * bytes;
    const double memory =
        bytes * (m * k + k * n + 2 * m * n) / rates.memory * (1 + delay / on_its_way);
    const double cache =
        bytes * (parts(s.n, c.tile_n()) * m * k + parts(s.m, c.tile_m()) * k * n + 2 * m * n) /
        rates.cache;
    const double flops = 2 * numbers * tiles * c.tile_m() * c.tile_n() * depth;
    const double slowness = c.rows == 8 ? 2 : c.depth == 4 ? 1.25 : 1;
    const double arithmetic = flops * slowness / rates.multiply;
    // Of a slab each warp reads its own rows of A and columns of B.
    const double read = tiles * depth * bytes * (c.tile_m() * c.wc + c.tile_n() * c.wr);
    const double shared = read / (c.is_piped() ? rates.shared : rates.cache * 2);
    // What waits for what is never all hidden; a barrier for each slab and the end of a tile, which
    // reads C by a few columns of fragments after the others, hide behind the other blocks.
    constexpr double seen = 0.4, barrier = 40e-9, round = 1e-6;
    const double at_once = limits.processors * blocks;
    const int rounds = c.nt / columns_ahead(c);
    const double steps = tiles * ((depth / c.slab) * barrier + rounds * round) / at_once;
    return memory + seen * (cache + arithmetic + shared) + steps;
}

std::vector<PipeCandidate> choose(const std::vector<PipeCandidate>& all, Type type,
                                  const BatchShape& shape, std::size_t most,
                                  const GpuLimits& limits) {
    std::vector<std::pair<double, PipeCandidate>> order;
    for (const PipeCandidate& c : all)
        if (can_make(c, shape)) order.emplace_back(seconds_about(c, type, shape, limits), c);
    std::ranges::stable_sort(order, {}, [](const auto& x) { return x.first; });
    const std::size_t alike = std::max<std::size_t>(1, most / 4);
    std::map<std::tuple<bool, int, int>, std::size_t> of_tile;
    std::map<std::tuple<int, int, int, int, int>, std::size_t> of_warps;
    std::vector<PipeCandidate> chosen;
    for (const auto& [seconds, c] : order) {
        if (chosen.size() == most) break;
        std::size_t& same_tile = of_tile[{c.is_piped(), c.tile_m(), c.tile_n()}];
        std::size_t& same_warps = of_warps[{c.rows, c.mt, c.nt, c.wr, c.wc}];
        if (same_tile >= alike || same_warps >= 2) continue;
        ++same_tile, ++same_warps;
        chosen.push_back(c);
    }
    return chosen;
}

std::string name_of(const PipeCandidate& c) {
    return c.is_piped()
               ? "pipe_" + joined({c.rows, c.depth, c.mt, c.nt, c.wr, c.wc, c.slab, c.stages})
               : "warp_" + joined({c.rows, c.depth, c.mt, c.nt});
}

std::optional<PipeCandidate> candidate_named(std::string_view name) {
    std::vector<int> x;
    const std::vector<std::string> words = split(name, '_');
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i].empty() || words[i].size() > 3 ||
            words[i].find_first_not_of("0123456789") != std::string::npos)
            return std::nullopt;
        x.push_back(static_cast<int>(parse_integer(words[i], "candidate")));
    }
    if (words[0] == "pipe" && x.size() == 8)
        return PipeCandidate{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
    if (words[0] == "warp" && x.size() == 4)
        return PipeCandidate{x[0], x[1], x[2], x[3], 1, 1, x[1], 1};
    return std::nullopt;
}

std::string row_of(const PipeCandidate& c, Type type, const GpuLimits& limits) {
    constexpr int most_blocks = 8, warps = 16;
    const int blocks =
        c.is_piped() ? std::clamp(blocks_at_once(c, type, limits), 1, most_blocks) : warps;
    const std::string work =
        fmt::format("work_of_tiles<{}, {}, {}, {}>", c.tile_m(), c.tile_n(), c.slab, blocks);
    if (!c.is_piped())
        return fmt::format("{{\"{}\", {}, 0, warp_all<T, {}>, {}}},", name_of(c),
                           std::min(c.tile_m(), c.tile_n()), to_text(c), work);
    return fmt::format("{{\"{}\", 0, 0, pipe_all<T, {}, {}>, {}}},", name_of(c), to_text(c), blocks,
                       work);
}

}  // namespace gemmill
