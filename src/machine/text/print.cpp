// SPDX-License-Identifier: Apache-2.0
// Writes the text form of a machine: lists expanded, numbers exact, what is 0 or empty left out.
#include <fmt/format.h>

#include <iterator>

#include "base/text.hpp"
#include "gemmill/machine.hpp"
#include "machine/chips.hpp"

namespace gemmill {
namespace {

/// The name of thing `id`; "?7" when there is none, which no parser takes.
template <class Things>
std::string name_at(const Things& things, std::int32_t id) {
    const bool there = id >= 0 && static_cast<std::size_t>(id) < things.size();
    return there ? gemmill::quoted(things[id].name) : fmt::format("?{}", id);
}

class TextWriter {
  public:
    std::string write(const Machine& machine) {
        add("machine {}", gemmill::quoted(machine.name));
        number("issue", machine.issue);
        number("call", machine.call);
        number("packers", static_cast<double>(machine.packers));
        number("slot", static_cast<double>(machine.slot));
        number("short_run", static_cast<double>(machine.short_run));
        number("short_rate", machine.short_rate);
        end(machine.origin);
        for (const Memory& m : machine.memories) memory(m);
        for (const Chip& c : machine.chips) text_ += chip_text(c);
        for (const Device& d : machine.devices) device(machine, d);
        for (const Resource& r : machine.resources) {
            add("resource {} {}", gemmill::quoted(r.name), exact(r.bandwidth));
            end(r.origin);
        }
        for (const Link& l : machine.links) link(machine, l);
        for (const Overhead& o : machine.overheads) {
            add("library {}", gemmill::quoted(o.name));
            number("call", o.call);
            number("issue", o.issue);
            number("launch", o.launch);
            number("host", o.host);
            end(o.origin);
        }
        return std::move(text_);
    }

  private:
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
    }

    void number(std::string_view key, double value) {
        if (value != 0) add(" {}={}", key, exact(value));
    }

    void end(const std::string& origin) {
        if (!origin.empty()) add(" origin={}", gemmill::quoted(origin));
        text_ += '\n';
    }

    void memory(const Memory& memory) {
        add("memory {}", gemmill::quoted(memory.name));
        if (memory.kind == MemoryKind::host) add(" kind=host");
        add(" size={}", memory.capacity);
        end(memory.origin);
    }

    void device(const Machine& machine, const Device& device) {
        add("device {} memory={} queues={}", gemmill::quoted(device.name),
            name_at(machine.memories, device.memory), device.queues);
        number("launch", device.launch);
        number("bandwidth", device.bandwidth);
        for (int t = 0; t < type_count; ++t)
            number(std::string(1, letter_of(static_cast<Type>(t))), device.peak[t]);
        if (device.chip != -1) add(" chip={}", name_at(machine.chips, device.chip));
        end(device.origin);
        for (const Rates& rates : device.rates) {
            add("rates {} type={}", gemmill::quoted(device.name), letter_of(rates.type));
            list("edges", rates.edges);
            list("ks", rates.ks);
            list("flops", rates.flops);
            end("");
        }
    }

    void list(const char* key, const std::vector<double>& values) {
        add(" {}=", key);
        for (std::size_t i = 0; i < values.size(); ++i)
            add("{}{}", i == 0 ? "" : ",", exact(values[i]));
    }

    void link(const Machine& machine, const Link& link) {
        add("link {} -> {} bandwidth={}", name_at(machine.memories, link.from),
            name_at(machine.memories, link.to), exact(link.bandwidth));
        number("latency", link.latency);
        number("run_overhead", link.run_overhead);
        for (std::size_t i = 0; i < link.resources.size(); ++i)
            add("{}{}", i == 0 ? " via=" : ",", name_at(machine.resources, link.resources[i]));
        end(link.origin);
    }

    std::string text_;
};

}  // namespace

std::string to_text(const Machine& machine) { return TextWriter().write(machine); }

}  // namespace gemmill
