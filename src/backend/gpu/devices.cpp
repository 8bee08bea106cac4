// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "machine/load/assumed.hpp"

namespace gemmill {
namespace {

constexpr std::int64_t most_shares = 64;

GpuShare parse_share(const std::string& word, int gpus) {
    const std::size_t x = word.find('x');
    const std::int64_t gpu = parse_integer(word.substr(0, x), "devices: cuda:N");
    const std::int64_t count =
        x == std::string::npos ? 1 : parse_integer(word.substr(x + 1), "devices: cuda:NxM");
    require(gpu >= 0 && gpu < gpus, Code::no_device, "a GPU of this node",
            fmt::format("devices: there is no GPU {}; there are {}", gpu, gpus));
    require(count >= 1 && count <= most_shares, Code::bad_argument, "1 to 64 shares",
            fmt::format("devices: cuda:{}", word));
    return {static_cast<int>(gpu), static_cast<int>(count)};
}

std::string share_name(const std::string& name, const GpuShare& share, int i) {
    return share.count == 1 ? name : fmt::format("{}.{}", name, i);
}

/// Adds the devices of a share; returns their memories.
std::vector<MemoryId> add_share(SharedMachine& made, const Machine& node, MemoryId old,
                                const GpuShare& share) {
    Memory memory = node.memories[static_cast<std::size_t>(old)];
    Device device = *std::ranges::find(node.devices, old, &Device::memory);
    const std::string name = memory.name;
    memory.capacity /= share.count;
    device.bandwidth /= share.count;
    for (double& peak : device.peak) peak /= share.count;
    for (Rates& rates : device.rates)
        for (double& flops : rates.flops) flops /= share.count;
    std::vector<MemoryId> memories;
    for (int i = 0; i < share.count; ++i) {
        device.memory = static_cast<MemoryId>(made.machine.memories.size());
        memory.name = device.name = share_name(name, share, i);
        memories.push_back(device.memory);
        made.machine.memories.push_back(memory);
        made.machine.devices.push_back(device);
        made.ordinals.push_back(share.gpu);
    }
    return memories;
}

/// The same link for every pair of shares; together they have what it has.
void add_links(Machine& machine, Link link, const std::string& name,
               const std::vector<MemoryId>& from, const std::vector<MemoryId>& to) {
    if (from.size() * to.size() > 1) {
        link.resources.push_back(static_cast<ResourceId>(machine.resources.size()));
        machine.resources.push_back({name, link.bandwidth, link.origin});
    }
    for (const MemoryId a : from)
        for (const MemoryId b : to) {
            link.from = a;
            link.to = b;
            machine.links.push_back(link);
        }
}

ResourceId add_resource(Machine& machine, std::string name, double bandwidth,
                        const std::string& origin) {
    const auto same = std::ranges::find(machine.resources, name, &Resource::name);
    const auto id = static_cast<ResourceId>(same - machine.resources.begin());
    if (same == machine.resources.end())
        machine.resources.push_back({std::move(name), bandwidth, origin});
    return id;
}

}  // namespace

void add_pageable(Machine& machine, MemoryId gpu, const Packing& packing,
                  const std::string& origin) {
    const MemoryId host = find_memory(machine, "host");
    MemoryId pageable = find_memory(machine, pageable_name);
    if (pageable < 0) {
        pageable = static_cast<MemoryId>(machine.memories.size());
        Memory memory = machine.memories[static_cast<std::size_t>(host)];
        memory.name = pageable_name;
        machine.memories.push_back(std::move(memory));
    }
    const std::string name = machine.memories[static_cast<std::size_t>(gpu)].name;
    const ResourceId packers = add_resource(machine, "packers", packing.both, origin);
    const auto add = [&](MemoryId from, MemoryId to, const char* way, double bandwidth) {
        const bool leaves = to == host;
        const LinkId pinned = find_link(machine, from, to);
        if (pinned < 0) return;
        // Both kinds of host memory go through the same wires.
        Link& wires = machine.links[static_cast<std::size_t>(pinned)];
        wires.resources.push_back(
            add_resource(machine, fmt::format("{}.{}", name, way), wires.bandwidth, wires.origin));
        Link link = wires;
        (leaves ? link.to : link.from) = pageable;
        link.bandwidth = std::min(bandwidth, wires.bandwidth);
        link.latency = wires.latency + packing.latency;
        link.run_overhead = packing.run_overhead;
        link.resources.push_back(packers);
        link.origin = origin;
        machine.links.push_back(std::move(link));
    };
    add(host, gpu, "in", packing.in);
    add(gpu, host, "out", packing.out);
}

Machine with_pageable(Machine node, int threads) {
    if (find_memory(node, pageable_name) >= 0) return node;
    const Machine& assumed = assumed_node();
    const Link& in = assumed_link(assumed, pageable_name, "gpu0");
    const Link& out = assumed_link(assumed, "gpu0", pageable_name);
    const double both = assumed.resources[static_cast<std::size_t>(in.resources.at(0))].bandwidth;
    for (std::size_t m = 0; m < node.memories.size(); ++m)
        if (node.memories[m].kind == MemoryKind::device)
            add_pageable(node, static_cast<MemoryId>(m),
                         {threads * in.bandwidth, threads * out.bandwidth, threads * both,
                          in.latency, in.run_overhead},
                         fmt::format("assumed: {} times {}", threads, in.origin));
    return node;
}

std::vector<GpuShare> parse_gpus(std::string_view text, int gpus) {
    std::vector<GpuShare> shares;
    if (text == "cuda") {
        for (int i = 0; i < gpus; ++i) shares.push_back({i, 1});
        return shares;
    }
    for (const std::string& word : split(text.substr(std::string_view("cuda:").size()), ',')) {
        const GpuShare share = parse_share(word, gpus);
        require(std::ranges::find(shares, share.gpu, &GpuShare::gpu) == shares.end(),
                Code::bad_argument, "each GPU once", fmt::format("devices: '{}'", text));
        shares.push_back(share);
    }
    return shares;
}

SharedMachine share_gpus(const Machine& node, const std::vector<GpuShare>& shares) {
    const auto memory_of = [&](const std::string& name) {
        const MemoryId memory = find_memory(node, name);
        require(memory >= 0, Code::no_device, "the memories host, gpu0, gpu1, ...",
                fmt::format("machine {} has no memory {}", node.name, name));
        return memory;
    };
    SharedMachine made;
    made.machine = node;
    made.machine.memories.clear();
    made.machine.devices.clear();
    made.machine.links.clear();
    std::vector<std::vector<MemoryId>> memories(node.memories.size());
    const MemoryId host = memory_of("host");
    memories[static_cast<std::size_t>(host)] = {0};
    made.machine.memories.push_back(node.memories[static_cast<std::size_t>(host)]);
    made.ordinals.push_back(-1);
    for (const GpuShare& share : shares) {
        const MemoryId old = memory_of(fmt::format("gpu{}", share.gpu));
        require(std::ranges::find(node.devices, old, &Device::memory) != node.devices.end(),
                Code::no_device, "a device of each GPU's memory",
                fmt::format("machine {} has no device gpu{}", node.name, share.gpu));
        memories[static_cast<std::size_t>(old)] = add_share(made, node, old, share);
    }
    if (const MemoryId pageable = find_memory(node, pageable_name); pageable >= 0) {
        memories[static_cast<std::size_t>(pageable)] = {
            static_cast<MemoryId>(made.machine.memories.size())};
        made.machine.memories.push_back(node.memories[static_cast<std::size_t>(pageable)]);
        made.ordinals.push_back(-1);
    }
    for (const Link& link : node.links) {
        const auto from = static_cast<std::size_t>(link.from),
                   to = static_cast<std::size_t>(link.to);
        if (link.from == host && link.to == host) continue;
        add_links(made.machine, link,
                  fmt::format("{}-{}", node.memories[from].name, node.memories[to].name),
                  memories[from], memories[to]);
    }
    return made;
}

}  // namespace gemmill
