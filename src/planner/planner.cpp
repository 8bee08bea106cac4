// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "machine/reach.hpp"
#include "planner/candidate/beside.hpp"
#include "planner/candidate/describe.hpp"
#include "planner/policy.hpp"
#include "planner/search/budget.hpp"
#include "planner/search/others.hpp"
#include "planner/search/search.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

bool can_compute(const Machine& machine, DeviceId device, Type type) {
    return machine.devices[static_cast<std::size_t>(device)].peak[static_cast<std::size_t>(type)] >
           0;
}

DeviceId device_named(const Machine& machine, const std::string& word) {
    DeviceId device = find_device(machine, word);
    const bool number = word.find_first_not_of("0123456789") == std::string::npos;
    if (device < 0 && number && !word.empty()) {
        const std::int64_t count = static_cast<std::int64_t>(machine.devices.size());
        const std::int64_t index = parse_integer(word, "devices");
        device = static_cast<DeviceId>(index < count ? index : -1);
    }
    require(device >= 0, Code::no_device, "a device's number or name",
            fmt::format("devices: machine {} has no device {}", machine.name, shown(word)));
    return device;
}

/// "3", "gpu3" or "2-5".
void add_devices(const Machine& machine, const std::string& word, std::vector<DeviceId>& devices) {
    const bool range = word.find('-') != std::string::npos &&
                       word.find_first_not_of("0123456789-") == std::string::npos &&
                       find_device(machine, word) < 0;
    const std::vector<std::string> ends = range ? split(word, '-') : std::vector{word, word};
    require(ends.size() == 2 && !ends[0].empty() && !ends[1].empty(), Code::bad_argument,
            "a number, a range such as 2-5, or a name",
            fmt::format("devices: {} is no device and no range", shown(word)));
    const DeviceId first = device_named(machine, ends[0]), last = device_named(machine, ends[1]);
    require(first <= last, Code::bad_argument, "the smaller number first",
            fmt::format("devices: {} goes backwards", shown(word)));
    for (DeviceId d = first; d <= last; ++d) {
        require(std::ranges::find(devices, d) == devices.end(), Code::bad_argument,
                "each device once", fmt::format("devices: {} is named twice", shown(word)));
        devices.push_back(d);
    }
}

/// Room that operands which live in a memory leave of it, and the user's cap.
std::vector<std::int64_t> limits_of(const Problem& problem, const Machine& machine,
                                    const Options& options) {
    std::vector<std::int64_t> limits;
    for (std::size_t m = 0; m < machine.memories.size(); ++m) {
        std::int64_t limit = machine.memories[m].capacity;
        for (const OperandId operand : {operand::A, operand::B, operand::C})
            if (problem.home[static_cast<std::size_t>(operand)] == static_cast<MemoryId>(m))
                limit -= operand_bytes(problem, operand);
        if (options.device_memory > 0 && machine.memories[m].kind == MemoryKind::device)
            limit = std::min(limit, options.device_memory);
        require(limit >= 0, Code::out_of_memory, "room for the operands where they live",
                fmt::format("A, B and C do not fit memory {}", machine.memories[m].name));
        limits.push_back(limit);
    }
    return limits;
}

void check_problem(const Problem& p, const Machine& machine) {
    require(p.m >= 0 && p.n >= 0 && p.k >= 0, Code::bad_argument, "m, n, k >= 0",
            fmt::format("m = {}, n = {}, k = {}", p.m, p.n, p.k));
    require(!writes_triangle(p.routine) || p.m == p.n, Code::bad_argument, "a square C",
            fmt::format("m = {}, n = {}", p.m, p.n));
    require(!reads_triangle(p.routine) || p.k == (p.side == Side::Left ? p.m : p.n),
            Code::bad_argument, "an A that fits its side",
            fmt::format("m = {}, n = {}, k = {}", p.m, p.n, p.k));
    require(p.routine == Routine::gemm || !is_short(p.type), Code::bad_argument,
            "types s, d, c and z for all but gemm", fmt::format("type {}", letter_of(p.type)));
    require(!is_hermitian(p.routine) || is_complex(p.type), Code::bad_argument,
            "types c and z for hermitian matrices", fmt::format("type {}", letter_of(p.type)));
    require(allows(p.routine, p.type, p.op_a), Code::bad_argument,
            "trans n or t for symmetric, n or c for hermitian updates", "trans of a rank update");
    for (const MemoryId home : p.home)
        require(home >= 0 && static_cast<std::size_t>(home) < machine.memories.size(),
                Code::bad_argument, "a memory of the machine", fmt::format("home {}", home));
    // Sizes in bytes, and sums of a few of them, must stay far from the end of 64 bits.
    constexpr double most = 4e17;
    for (const OperandId operand : {operand::A, operand::B, operand::C}) {
        const Shape shape = stored_shape(p, operand);
        require(static_cast<double>(shape.rows) * static_cast<double>(shape.cols) *
                        static_cast<double>(bytes_of(p.type)) <
                    most,
                Code::bad_argument, "matrices below 4e17 bytes",
                fmt::format("m = {}, n = {}, k = {}", p.m, p.n, p.k));
    }
}

/// All transfers from and to host memory share what the library gets there.
void limit_host(Machine& machine, const Overhead& library) {
    const auto id = static_cast<ResourceId>(machine.resources.size());
    const auto is_host = [&](MemoryId memory) {
        return machine.memories[static_cast<std::size_t>(memory)].kind == MemoryKind::host;
    };
    machine.resources.push_back({library.name + ".host", library.host, library.origin});
    for (Link& link : machine.links)
        if (is_host(link.from) || is_host(link.to)) link.resources.push_back(id);
}

/// The machine as the library that the policy imitates finds it.
Machine with_overheads(Machine machine, std::string_view library) {
    const auto found = std::ranges::find(machine.overheads, library, &Overhead::name);
    if (found == machine.overheads.end()) return machine;
    machine.call = found->call;
    machine.issue = found->issue;
    for (Device& device : machine.devices) device.launch = found->launch;
    if (found->host > 0) limit_host(machine, *found);
    return machine;
}

std::vector<DeviceId> usable_devices(const Machine& machine, Type type, const std::string& text) {
    std::vector<DeviceId> devices = parse_devices(machine, text);
    if (text == "auto")
        std::erase_if(devices, [&](DeviceId d) { return !can_compute(machine, d, type); });
    for (const DeviceId d : devices)
        require(can_compute(machine, d, type), Code::no_device, "a peak for the type",
                fmt::format("device {} cannot compute type {}",
                            machine.devices[static_cast<std::size_t>(d)].name, letter_of(type)));
    require(!devices.empty(), Code::no_device, "one device at least",
            fmt::format("machine {} has no device for type {}", machine.name, letter_of(type)));
    return devices;
}

/// A CPU beside other devices gets no tiles where a matrix lies in host memory that is not its own:
/// there is no way between the two.
void leave_to_others(Draft& frame) {
    const auto without = [&](DeviceId d) {
        const MemoryId own = device_memory(frame.machine, d);
        return is_host(frame.machine, own) &&
               std::ranges::any_of(frame.problem.home, [&](MemoryId home) {
                   return home != own && is_host(frame.machine, home);
               });
    };
    if (!std::ranges::all_of(frame.devices, without)) std::erase_if(frame.devices, without);
}

/// Work that the caller allows; 0: what the run allows.
double work_of(const Options& options) {
    return options.search.empty() ? 0 : work_a_second * parse_seconds(options.search, "search");
}

/// Whether the caller left it to us how to plan: what was set by hand is not overruled by plans of
/// other policies.
bool looks_further(const Candidate& start, const Options& options) {
    const Options plain;
    const auto same = [&](std::string Options::*choice) {
        return options.*choice == plain.*choice;
    };
    return start.policy.search && !start.choice.fixed_tile && options.queues == 0 &&
           same(&Options::spread) && same(&Options::routing) && same(&Options::chain) &&
           same(&Options::order) && same(&Options::late_c) && same(&Options::caching) &&
           same(&Options::overlap);
}

/// Of what the scheduler offers.
Plan plan_elsewhere(const Draft& frame, const Options& options, const Elsewhere& elsewhere,
                    std::vector<Tried>* tried) {
    require(elsewhere != nullptr, Code::bad_argument, "a scheduler",
            fmt::format("policy: {} cannot be planned here", frame.policy));
    const double steps = scheduler_steps(frame, work_of(options));
    auto plan = elsewhere(frame, frame.problem, options, {steps}).plan;
    require(plan.has_value(), Code::out_of_memory, "room for a few tiles",
            "device memory does not hold the tiles of one step");
    if (tried != nullptr)
        tried->push_back({names_of(frame, frame.devices) + " policy " + frame.policy,
                          plan->prediction.seconds, plan->steps.size(), false});
    return *std::move(plan);
}

/// Strips that were asked for must not become tiles in silence.
Draft plan_in_strips(const Draft& frame, const Candidate& start, const Scope& scope,
                     std::vector<Tried>* tried) {
    constexpr const char* needs =
        "spread=grid, caching=on, overlap=on, room for a block, and a matrix elsewhere";
    std::vector<Tried> all;
    try {
        Draft plan = search_plan(frame, start, scope, &all);
        require(std::ranges::any_of(all, &Tried::strips), Code::bad_argument, needs,
                "order: there can be no strips here");
        if (tried != nullptr) *tried = std::move(all);
        return plan;
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
        throw Error(error.code(),
                    fmt::format("order: there can be no strips here: {}", error.text()), needs);
    }
}

}  // namespace

std::vector<DeviceId> parse_devices(const Machine& machine, const std::string& text) {
    std::vector<DeviceId> devices;
    if (text == "auto" || text == "all") {
        for (std::size_t d = 0; d < machine.devices.size(); ++d)
            devices.push_back(static_cast<DeviceId>(d));
        return devices;
    }
    for (const std::string& word : split(text, ',')) add_devices(machine, word, devices);
    return devices;
}

Plan make_plan(const Problem& problem, const Machine& machine, const Options& options,
               std::vector<Tried>* tried, const Help& help) {
    check_problem(problem, machine);
    options.check();
    Candidate start;
    start.policy = resolve_policy(options);
    Draft frame;
    frame.machine = with_overheads(machine, start.policy.library);
    frame.problem = problem;
    describe(problem, frame);
    frame.policy = start.policy.name;
    frame.devices = usable_devices(machine, problem.type, options.devices);
    frame.limit = limits_of(problem, machine, options);
    frame.cpu = find_cpu_beside(frame);
    if (start.policy.scheduled) return plan_elsewhere(frame, options, help.elsewhere, tried);
    leave_to_others(frame);
    start.choice.devices = frame.devices;
    start.choice.tile = {options.tile, options.tile, options.tile};
    start.choice.fixed_tile = options.tile > 0;
    start.choice.queues = static_cast<int>(options.queues);
    const Scope scope{work_of(options), looks_further(start, options)};
    if (options.order != "strips" || problem.routine != Routine::gemm ||
        !is_read(problem, operand::A))
        return search_plan(frame, start, scope, tried, help);
    require(!start.choice.fixed_tile, Code::bad_argument, "no tile",
            fmt::format("order: strips have no tile of {}", options.tile));
    return plan_in_strips(frame, start, scope, tried);
}

}  // namespace gemmill
