// SPDX-License-Identifier: Apache-2.0
#include "sweep/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "planner/policy.hpp"
#include "plans/summary.hpp"
#include "random/dice.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

/// A wide range of what GPUs and nodes are or were: rates of a tenth to a whole H200, links from an
/// old PCIe to NVLink, some of them shared.
Machine random_machine(Dice& dice) {
    const int devices = 1 + dice.below(16);
    const double rate = dice.spread(2e12, 70e12), link = dice.spread(6e9, 60e9);
    std::string line = fmt::format(
        "gpu:{}(mem={:.0f}GB,d={:.3f}T,s={:.3f}T,c={:.3f}T,z={:.3f}T) pcie:{:.2f}GB/s(shared={})",
        devices, dice.spread(8, 160), rate * 1e-12, rate * dice.uniform(1, 2) * 1e-12,
        rate * dice.uniform(1, 2) * 1e-12, rate * 1e-12, link * 1e-9, 1 + dice.below(3));
    if (dice.chance(50)) line += fmt::format(" nvlink:{:.1f}GB/s", dice.spread(20, 450));
    Machine machine = synthetic_machine(line);
    machine.name = fmt::format("{} GPUs", devices);
    if (dice.chance(40)) {
        machine.name = "uneven " + machine.name;
        for (Device& device : machine.devices) {
            const double factor = dice.uniform(0.3, 1);
            for (double& peak : device.peak) peak *= factor;
        }
        for (Link& one : machine.links)
            if (dice.chance(30)) one.bandwidth *= dice.uniform(0.2, 1);
    }
    return machine;
}

Machine pick_machine(Dice& dice) {
    if (dice.chance(50)) return random_machine(dice);
    std::vector<std::string> names = catalogue_names();
    return load_machine(
        names[static_cast<std::size_t>(dice.below(static_cast<int>(names.size())))]);
}

/// A type that all devices compute and the routine has.
Type pick_type(Dice& dice, const Machine& machine, Routine routine) {
    for (;;) {
        const Type type = dice.pick({Type::d, Type::d, Type::s, Type::c, Type::z});
        const bool computed = std::ranges::all_of(machine.devices, [&](const Device& device) {
            return device.peak[static_cast<std::size_t>(type)] > 0;
        });
        if (computed && (!is_hermitian(routine) || is_complex(type))) return type;
        if (!computed && is_hermitian(routine)) return Type::d;  // the caller takes another routine
    }
}

index_t pick_size(Dice& dice) { return static_cast<index_t>(dice.spread(300, 24000)); }

void set_shape(Dice& dice, Problem& p) {
    p.m = pick_size(dice), p.n = pick_size(dice), p.k = pick_size(dice);
    if (dice.chance(30)) p.n = p.k = p.m;
    if (writes_triangle(p.routine)) p.m = p.n;
    if (reads_triangle(p.routine)) p.k = p.side == Side::Left ? p.m : p.n;
}

Op pick_op(Dice& dice, const Problem& p) {
    const Op op = dice.pick({Op::NoTrans, Op::NoTrans, Op::Trans, Op::ConjTrans});
    return allows(p.routine, p.type, op) ? op : Op::NoTrans;
}

Problem pick_problem(Dice& dice, const Machine& machine) {
    Problem p;
    p.routine = dice.chance(40) ? Routine::gemm : static_cast<Routine>(dice.below(10));
    p.type = pick_type(dice, machine, p.routine);
    if (is_hermitian(p.routine) && !is_complex(p.type)) p.routine = Routine::gemm;
    p.side = dice.chance(50) ? Side::Left : Side::Right;
    p.uplo = dice.chance(50) ? Uplo::Lower : Uplo::Upper;
    p.op_a = pick_op(dice, p);
    p.op_b = is_in_place(p.routine) || reads_triangle(p.routine) ? Op::NoTrans : pick_op(dice, p);
    set_shape(dice, p);
    p.alpha = Factor::general;
    p.beta = dice.chance(30) ? Factor::zero : Factor::general;
    const auto memories = static_cast<int>(machine.memories.size());
    if (dice.chance(45))
        for (MemoryId& home : p.home) home = dice.chance(60) ? 0 : dice.below(memories);
    return p;
}

/// A cap that holds a part of the matrices.
std::int64_t pick_cap(Dice& dice, const Problem& p) {
    if (!dice.chance(25)) return 0;
    double bytes = 0;
    for (const OperandId id : {operand::A, operand::B, operand::C})
        bytes += static_cast<double>(operand_bytes(p, id));
    return static_cast<std::int64_t>(std::max(32e6, bytes * dice.spread(0.05, 0.8)));
}

/// Policies are compared, not the libraries that they imitate: all of them have the host costs that
/// plans of `best` have. A library without a record would have those of the bare machine.
void set_equal_overheads(Machine& machine) {
    const auto ours = std::ranges::find(machine.overheads, "uncut", &Overhead::name);
    if (ours == machine.overheads.end()) {
        machine.overheads.clear();
        return;
    }
    Overhead same = *ours;
    machine.overheads.clear();
    for (const Policy& policy : policies()) {
        same.name = policy.library;
        const bool known = std::ranges::find(machine.overheads, same.name, &Overhead::name) !=
                           machine.overheads.end();
        if (!known && !same.name.empty()) machine.overheads.push_back(same);
    }
}

}  // namespace

SweepCase sweep_case(std::uint64_t seed, std::uint64_t number) {
    Dice dice(seed * 0x100000001b3u + number);
    SweepCase one;
    one.machine = pick_machine(dice);
    set_equal_overheads(one.machine);
    one.problem = pick_problem(dice, one.machine);
    one.cap = pick_cap(dice, one.problem);
    return one;
}

std::string describe(const SweepCase& one) {
    const std::string cap =
        one.cap > 0 ? fmt::format(", cap {}", human_bytes(static_cast<double>(one.cap))) : "";
    return fmt::format("{}{}, on {}", describe(one.machine, one.problem), cap, one.machine.name);
}

}  // namespace gemmill::command
