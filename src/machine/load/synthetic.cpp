// SPDX-License-Identifier: Apache-2.0
// A machine from one line of text, such as "gpu:8(mem=80GB,d=60T) nvlink:450GB/s pcie:55GB/s".
#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/machine.hpp"
#include "machine/load/assumed.hpp"

namespace gemmill {
namespace {

constexpr std::int64_t most_gpus = 256;

[[noreturn]] void bad(const std::string& text) { throw Error(Code::parse, text); }

/// "pcie:55GB/s(shared=2)" taken apart.
struct Part {
    std::string kind, value;
    std::vector<std::string> settings;
};

using Setters = std::map<std::string_view, std::function<void(const std::string&)>>;

struct Wire {
    double bandwidth = 0;
    double latency = 0;
    double run_overhead = 0;
};

/// What the line says; the rest is of src/machine/assumed.
struct Description {
    std::int64_t gpus = 0;
    std::int64_t gpu_memory = memory("gpu0");
    Device gpu = assumed_node().devices.front();
    std::map<Type, double> peak{{Type::s, gpu.peak[0]}, {Type::d, gpu.peak[1]}};
    std::optional<Wire> nvlink;
    Wire pcie = wire("host", "gpu0");
    std::int64_t gpus_per_switch = 1;
    std::int64_t host_memory = memory("host");
    std::optional<double> host_read, host_write;
    double issue = assumed_node().issue;
    double call = assumed_node().call;

    static std::int64_t memory(const char* name) {
        const Machine& node = assumed_node();
        return node.memories[static_cast<std::size_t>(find_memory(node, name))].capacity;
    }
    static Wire wire(const char* from, const char* to) {
        const Link& link = assumed_link(assumed_node(), from, to);
        return {link.bandwidth, link.latency, link.run_overhead};
    }
};

std::vector<std::string> split_parts(std::string_view line) {
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : line) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth < 0) bad("a ) without (");
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            parts.back() += c;
        else if (depth == 0 && !parts.back().empty())
            parts.emplace_back();
    }
    if (depth > 0) bad("a ( without )");
    if (parts.back().empty()) parts.pop_back();
    return parts;
}

Part parse_part(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos)
        bad(fmt::format("{} has no colon; expected such as gpu:8", shown(text)));
    Part part{text.substr(0, colon), text.substr(colon + 1), {}};
    const auto open = part.value.find('(');
    if (open == std::string::npos) return part;
    if (part.value.back() != ')') bad(fmt::format("{}: text behind the closing )", shown(text)));
    const std::string inside = part.value.substr(open + 1, part.value.size() - open - 2);
    if (!inside.empty()) part.settings = split(inside, ',');
    part.value.resize(open);
    return part;
}

void set_all(const Part& part, const Setters& setters) {
    std::set<std::string> seen;
    for (const std::string& setting : part.settings) {
        const auto equals = setting.find('=');
        const std::string key = setting.substr(0, equals);
        const auto setter = setters.find(key);
        if (equals == std::string::npos || setter == setters.end()) {
            std::vector<std::string> known;
            for (const auto& [name, set] : setters) known.emplace_back(name);
            bad(fmt::format("{} in {}: expected KEY=VALUE with KEY one of {}", shown(setting),
                            part.kind, join(known, ", ")));
        }
        if (!seen.insert(key).second) bad(fmt::format("{}: '{}' is given twice", part.kind, key));
        setter->second(setting.substr(equals + 1));
    }
}

std::int64_t parse_between(const std::string& text, std::string_view what, std::int64_t most) {
    const std::int64_t value = parse_integer(text, what);
    if (value < 1 || value > most) bad(fmt::format("{}: {} is not in 1..{}", what, value, most));
    return value;
}

void read_gpu(const Part& part, Description& to) {
    to.gpus = parse_between(part.value, "gpu", most_gpus);
    using S = const std::string&;
    Setters setters{
        {"mem", [&](S v) { to.gpu_memory = parse_bytes(v, "mem"); }},
        {"bandwidth", [&](S v) { to.gpu.bandwidth = parse_bytes_per_second(v, "bandwidth"); }},
        {"queues",
         [&](S v) { to.gpu.queues = static_cast<int>(parse_between(v, "queues", 1024)); }},
        {"launch", [&](S v) { to.gpu.launch = parse_seconds(v, "launch"); }}};
    static constexpr std::string_view letters = "sdczhb";
    for (int t = 0; t < type_count; ++t)
        setters[letters.substr(t, 1)] = [&to, t](S v) {
            to.peak[static_cast<Type>(t)] = parse_flops(v, letters.substr(t, 1));
        };
    set_all(part, setters);
}

void read_nvlink(const Part& part, Description& to) {
    Wire wire = Description::wire("gpu0", "gpu1");
    wire.bandwidth = parse_bytes_per_second(part.value, part.kind);
    set_all(part, {{"latency",
                    [&](const std::string& v) { wire.latency = parse_seconds(v, "latency"); }}});
    to.nvlink = wire;
}

void read_pcie(const Part& part, Description& to) {
    to.pcie.bandwidth = parse_bytes_per_second(part.value, part.kind);
    using S = const std::string&;
    set_all(part,
            {{"shared", [&](S v) { to.gpus_per_switch = parse_between(v, "shared", most_gpus); }},
             {"latency", [&](S v) { to.pcie.latency = parse_seconds(v, "latency"); }},
             {"run_overhead", [&](S v) {
                  to.pcie.run_overhead = static_cast<double>(parse_bytes(v, "run_overhead"));
              }}});
}

void read_host(const Part& part, Description& to) {
    to.host_memory = parse_bytes(part.value, "host");
    using S = const std::string&;
    set_all(part, {{"read", [&](S v) { to.host_read = parse_bytes_per_second(v, "read"); }},
                   {"write", [&](S v) { to.host_write = parse_bytes_per_second(v, "write"); }},
                   {"issue", [&](S v) { to.issue = parse_seconds(v, "issue"); }},
                   {"call", [&](S v) { to.call = parse_seconds(v, "call"); }}});
}

Description describe(const std::vector<std::string>& texts) {
    using Read = void (*)(const Part&, Description&);
    static const std::map<std::string_view, Read> readers{{"gpu", read_gpu},
                                                          {"nvlink", read_nvlink},
                                                          {"nvswitch", read_nvlink},
                                                          {"pcie", read_pcie},
                                                          {"host", read_host}};
    Description description;
    std::set<Read> seen;
    for (const std::string& text : texts) {
        const Part part = parse_part(text);
        const auto reader = readers.find(part.kind);
        if (reader == readers.end())
            bad(fmt::format("unknown part {}; expected gpu, nvlink, nvswitch, pcie or host",
                            shown(part.kind)));
        if (!seen.insert(reader->second).second) bad(fmt::format("'{}' is given twice", part.kind));
        reader->second(part, description);
    }
    if (description.gpus == 0) bad("no gpu part; expected such as gpu:8");
    return description;
}

/// Builds the machine of a description: memory 0 is the host, memory i + 1 that of GPU i.
class Builder {
  public:
    explicit Builder(const Description& from) : from_(from) {}

    Machine build(const std::string& name) {
        machine_.name = name;
        machine_.origin = "one line of text, not measured";
        machine_.issue = from_.issue;
        machine_.call = from_.call;
        machine_.memories.push_back({"host", MemoryKind::host, from_.host_memory, ""});
        for (int i = 0; i < count(); ++i) gpu(i);
        host_links();
        if (from_.nvlink) gpu_links();
        for (int i = 0; i < count(); ++i)
            link(i + 1, i + 1, {.bandwidth = from_.gpu.bandwidth / 2, .latency = from_.gpu.launch},
                 {});
        return std::move(machine_);
    }

  private:
    int count() const { return static_cast<int>(from_.gpus); }

    ResourceId resource(const std::string& name, double bandwidth) {
        machine_.resources.push_back({name, bandwidth, ""});
        return static_cast<ResourceId>(machine_.resources.size() - 1);
    }

    void link(MemoryId from, MemoryId to, const Wire& wire, std::vector<ResourceId> via) {
        machine_.links.push_back(
            {from, to, wire.bandwidth, wire.latency, wire.run_overhead, std::move(via), ""});
    }

    void gpu(int i) {
        const std::string name = fmt::format("gpu{}", i);
        machine_.memories.push_back({name, MemoryKind::device, from_.gpu_memory, ""});
        Device device = from_.gpu;
        device.origin.clear();
        device.peak = {};
        device.name = name;
        device.memory = i + 1;
        auto peak = from_.peak;
        peak.emplace(Type::c, peak[Type::s]);
        peak.emplace(Type::z, peak[Type::d]);
        for (const auto& [type, rate] : peak) device.peak[static_cast<int>(type)] = rate;
        machine_.devices.push_back(std::move(device));
    }

    void host_links() {
        std::vector<ResourceId> down, up;
        if (from_.host_read) down.push_back(resource("host.read", *from_.host_read));
        if (from_.host_write) up.push_back(resource("host.write", *from_.host_write));
        const int shared = static_cast<int>(from_.gpus_per_switch);
        for (int i = 0; i < count(); ++i) {
            if (i % shared == 0) {
                if (i > 0) down.pop_back(), up.pop_back();
                down.push_back(
                    resource(fmt::format("pcie{}.down", i / shared), from_.pcie.bandwidth));
                up.push_back(resource(fmt::format("pcie{}.up", i / shared), from_.pcie.bandwidth));
            }
            link(0, i + 1, from_.pcie, down);
            link(i + 1, 0, from_.pcie, up);
        }
    }

    void gpu_links() {
        std::vector<ResourceId> in, out;
        for (int i = 0; i < count(); ++i) {
            out.push_back(resource(fmt::format("gpu{}.out", i), from_.nvlink->bandwidth));
            in.push_back(resource(fmt::format("gpu{}.in", i), from_.nvlink->bandwidth));
        }
        for (int a = 0; a < count(); ++a)
            for (int b = 0; b < count(); ++b)
                if (a != b) link(a + 1, b + 1, *from_.nvlink, {out[a], in[b]});
    }

    const Description& from_;
    Machine machine_;
};

}  // namespace

Machine synthetic_machine(std::string_view line) {
    const std::vector<std::string> parts = split_parts(line);
    return Builder(describe(parts)).build(join(parts, " "));
}

}  // namespace gemmill
