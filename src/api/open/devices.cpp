// SPDX-License-Identifier: Apache-2.0
#include "api/open/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "api/open/cpu_beside.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/gpu/devices.hpp"
#include "backend/gpu/gpu.hpp"
#include "backend/joined/joined.hpp"
#include "backend/plugin.hpp"
#include "base/environment.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "machine/load/assumed.hpp"
#include "machine/reach.hpp"

namespace gemmill {
namespace {

std::unique_ptr<Backend> open_cpus(const Options& options) {
    const std::int64_t count = parse_integer(options.devices.substr(4), "devices: cpu:N");
    require(count >= 1 && count <= 64, Code::bad_argument, "1 to 64 devices",
            fmt::format("devices: '{}'", options.devices));
    CpuSetup setup;
    setup.machine = cpu_machine(probe_host(), static_cast<int>(count));
    setup.kernels = host_kernels();
    if (options.threads > 0)
        setup.threads = static_cast<int>(std::min<std::int64_t>(options.threads, 256));
    return std::make_unique<CpuBackend>(std::move(setup));
}

/// What a plan may use of a GPU: what is free now, less what streams and handles will take.
void leave_room(SharedMachine& made, const std::vector<GpuShare>& shares, const GpuDriver& driver) {
    for (std::size_t m = 0; m < made.ordinals.size(); ++m) {
        std::size_t bytes = 0;
        if (made.ordinals[m] < 0 || driver.free_memory(made.ordinals[m], &bytes) != 0) continue;
        const auto free = static_cast<std::int64_t>(bytes);
        const int count = std::ranges::find(shares, made.ordinals[m], &GpuShare::gpu)->count;
        const Device& device =
            *std::ranges::find(made.machine.devices, static_cast<MemoryId>(m), &Device::memory);
        const std::int64_t taken = chip_with_room(made.machine, device).reserve;
        std::int64_t& capacity = made.machine.memories[m].capacity;
        capacity = std::clamp<std::int64_t>((free - taken) / count, 1, capacity);
    }
}

/// Bytes/s that threads pack for one GPU.
double packing_rate(const Machine& node, int threads) {
    const MemoryId pageable = find_memory(node, pageable_name);
    double rate = 0;
    for (const Link& link : node.links)
        if (pageable >= 0 && link.from == pageable) rate = std::max(rate, link.bandwidth);
    return rate > 0 ? rate
                    : threads * assumed_link(assumed_node(), pageable_name, "gpu0").bandwidth;
}

/// As asked for, as measured, or as assumed but for half the cores at most. Short columns of pinned
/// memory are packed where threads do so faster than the GPU copies them.
StagingSetup staging_of(const Options& options, const Machine& node, int cores) {
    constexpr std::int64_t most_threads = 64, least_slot = 1 << 16, most_slot = 1 << 26;
    const Machine& assumed = assumed_node();
    const std::int64_t wanted = options.packers > 0 ? options.packers
                                : node.packers > 0
                                    ? node.packers
                                    : std::clamp<std::int64_t>(cores / 2, 1, assumed.packers);
    StagingSetup setup =
        staging_with(static_cast<int>(std::min(wanted, most_threads)),
                     std::clamp(node.slot > 0 ? node.slot : assumed.slot, least_slot, most_slot));
    const Machine& measured = node.short_run > 0 ? node : assumed;
    if (packing_rate(node, setup.threads) > measured.short_rate)
        setup.short_run = measured.short_run;
    return setup;
}

/// The machine that the options name, if they do.
std::optional<Machine> named_machine(const Options& options) {
    if (options.machine.empty()) return std::nullopt;
    try {
        return load_machine(options.machine);
    } catch (const Error& error) {
        throw Error(error.code(), "machine: " + error.text(), error.condition());
    }
}

std::unique_ptr<JoinedBackend> join_cpu(GpuSetup gpus, CpuBeside cpu, int cores,
                                        const std::string& host_blas) {
    open_host_blas(host_blas);
    const int threads = cores - cores_left(cores);
    const CpuKernels kernels{host_kernels(), [threads](const std::function<void()>& work) {
                                 const FewerHostThreads fewer(threads);
                                 work();
                             }};
    const NarrowProducts products = narrow_products(threads);
    fit_to_measured(cpu, products, measured_rates(kernels, products), threads);
    cpu.device.chip = static_cast<ChipId>(gpus.machine.chips.size());
    gpus.machine.chips.push_back(std::move(cpu.chip));
    JoinedSetup setup;
    setup.gpus = std::move(gpus);
    setup.cpu = std::move(cpu.device);
    setup.kernels = kernels;
    return std::make_unique<JoinedBackend>(std::move(setup));
}

GpuSetup setup_of(const Options& options, const DevicesWanted& wanted, const GpuDriver& driver,
                  const Machine& node, const StagingSetup& staging) {
    int count = 0;
    driver.count(&count);
    const std::vector<GpuShare> shares = parse_gpus(wanted.gpus, count);
    SharedMachine made = share_gpus(with_pageable(node, staging.threads), shares);
    leave_room(made, shares, driver);
    // As it will be done, so that plans show it.
    made.machine.packers = staging.threads;
    made.machine.slot = staging.slot_bytes;
    made.machine.short_run = staging.short_run;
    GpuSetup setup;
    setup.driver = &driver;
    setup.machine = std::move(made.machine);
    setup.ordinals = std::move(made.ordinals);
    setup.pin = static_cast<std::size_t>(options.pin);
    setup.staging = staging;
    return setup;
}

OpenDevices open_gpus(const Options& options, const DevicesWanted& wanted, const GpuDriver& driver,
                      const std::optional<Machine>& named) {
    std::string why;
    const HostFacts host = host_facts();
    const Machine here = this_machine(host, why);
    const Machine& node = named ? *named : here;
    const StagingSetup staging = staging_of(options, node, host.cores);
    GpuSetup setup = setup_of(options, wanted, driver, node, staging);
    OpenDevices opened;
    if (wanted.cpu)
        opened = join_cpu(std::move(setup), cpu_beside(node, host.cores, staging.threads),
                          host.cores, options.host_blas);
    else
        opened = std::make_unique<GpuBackend>(std::move(setup));
    opened.host = here.devices.front();  // the host's own comes first
    return opened;
}

std::vector<Memory> gpus_of(const Machine& machine) {
    std::vector<Memory> gpus = machine.memories;
    std::erase_if(gpus, [](const Memory& m) { return m.kind != MemoryKind::device; });
    return gpus;
}

/// The GPUs of both, by their memories, are the same.
bool same_memories(const Machine& a, const Machine& b) {
    const auto same = [](const Memory& x, const Memory& y) {
        return x.name == y.name && x.capacity == y.capacity;
    };
    return std::ranges::equal(gpus_of(a), gpus_of(b), same);
}

std::string memories_of(const Machine& machine) {
    std::vector<std::string> all;
    for (const Memory& m : gpus_of(machine))
        all.push_back(
            fmt::format("{} with {}", m.name, human_bytes(static_cast<double>(m.capacity))));
    return all.empty() ? "no GPU" : join(all, ", ");
}

/// Files of before name no chips.
void take_chips(Machine& measured, const Machine& node) {
    if (!measured.chips.empty()) return;
    measured.chips = node.chips;
    for (Device& device : measured.devices)
        if (const DeviceId same = find_device(node, device.name); same >= 0)
            device.chip = node.devices[static_cast<std::size_t>(same)].chip;
}

}  // namespace

std::string calibration_file() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    const std::string folder = cache_folder();
    return folder.empty() ? "" : fmt::format("{}/gemmill/{}.machine", folder, name.data());
}

Machine this_machine(const HostFacts& host, std::string& why) {
    Machine node = with_gpus(host_machine(host), why);
    std::string note;
    const std::optional<Machine> measured = calibration_of(node, note);
    return measured ? *measured : node;
}

std::optional<Machine> calibration_of(const Machine& node, std::string& note) {
    const std::string file = calibration_file();
    std::error_code ignored;
    if (file.empty() || !std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
    Machine measured;
    try {
        measured = load_machine(file);
    } catch (const Error& error) {  // cut short, or of another version: it must not stop any call
        note = fmt::format("{} cannot be read: {}", file, error.text());
        return std::nullopt;
    }
    take_chips(measured, node);
    if (same_memories(measured, node)) {
        note = fmt::format("{} is used", file);
        return measured;
    }
    note = fmt::format("{} is not used: it has {}, this host has {}", file, memories_of(measured),
                       memories_of(node));
    return std::nullopt;
}

std::optional<DevicesWanted> parse_wanted(const std::string& text) {
    constexpr std::string_view beside = "+cpu";
    DevicesWanted wanted{text, text.ends_with(beside)};
    if (wanted.cpu) wanted.gpus.resize(text.size() - beside.size());
    if (wanted.gpus != "cuda" && !wanted.gpus.starts_with("cuda:")) return std::nullopt;
    return wanted;
}

void check_devices(const std::string& text) {
    const bool known =
        text == "auto" || text == "cpu" || text.starts_with("cpu:") || parse_wanted(text);
    require(known, Code::no_device, "auto, cpu, cpu:N, cuda, cuda:0,1, cuda:0x4 or cuda:0+cpu",
            fmt::format("devices: '{}' is not there", text));
}

OpenDevices open_devices(const Options& options) {
    // Looked for on the CPU too, which does not need it: a name that is wrong is not meant.
    const std::optional<Machine> named = named_machine(options);
    const std::string& text = options.devices;
    if (text == "cpu") return {};
    if (text.starts_with("cpu:")) return OpenDevices(open_cpus(options));
    check_devices(text);
    const bool automatic = text == "auto";
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    require(driver != nullptr || automatic, Code::no_device, "a GPU",
            fmt::format("devices: '{}': {}", text, why));
    if (driver == nullptr) return {};
    const DevicesWanted wanted = automatic ? DevicesWanted{"cuda", false} : *parse_wanted(text);
    return open_gpus(options, wanted, *driver, named);
}

}  // namespace gemmill
