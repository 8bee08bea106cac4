// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/describe.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "planner/candidate/favour.hpp"

namespace gemmill {
namespace {

const char* flag(bool on) { return on ? "on" : "off"; }

std::string describe_strips(const Candidate& c) {
    const Strips& s = c.choice.strips;
    const std::string front =
        s.front == 0
            ? ""
            : fmt::format(" {} {}*{:.2f}", s.by_rows ? "row_panels" : "panels", s.panels, s.growth);
    const std::string bands = s.bands > 0 ? fmt::format(" bands {}", s.bands) : "";
    return fmt::format(
        "share {:.2f}{} front {:.2f}{} strips {}:{} slices {} turns {} ahead {} late_c {}",
        favour_of(c), bands, s.front, front, s.strips, s.drain, s.slices, flag(s.turns), s.ahead,
        name_of(c.policy.late_c));
}

std::string describe_tiles(const Candidate& c) {
    const TileSize& tile = c.choice.tile;
    return fmt::format("tile {}x{}x{} order {} outer {} late_c {}:{} pieces {}", tile.m, tile.n,
                       tile.k, name_of(c.policy.order), c.choice.outer, name_of(c.policy.late_c),
                       c.choice.late_slots, c.policy.chain ? c.policy.pieces : 0);
}

std::string describe_gemm(const Candidate& c) {
    return fmt::format("grid {}x{} {}", c.choice.grid.rows, c.choice.grid.cols,
                       c.policy.order == Sequence::strips ? describe_strips(c) : describe_tiles(c));
}

std::string describe_level3(const Candidate& candidate) {
    const Choice& c = candidate.choice;
    const bool shared = c.tall && c.devices.size() > 1;
    const std::string pieces = shared ? fmt::format(" pieces {}", candidate.policy.pieces) : "";
    return fmt::format(
        "edge {} other {} taper {} tail {} tall {} outer {:.3f} late {} ahead {} singly {} "
        "groups {}{}",
        c.cut.edge, c.cut.other, c.cut.taper, c.cut.tail, flag(c.tall), c.outer, flag(c.late),
        flag(c.ahead), flag(c.singly), c.groups, pieces);
}

}  // namespace

std::string names_of(const Draft& frame, const std::vector<DeviceId>& devices) {
    std::vector<std::string> names;
    for (const DeviceId d : devices)
        names.push_back(frame.machine.devices[static_cast<std::size_t>(d)].name);
    return join(names, ",");
}

std::string describe(const Draft& frame, const Candidate& c) {
    const std::string policy = c.policy.search ? "" : fmt::format(" policy {}", c.policy.name);
    const Beside& cpu = c.choice.beside;
    return fmt::format(
        "{}{} {}{}{}", names_of(frame, c.choice.devices), policy,
        frame.problem.routine == Routine::gemm ? describe_gemm(c) : describe_level3(c),
        c.choice.padded ? " padded on" : "",
        cpu.lines > 0 ? fmt::format(" beside {} {} lines", names_of(frame, {cpu.device}), cpu.lines)
                      : "");
}

}  // namespace gemmill
