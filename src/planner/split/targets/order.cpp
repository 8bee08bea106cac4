// SPDX-License-Identifier: Apache-2.0
#include "planner/split/targets/order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "plan/build/builder.hpp"
#include "planner/split/decompose.hpp"
#include "planner/split/fit.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

bool rows_are_lines(const Problem& p) { return reads_triangle(p.routine) && p.side == Side::Right; }

const Tile& tile_of(const Targets& targets, std::int32_t number) {
    return targets.tiles[at(number)];
}

double work_of(const Targets& targets, std::size_t number) {
    double products = 0.01;
    for (const TileTerm& term : terms_of(targets, targets.all[number])) {
        const Tile& first = tile_of(targets, term.first);
        const bool half = term.own || term.second < 0;
        products += static_cast<double>(std::min(first.rows, first.cols)) * (half ? .5 : 1);
    }
    const Tile& c = targets.tiles[number];
    return products * static_cast<double>(c.rows * c.cols);
}

// --- room ---------------------------------------------------------------------------------------

/// What a share needs, counted.
struct Need {
    std::array<index_t, 3> tiles{};  ///< different ones, of C also those of others that are read
    index_t targets = 0;
    std::array<std::int64_t, 3> bytes{};
    index_t longest = 0;  ///< tiles in a line
    bool single = true;   ///< one step makes each target
    index_t block = 0;    ///< tiles of C in the largest of the triangles
    index_t rows = 0;     ///< of tiles that meet there
};

/// Of the blocks in which the targets are made together.
void count_blocks(const Targets& targets, std::span<const std::int32_t> mine,
                  const Triangles& triangles, Need& need) {
    std::map<index_t, std::pair<index_t, std::set<index_t>>> blocks;
    for (const std::int32_t i : mine) {
        const Target& t = targets.all[at(i)];
        auto& [count, rows] = blocks[triangles.block_of(t.row, t.col)];
        ++count;
        rows.insert({t.row, t.col});
    }
    for (const auto& [number, block] : blocks) {
        need.block = std::max(need.block, block.first);
        need.rows = std::max<index_t>(need.rows, std::ssize(block.second));
    }
}

Need count_need(const Problem& p, const Targets& targets, std::span<const std::int32_t> mine,
                index_t grain) {
    Need need;
    std::vector<char> seen(targets.tiles.size());
    const auto note = [&](std::int32_t number) {
        if (std::exchange(seen[at(number)], 1) != 0) return;
        const Tile& t = tile_of(targets, number);
        const auto o = at(t.operand);
        need.bytes[o] = std::max(need.bytes[o], slot_bytes(t.rows, t.cols, p.type, grain));
        ++need.tiles[o];
    };
    for (const std::int32_t i : mine) {
        const Target& t = targets.all[at(i)];
        note(i);
        ++need.targets;
        need.longest = std::max(need.longest, along(p, t) + 1);
        need.single = need.single && t.term_count <= 1;
        for (const TileTerm& term : terms_of(targets, t)) {
            note(term.first);
            if (term.second >= 0) note(term.second);
        }
    }
    return need;
}

class Fitter {
  public:
    Fitter(const Problem& p, const Need& need, const Level3Room& room)
        : p_(p), need_(need), room_(room) {
        for (std::size_t o = 0; o < 3; ++o) local_[o] = p.home[o] == room.memory;
        in_place_ = local_[2] && need.single;
    }

    std::optional<Level3Fit> fit() const {
        Level3Fit whole = with(
            need_.tiles[0], need_.tiles[1],
            need_.tiles[2] + (p_.routine == Routine::trmm ? need_.targets : 0) + room_.late_slots);
        whole.whole = true;
        if (room_.keep_all && bytes(whole) <= room_.limit) return whole;
        if (room_.triangles.groups > 0) return fit_triangles();
        return is_in_place(p_.routine) ? fit_lines() : fit_blocks();
    }

  private:
    Level3Fit with(index_t a, index_t b, index_t c) const {
        Level3Fit fit;
        fit.slot_bytes = need_.bytes;
        fit.slots = {local_[0] ? 0 : std::min(a, need_.tiles[0]),
                     local_[1] ? 0 : std::min(b, need_.tiles[1]), in_place_ ? 0 : c};
        return fit;
    }
    static std::int64_t bytes(const Level3Fit& fit) {
        std::int64_t sum = 0;
        for (std::size_t o = 0; o < 3; ++o) sum += fit.slots[o] * fit.slot_bytes[o];
        return sum;
    }

    /// What is left goes to A and B.
    Level3Fit filled(Level3Fit fit) const {
        for (std::size_t o : {0, 1}) {
            if (fit.slots[o] == 0) continue;
            const index_t more = (room_.limit - bytes(fit)) / fit.slot_bytes[o];
            fit.slots[o] = std::min(need_.tiles[o], fit.slots[o] + std::max<index_t>(0, more));
        }
        return fit;
    }

    /// Blocks of C that stay while panels of A and B pass: for a rank update both come from A.
    std::optional<Level3Fit> fit_blocks() const {
        const bool twice = !has_b(p_.routine) || is_rank_2(p_.routine);
        const auto most = static_cast<index_t>(std::sqrt(static_cast<double>(need_.targets))) + 1;
        for (index_t group = most; group >= 1; --group)
            for (const index_t depth : {2, 1}) {
                const index_t a = depth * group * (twice ? 2 : 1);
                const index_t b = depth * group * (is_rank_2(p_.routine) ? 2 : 1);
                Level3Fit fit = with(a, has_b(p_.routine) ? b : 0, group * group);
                fit.group = group;
                if (bytes(fit) <= room_.limit) return filled(fit);
            }
        Level3Fit least = with(has_b(p_.routine) ? 1 : 2, has_b(p_.routine) ? 1 : 0, 1);
        least.group = 1;
        return bytes(least) <= room_.limit ? std::optional(least) : std::nullopt;
    }

    /// Triangles of C that stay while the rows that meet there pass.
    std::optional<Level3Fit> fit_triangles() const {
        for (const index_t depth : {2, 1}) {
            const index_t panel = depth * need_.rows;
            Level3Fit fit = with(panel, is_rank_2(p_.routine) ? panel : 0, need_.block);
            fit.triangles = room_.triangles;
            if (bytes(fit) <= room_.limit) return filled(fit);
        }
        return std::nullopt;
    }

    /// Blocks of some lines and of some rows, which stay while A and what is behind them pass:
    /// those that need fewest bytes. Else one tile after the other, fetched again and again.
    std::optional<Level3Fit> fit_lines() const {
        const index_t lines = std::max<index_t>(1, need_.targets / need_.longest);
        const double wide = static_cast<double>(need_.bytes[2]) /
                            static_cast<double>(std::max<std::int64_t>(1, need_.bytes[0]));
        std::optional<Level3Fit> best;
        double least = 0;
        for (index_t rows = need_.longest; rows >= 1; --rows) {
            const bool all = rows == need_.longest;
            const index_t each = all ? rows : rows + 2;  // with two of the blocks that pass
            const std::int64_t room = room_.limit - bytes(with(2, 0, 0));
            const index_t group = std::min(lines, room / (each * need_.bytes[2]));
            if (group < 1) continue;
            Level3Fit fit = with(2, 0, group * each);
            fit.group = group;
            fit.rows = rows;
            const double cost =
                1 / (wide * static_cast<double>(group)) + (all ? 0 : 1 / static_cast<double>(rows));
            if (best && cost >= least) continue;
            best = filled(fit);
            least = cost;
        }
        if (best) return best;
        for (const index_t a : {2, 1}) {
            Level3Fit fit = with(a, 0, 2);
            fit.group = fit.rows = 1;
            if (bytes(fit) <= room_.limit) return fit;
        }
        return std::nullopt;
    }

    const Problem& p_;
    const Need& need_;
    const Level3Room& room_;
    std::array<bool, 3> local_{};
    bool in_place_ = false;  // targets are made where C lives
};

// --- order --------------------------------------------------------------------------------------

class Orderer {
  public:
    Orderer(const Problem& p, const Targets& targets, std::span<const std::int32_t> mine,
            const Level3Fit& fit, const Choice& choice)
        : p_(p), targets_(targets), mine_(mine), fit_(fit), choice_(choice) {
        for (const std::int32_t i : mine) {
            const Target& t = targets.all[at(i)];
            steps_ += std::max<std::size_t>(1, t.term_count);
            lines_.resize(std::max(lines_.size(), at(line_of(p, t)) + 1), -1);
            lines_[at(line_of(p, t))] = 0;
            for (const TileTerm& term : terms_of(targets, t))
                parts_ = std::max<index_t>(parts_, term.part + 1);
        }
        for (index_t& place : lines_)
            if (place == 0) place = count_++;
        outer_ = std::lround(choice.outer * static_cast<double>(parts_));
        front_ = static_cast<index_t>(std::ceil(choice.outer * static_cast<double>(count_)));
    }

    std::vector<Item> items() const {
        std::vector<std::pair<Key, Item>> all;
        all.reserve(steps_);
        for (const std::int32_t i : mine_) {
            const std::span<const TileTerm> terms = terms_of(targets_, targets_.all[at(i)]);
            for (std::int32_t t = 0; t < std::ssize(terms); ++t)
                all.push_back({key(i, terms[at(t)], t), {i, t}});
            if (terms.empty()) all.push_back({{}, {i, -1}});
        }
        std::ranges::stable_sort(all, {}, &std::pair<Key, Item>::first);
        std::vector<Item> items;
        items.reserve(all.size());
        for (const auto& [key, item] : all) items.push_back(item);
        return items;
    }

  private:
    /// What is alike stays in the order of targets, which is that of lines, and of terms.
    using Key = std::pair<std::int64_t, std::int64_t>;

    /// Four numbers, the first one counts most.
    static Key key_of(index_t a, index_t b, index_t c, index_t d = 0) {
        constexpr std::int64_t one = std::int64_t{1} << 32;
        return {a * one + b, c * one + d};
    }

    Key key(std::int32_t target, const TileTerm& term, std::int32_t number) const {
        const Target& t = targets_.all[at(target)];
        return is_in_place(p_.routine) ? dependent(t, term, number)
                                       : independent(t, targets_.tiles[at(target)], term);
    }

    /// Tiles that have arrived serve all targets before others come: squares that grow.
    Key independent(const Target& t, const Tile& c, const TileTerm& term) const {
        const index_t line = lines_[at(line_of(p_, t))], place = along(p_, t);
        if (!fit_.whole && fit_.triangles.groups > 0)
            return key_of(fit_.triangles.block_of(t.row, t.col), term.part, std::max(t.row, t.col));
        if (!fit_.whole) return key_of(place / fit_.group, line / fit_.group, term.part);
        const bool triangle = writes_triangle(p_.routine);
        const index_t shell = triangle ? std::max(t.row, t.col) : std::max(place, line);
        // Squares at the diagonal of C need it from the start: not while all else is awaited.
        const bool waits = triangle && at_diagonal(c) && outer_ < parts_;
        return term.part < outer_ && !waits ? key_of(0, term.part, shell) : key_of(1, shell, 0);
    }

    /// Block by block into all others, or others into block by block.
    Key dependent(const Target& t, const TileTerm& term, std::int32_t number) const {
        const index_t line = lines_[at(line_of(p_, t))], place = along(p_, t);
        const bool solve = p_.routine == Routine::trsm;
        if (fit_.whole && choice_.ahead) {
            // Some lines while A arrives, the others one by one, so that writes are spread.
            const index_t after = std::max<index_t>(0, line - front_ + 1);
            return key_of(after, term.part, term.own == solve ? 0 : 1,
                          std::max(place - term.part, after > 0 ? 0 : line));
        }
        // Blocks of trmm are made from the last one on, first from what is overwritten; those of
        // trsm from the first one on, last from what is solved with them.
        const index_t group = fit_.whole ? line + 1 : fit_.group;
        const index_t rows = fit_.whole ? std::max<index_t>(1, parts_) : fit_.rows;
        const bool within = term.part / rows == place / rows;
        const index_t part = !solve && term.own ? -1 : number, sign = solve ? 1 : -1;
        const index_t block = 2 * sign * (place / rows) + (within == solve ? 1 : 0);
        return within ? key_of(line / group, block, sign * place, part)
                      : key_of(line / group, block, part, place);
    }

    const Problem& p_;
    const Targets& targets_;
    std::span<const std::int32_t> mine_;
    const Level3Fit& fit_;
    const Choice& choice_;
    std::size_t steps_ = 0;
    std::vector<index_t> lines_;  // number -> place among those of this share
    index_t count_ = 0, parts_ = 0;
    index_t outer_ = 0, front_ = 0;  // parts that go over all tiles first, lines made together
};

// --- shares -------------------------------------------------------------------------------------

/// The device of each line: the longest line first, to whoever is done first with it.
std::vector<std::size_t> deal_lines(const Draft& plan, const std::vector<double>& work,
                                    const std::vector<DeviceId>& devices) {
    std::vector<std::size_t> lines;
    for (std::size_t line = 0; line < work.size(); ++line)
        if (work[line] > 0) lines.push_back(line);
    std::ranges::stable_sort(lines, std::greater{}, [&](std::size_t line) { return work[line]; });
    std::vector<double> rates;
    for (const DeviceId d : devices) rates.push_back(rate_of(plan.machine, plan.problem, d));
    std::vector<double> load(devices.size(), 0);
    std::vector<std::size_t> owner(work.size());
    for (const std::size_t line : lines) {
        const auto end = [&](std::size_t d) { return (load[d] + work[line]) / rates[d]; };
        std::size_t best = 0;
        for (std::size_t d = 1; d < devices.size(); ++d)
            if (end(d) < end(best)) best = d;
        load[best] += work[line];
        owner[line] = best;
    }
    return owner;
}

}  // namespace

index_t line_of(const Problem& p, const Target& t) { return rows_are_lines(p) ? t.row : t.col; }
index_t along(const Problem& p, const Target& t) { return rows_are_lines(p) ? t.col : t.row; }

bool deals_singly(const Draft& plan, const Choice& choice) {
    const MemoryId home = plan.problem.home[at(operand::C)];
    const bool on_host = plan.machine.memories[at(home)].kind == MemoryKind::host;
    return choice.singly && (!is_in_place(plan.problem.routine) || (!choice.ahead && on_host));
}

Triangles triangles_of(const Targets& targets, const Choice& choice) {
    if (choice.groups == 0) return {};
    index_t rows = 0;
    for (const Target& t : targets.all) rows = std::max(rows, t.row + 1);
    return {choice.groups, rows};
}

std::vector<std::vector<std::int32_t>> deal_targets(const Draft& plan, const Targets& targets,
                                                    const Choice& choice) {
    const std::vector<DeviceId>& devices = choice.devices;
    std::vector<std::vector<std::int32_t>> shares(devices.size());
    if (deals_singly(plan, choice)) {
        for (std::size_t i = 0; i < targets.all.size(); ++i)
            shares[i % devices.size()].push_back(static_cast<std::int32_t>(i));
        return shares;
    }
    const Triangles triangles = triangles_of(targets, choice);
    std::vector<std::size_t> line_of_target;
    line_of_target.reserve(targets.all.size());
    std::vector<double> work;  // by line; none of a target is 0
    for (std::size_t i = 0; i < targets.all.size(); ++i) {
        const Target& t = targets.all[i];
        const std::size_t line =
            at(triangles.groups > 0 ? triangles.block_of(t.row, t.col) : line_of(plan.problem, t));
        line_of_target.push_back(line);
        if (line >= work.size()) work.resize(line + 1);
        work[line] += work_of(targets, i);
    }
    const std::vector<std::size_t> owner = deal_lines(plan, work, devices);
    for (std::size_t i = 0; i < targets.all.size(); ++i)
        shares[owner[line_of_target[i]]].push_back(static_cast<std::int32_t>(i));
    return shares;
}

std::optional<Level3Fit> fit_level3(const Problem& problem, const Targets& targets,
                                    std::span<const std::int32_t> mine, const Level3Room& room) {
    Need need = count_need(problem, targets, mine, room.grain);
    if (room.triangles.groups > 0) count_blocks(targets, mine, room.triangles, need);
    return Fitter(problem, need, room).fit();
}

std::vector<Item> order_items(const Problem& problem, const Targets& targets,
                              std::span<const std::int32_t> mine, const Level3Fit& fit,
                              const Choice& choice) {
    return Orderer(problem, targets, mine, fit, choice).items();
}

}  // namespace gemmill
