// SPDX-License-Identifier: Apache-2.0
// gemmill machine: lists, shows, checks and probes machines.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "api/open/devices.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/plugin.hpp"
#include "base/text.hpp"
#include "command/console.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "gemmill/context.hpp"
#include "machine/load/cluster.hpp"
#include "machines/calibrate/gpu.hpp"
#include "machines/calibrate/host.hpp"
#include "plan/text/machine_names.hpp"
#include "plans/cluster.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill machine list\n"
    "  gemmill machine show summit-node\n"
    "  gemmill machine show 'gpu:4(mem=16GB,d=7T) nvlink:50GB/s pcie:12GB/s'\n"
    "  gemmill machine show cuda:0+cpu\n"
    "  gemmill machine check my.machine\n"
    "  gemmill machine probe --calibrate --out this.machine";
constexpr std::size_t screen = 80;
constexpr std::size_t most_shown = 300;  // memories in a table

struct MachineFlags {
    std::string name, out;
    bool text = false, json = false, calibrate = false;
};

std::string rate_or_none(double rate) { return rate > 0 ? human_flops(rate) : "-"; }

double total_peak(const Machine& machine, Type type) {
    double sum = 0;
    for (const Device& device : machine.devices) sum += device.peak[static_cast<std::size_t>(type)];
    return sum;
}

int list() {
    Table table;
    table.row({"name", "devices", "double", "single", "device memory", "links"});
    for (const std::string& name : catalogue_names()) {
        const Machine machine = load_machine(name);
        std::int64_t bytes = 0;
        for (const Memory& memory : machine.memories)
            if (memory.kind == MemoryKind::device) bytes += memory.capacity;
        table.row({name, std::to_string(machine.devices.size()),
                   rate_or_none(total_peak(machine, Type::d)),
                   rate_or_none(total_peak(machine, Type::s)),
                   human_bytes(static_cast<double>(bytes)), std::to_string(machine.links.size())});
    }
    fmt::print("{}\n{}", table.text(""), clusters_table());
    return ok;
}

std::string devices_table(const Machine& machine) {
    Table table;
    table.row({"device", "memory", "d", "s", "z", "c", "queues"});
    for (const Device& d : machine.devices) {
        const auto peak = [&](Type t) { return rate_or_none(d.peak[static_cast<std::size_t>(t)]); };
        table.row({d.name, machine.memories[static_cast<std::size_t>(d.memory)].name, peak(Type::d),
                   peak(Type::s), peak(Type::z), peak(Type::c), std::to_string(d.queues)});
    }
    return table.text("");
}

std::string memories_table(const Machine& machine) {
    Table table;
    table.row({"memory", "kind", "size"});
    for (const Memory& m : machine.memories)
        table.row({m.name, m.kind == MemoryKind::host ? "host" : "device",
                   human_bytes(static_cast<double>(m.capacity))});
    return table.text("");
}

/// GB/s of a link, or "-".
std::string bandwidth_cell(const Machine& machine, const LinkTable& links, std::size_t from,
                           std::size_t to) {
    const auto link = links.find({static_cast<MemoryId>(from), static_cast<MemoryId>(to)});
    if (link == links.end()) return "-";
    const double gigabytes = machine.links[static_cast<std::size_t>(link->second)].bandwidth / 1e9;
    return gigabytes < 1e6 ? fmt::format("{:.{}f}", gigabytes, gigabytes < 99.5 ? 1 : 0)
                           : fmt::format("{:.3g}", gigabytes);
}

/// As many columns side by side as the screen holds.
std::string bandwidth_table(const Machine& machine) {
    std::size_t longest = 5;
    for (const Memory& memory : machine.memories) longest = std::max(longest, memory.name.size());
    const std::size_t at_once = std::max<std::size_t>(1, (screen - longest - 6) / (longest + 2));
    const std::size_t count = machine.memories.size();
    if (count > most_shown)
        return fmt::format("{} memories and {} links: too many for a table, see --text\n", count,
                           machine.links.size());
    const LinkTable links = links_of(machine);
    std::string text = "GB/s of one transfer alone, from row to column\n";
    for (std::size_t first = 0; first < count; first += at_once) {
        const std::size_t last = std::min(count, first + at_once);
        Table table;
        std::vector<std::string> head{"from"};
        for (std::size_t to = first; to < last; ++to) head.push_back(machine.memories[to].name);
        table.row(std::move(head));
        for (std::size_t from = 0; from < count; ++from) {
            std::vector<std::string> cells{machine.memories[from].name};
            for (std::size_t to = first; to < last; ++to)
                cells.push_back(bandwidth_cell(machine, links, from, to));
            table.row(std::move(cells));
        }
        text += table.text("");
    }
    return text;
}

std::string resources_table(const Machine& machine) {
    if (machine.resources.empty()) return "";
    Table table;
    table.row({"shared by links", "bandwidth", "links"});
    for (std::size_t r = 0; r < machine.resources.size(); ++r) {
        const auto users = std::ranges::count_if(machine.links, [&](const Link& link) {
            return std::ranges::find(link.resources, static_cast<ResourceId>(r)) !=
                   link.resources.end();
        });
        table.row({machine.resources[r].name, human_bandwidth(machine.resources[r].bandwidth),
                   std::to_string(users)});
    }
    return "\n" + table.text("");
}

std::string table_of(const Machine& machine) {
    const std::string head = wrapped(fmt::format("{}: {}", machine.name, machine.origin));
    return fmt::format("{}\n\n{}\n{}\n{}{}", head, devices_table(machine), memories_table(machine),
                       bandwidth_table(machine), resources_table(machine));
}

/// What a context with these devices of this host plans for.
Machine opened_machine(const std::string& devices) {
    Options options;
    options.devices = devices;
    return Context(options).machine();
}

int print(const MachineFlags& flags, const Machine& machine, bool as_text) {
    const std::string text = flags.json ? to_json(machine) + "\n"
                             : as_text  ? to_text(machine)
                                        : table_of(machine);
    if (flags.out.empty())
        fmt::print("{}", text);
    else
        named("--out", [&] { write_file(flags.out, text); });
    return ok;
}

/// A file is checked here, so that every fault of it can be told.
int check_machine(const std::string& name) {
    if (is_cluster(name)) {
        load_cluster(name);
        fmt::print("ok: {} is sound\n", name);
        return ok;
    }
    const std::vector<std::string> known = catalogue_names();
    std::error_code ignored;
    const bool is_file = std::ranges::find(known, name) == known.end() &&
                         std::filesystem::is_regular_file(name, ignored);
    if (!is_file) {
        machine_named(name);
        fmt::print("ok: {} is sound\n", name);
        return ok;
    }
    const std::string text = read_file(name);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string::npos && text[first] == '{';
    const Machine machine =
        named(name, [&] { return json ? machine_from_json(text) : parse_machine(text); });
    const std::vector<std::string> faults = check(machine);
    for (const std::string& fault : faults) fmt::print("{}\n", fault);
    if (faults.empty()) fmt::print("ok: {} is sound\n", name);
    return faults.empty() ? ok : failed;
}

/// Where contexts of this host look for it.
void keep_calibration(const Machine& machine) {
    const std::filesystem::path file = calibration_file();
    if (file.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    try {
        const std::vector<std::string> faults = check(machine);
        require(faults.empty(), Code::failed_step, "a sound machine", join(faults, "; "));
        write_file(file.string(), to_text(machine));
        say(fmt::format("kept in {}: calls on this host plan with it", file.string()));
    } catch (const Error& error) {  // what was measured is printed all the same
        say("not kept: " + error.text());
    }
}

Machine calibrated_machine(const HostFacts& facts, std::string& why) {
    Machine machine = with_gpus(calibrated(host_machine(facts), facts.cores), why);
    if (const GpuDriver* driver = gpu_driver(why)) {
        int gpus = 0;
        driver->count(&gpus);
        const Progress progress("measuring GPUs");
        for (int gpu = 0; gpu < gpus; ++gpu) calibrate_gpu(machine, *driver, gpu);
    }
    keep_calibration(machine);
    return machine;
}

int probe(const MachineFlags& flags) {
    std::string why;
    const HostFacts facts = host_facts();
    const Machine machine =
        flags.calibrate ? calibrated_machine(facts, why) : with_gpus(host_machine(facts), why);
    if (!why.empty()) say(fmt::format("gpus: none ({})", why));
    std::string note;
    if (!flags.calibrate) calibration_of(machine, note);
    if (!note.empty()) say("calibration: " + note);
    return print(flags, machine, true);
}

}  // namespace

void add_machine(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("machine", "List, show, check and probe machines");
    sub->footer(footer);
    sub->require_subcommand(1);
    const auto flags = std::make_shared<MachineFlags>();
    const auto command = [&](const char* name, const char* help, auto run) {
        CLI::App* one = sub->add_subcommand(name, help);
        one->callback([flags, run, &action] { action = [flags, run] { return run(*flags); }; });
        return one;
    };
    command("list", "machines that are known by name", [](const MachineFlags&) { return list(); });
    CLI::App* show = command("show", "devices, memories and bandwidths", [](const MachineFlags& f) {
        if (is_cluster(f.name)) {
            fmt::print("{}", cluster_text(f.name));
            return ok;
        }
        return print(f, f.name.starts_with("cuda") ? opened_machine(f.name) : machine_named(f.name),
                     f.text);
    });
    CLI::App* check = command("check", "whether a machine is sound; exit code 1 when it is not",
                              [](const MachineFlags& f) { return check_machine(f.name); });
    CLI::App* probing = command("probe", "this host as a machine, in text form", probe);
    for (CLI::App* one : {show, check})
        one->add_option("machine", flags->name, "name, file or line")->required();
    for (CLI::App* one : {show, probing}) {
        CLI::Option* text = one->add_flag("--text", flags->text, "the text form, which files have");
        one->add_flag("--json", flags->json, "the JSON form")->excludes(text);
        one->add_option("--out", flags->out, "write to this file");
    }
    probing->add_flag("--calibrate", flags->calibrate,
                      "measure gemm, copies and GPUs, and keep it for calls on this host");
}

}  // namespace gemmill::command
