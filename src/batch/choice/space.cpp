// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/space.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gemmill {
namespace {

/// Elements from one line to the next in shared memory, as line_of in the kernel.
int line_of(int elements, int bytes) {
    int line = (elements * bytes + 31) / 32 * 32;
    while (line % 128 != 32 && line % 128 != 96) line += 32;
    return line / bytes;
}

/// Of a matrix whose tile is `edge` long, stored either way.
int room_of(int edge, int slab, int bytes) {
    return bytes * std::max(slab * line_of(edge, bytes), edge * line_of(slab, bytes));
}

int numbers_of(Type type) { return is_complex(type) ? 2 : 1; }

template <class F>
void for_all_pipes(F f) {
    for (const int rows : {8, 16})
        for (const int depth : {4, 8, 16})
            for (int mt = 1; mt <= 8; ++mt)
                for (int nt = 1; nt <= 8; ++nt)
                    for (int wr = 1; wr <= 8; ++wr)
                        for (int wc = 1; wc <= 8; ++wc)
                            for (const int slab : {4, 8, 12, 16, 20, 24, 32, 40, 48, 64})
                                for (const int stages : {2, 3, 4, 5})
                                    f(PipeCandidate{rows, depth, mt, nt, wr, wc, slab, stages});
}

template <class F>
void for_all_warps(F f) {
    for (const int rows : {8, 16})
        for (const int depth : {4, 8, 12, 16})
            for (int mt = 1; mt <= 8; ++mt)
                for (int nt = 1; nt <= 8; ++nt)
                    f(PipeCandidate{rows, depth, mt, nt, 1, 1, depth, 1});
}

/// What the rules leave of all that `for_all` names.
template <class F>
Space space_of(const std::vector<SpaceRule>& rules, F for_all) {
    Space space;
    for (const SpaceRule& rule : rules) space.removed.push_back({rule.words, rule.is_hard, 0});
    for_all([&](const PipeCandidate& c) {
        ++space.all;
        const auto broken = std::ranges::find_if(rules, [&](const auto& r) { return !r.holds(c); });
        if (broken == rules.end())
            space.left.push_back(c);
        else
            ++space.removed[static_cast<std::size_t>(broken - rules.begin())].count;
    });
    return space;
}

}  // namespace

std::string to_text(const PipeCandidate& c) {
    if (!c.is_piped())
        return fmt::format("MmaTile<T, {}, {}, {}, {}, {}, {}>", c.rows, c.depth, c.mt, c.nt, c.wr,
                           c.wc);
    return fmt::format("PipeTile<T, {}, {}, {}, {}, {}, {}, {}, {}>", c.rows, c.depth, c.mt, c.nt,
                       c.wr, c.wc, c.slab, c.stages);
}

int columns_ahead(const PipeCandidate& c) { return c.nt % 2 == 0 ? 2 : c.nt % 3 == 0 ? 3 : 1; }

int shared_bytes(const PipeCandidate& c, Type type) {
    if (!c.is_piped()) return 0;
    const auto bytes = static_cast<int>(bytes_of(type));
    const int job = type == Type::s ? 64 : type == Type::z ? 96 : 80;  // as in tile/job.cuh
    const int jobs = (2 * c.stages + 2) * job;
    return c.stages * (room_of(c.tile_m(), c.slab, bytes) + room_of(c.tile_n(), c.slab, bytes)) +
           jobs;
}

int registers_about(const PipeCandidate& c, Type type) {
    constexpr int addresses = 56;
    const int halves = c.rows / 8, steps = c.depth / 4, numbers = numbers_of(type);
    const int sums = c.mt * c.nt * halves * 2 * numbers;
    const int of_a = c.mt * steps * halves * (numbers == 2 ? 3 : 1), of_b = c.nt * steps * numbers;
    const int slabs = c.is_piped() ? 1 : 2;  // the one that is multiplied, and the next
    const int old = c.mt * columns_ahead(c) * halves * 2 * numbers;
    return 2 * (sums + std::max(slabs * (of_a + of_b), old)) + addresses;
}

int blocks_at_once(const PipeCandidate& c, Type type, const GpuLimits& limits) {
    constexpr int reserved = 1024;  // of shared memory, a block
    constexpr int more = 32;        // registers that compilers like to have
    const int registers = std::min(registers_about(c, type) + more, limits.registers_of_thread);
    const int by_registers = limits.registers / (registers * c.threads());
    const int by_shared = limits.shared / (shared_bytes(c, type) + reserved);
    return std::min({by_registers, by_shared, limits.threads / c.threads()});
}

std::vector<SpaceRule> pipe_rules(Type type, const GpuLimits& limits) {
    using C = PipeCandidate;
    constexpr bool hard = true, soft = false;
    // In flight a multiprocessor needs what memory delivers in the time of one access, and half
    // more.
    constexpr int in_flight = 32 << 10;
    const auto bytes = static_cast<int>(bytes_of(type));
    return {
        {"at most 1024 threads a block", hard,
         [=](const C& c) { return c.threads() <= limits.threads_of_block; }},
        {"slabs of whole instructions", hard, [](const C& c) { return c.slab % c.depth == 0; }},
        {"lines of slabs are whole 16 bytes", hard,
         [=](const C& c) { return c.slab * bytes % 16 == 0; }},
        {"shared memory of a block", hard,
         [=](const C& c) { return shared_bytes(c, type) <= limits.shared_of_block; }},
        {"registers of a thread", hard,
         [=](const C& c) { return registers_about(c, type) <= limits.registers_of_thread; }},
        {"registers of a block", hard,
         [=](const C& c) { return blocks_at_once(c, type, limits) >= 1; }},
        {"tiles of at most 128", soft,
         [](const C& c) { return c.tile_m() <= 128 && c.tile_n() <= 128; }},
        {"tiles of at least 16", soft,
         [](const C& c) { return c.tile_m() >= 16 && c.tile_n() >= 16; }},
        {"tiles not longer than twice their width", soft,
         [](const C& c) { return c.tile_m() <= 2 * c.tile_n() && c.tile_n() <= 2 * c.tile_m(); }},
        {"warps not longer than four times their width", soft,
         [](const C& c) {
             const int m = c.rows * c.mt, n = 8 * c.nt;
             return m <= 4 * n && n <= 4 * m;
         }},
        {"at most 512 threads a block", soft, [](const C& c) { return c.threads() <= 512; }},
        {"at least 8 warps a multiprocessor", soft,
         [=](const C& c) { return blocks_at_once(c, type, limits) * c.threads() >= 256; }},
        {"enough bytes in flight", soft,
         [=](const C& c) {
             return blocks_at_once(c, type, limits) * (c.stages - 1) * c.slab *
                        (c.tile_m() + c.tile_n()) * bytes >=
                    in_flight;
         }},
        {"slabs not deeper than twice the tile", soft,
         [](const C& c) { return c.slab <= 2 * std::min(c.tile_m(), c.tile_n()); }},
    };
}

std::vector<SpaceRule> warp_rules(Type type, const GpuLimits& limits) {
    using C = PipeCandidate;
    constexpr bool hard = true, soft = false;
    return {
        {"registers of a thread", hard,
         [=](const C& c) { return registers_about(c, type) <= limits.registers_of_thread; }},
        {"instructions of 16 rows are 4, 8 or 16 deep", hard,
         [](const C& c) { return c.rows == 8 || c.depth != 12; }},
        {"tiles of at most 48", soft,
         [](const C& c) { return c.tile_m() <= 48 && c.tile_n() <= 48; }},
        {"tiles not longer than twice their width", soft,
         [](const C& c) { return c.tile_m() <= 2 * c.tile_n() && c.tile_n() <= 2 * c.tile_m(); }},
        {"at least 8 warps a multiprocessor", soft,
         [=](const C& c) { return limits.registers / (32 * registers_about(c, type)) >= 8; }},
    };
}

Space pipe_space(Type type, const GpuLimits& limits) {
    return space_of(pipe_rules(type, limits), [](auto f) { for_all_pipes(f); });
}

Space warp_space(Type type, const GpuLimits& limits) {
    return space_of(warp_rules(type, limits), [](auto f) { for_all_warps(f); });
}

}  // namespace gemmill
