// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a machine.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_set>

#include "base/text.hpp"
#include "gemmill/machine.hpp"
#include "machine/grain.hpp"
#include "machine/names.hpp"

namespace gemmill {
namespace {

/// What numbers of a machine may be. Between these every predicted time is a finite number; a
/// machine that lies outside is one with a wrong unit.
struct Range {
    double least, most;
};
constexpr Range rates{1, 1e24};      // flop/s, bytes/s
constexpr Range seconds{0, 1e6};     // latencies and the like
constexpr Range overheads{0, 1e12};  // bytes
constexpr Range edges{1, 1e9};       // sizes of measured products
constexpr Range parts{1e-6, 1.5};    // of another rate
constexpr Range counts{0, 1e18};

/// Collects the faults of one machine.
class Checker {
  public:
    explicit Checker(const Machine& machine) : machine_(machine) {}

    std::vector<std::string> run() {
        printable("name", machine_.name);
        printable("origin", machine_.origin);
        within("machine", "issue", machine_.issue, seconds);
        within("machine", "call", machine_.call, seconds);
        within("machine", "packers", static_cast<double>(machine_.packers), counts);
        within("machine", "slot", static_cast<double>(machine_.slot), counts);
        within("machine", "short_run", static_cast<double>(machine_.short_run), counts);
        if (machine_.short_rate != 0) within("machine", "short_rate", machine_.short_rate, rates);
        names("memory", machine_.memories);
        names("chip", machine_.chips);
        names("device", machine_.devices);
        names("resource", machine_.resources);
        names("library", machine_.overheads);
        memories();
        chips();
        devices();
        for (const Resource& r : machine_.resources)
            within(fmt::format("resource '{}'", r.name), "bandwidth", r.bandwidth, rates);
        links();
        libraries();
        // Paths are followed through ids, so only where those are sound.
        if (ids_sound_) paths();
        return std::move(faults_);
    }

  private:
    template <class... Args>
    void fault(fmt::format_string<Args...> text, Args&&... args) {
        faults_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    void libraries() {
        for (const Overhead& o : machine_.overheads) {
            const std::string thing = fmt::format("library '{}'", o.name);
            within(thing, "call", o.call, seconds);
            within(thing, "issue", o.issue, seconds);
            within(thing, "launch", o.launch, seconds);
            if (o.host != 0) within(thing, "host", o.host, rates);
        }
    }

    /// What is shown to people as it is.
    void printable(const char* what, const std::string& text) {
        const auto control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
        if (text.size() > longest_text || std::ranges::any_of(text, control))
            fault("machine: {} is {}, expected at most {} characters and no control characters",
                  what, shown(text), longest_text);
    }

    void within(const std::string& thing, std::string_view what, double value, const Range& range) {
        if (!(value >= range.least && value <= range.most))
            fault("{}: {} is {}, expected {} to {}", thing, what, value, range.least, range.most);
    }

    template <class Things>
    void names(const char* kind, const Things& things) {
        std::unordered_set<std::string_view> seen;
        for (std::size_t i = 0; i < things.size(); ++i) {
            const std::string& name = things[i].name;
            if (!is_plain_name(name))
                fault("{} {} is named {}, expected letters, digits and . _ - + : / @", kind, i,
                      shown(name));
            else if (!seen.insert(name).second)
                fault("two {} records are named '{}'", kind, name);
        }
    }

    void memories() {
        const auto& all = machine_.memories;
        if (std::ranges::count(all, MemoryKind::host, &Memory::kind) == 0)
            fault("the machine has no host memory");
        for (const Memory& m : all)
            if (m.capacity <= 0)
                fault("memory '{}': size is {}, expected more than 0", m.name, m.capacity);
    }

    static bool rises(const std::vector<double>& v) {
        return !v.empty() && v.front() >= edges.least && v.back() <= edges.most &&
               std::ranges::adjacent_find(v, std::not_fn(std::less<>())) == v.end();
    }

    void chips() {
        for (const Chip& chip : machine_.chips) {
            if (chip.grain < 1 || chip.grain > coarsest_grain)
                fault("chip '{}': grain is {}, expected 1 to {}", chip.name, chip.grain,
                      coarsest_grain);
            for (const auto& [what, bytes] : {std::pair{"workspace", chip.workspace},
                                              {"scratch", chip.scratch},
                                              {"reserve", chip.reserve}})
                within(fmt::format("chip '{}'", chip.name), what, static_cast<double>(bytes),
                       counts);
            for (const Efficiency& s : chip.efficiencies) {
                const std::string what =
                    fmt::format("chip '{}': efficiency of {}", chip.name, s.op);
                if (s.types.empty() || s.types.find_first_not_of("sdczhb") != std::string::npos)
                    fault("{}: types are {}, expected letters of sdczhb", what, shown(s.types));
                if (!rises(s.edges) || !rises(s.others))
                    fault("{}: edges and others must rise from {} or more to {} at most", what,
                          edges.least, edges.most);
                if (s.parts.size() != s.edges.size() * s.others.size())
                    fault("{}: {} parts for {} edges and {} others", what, s.parts.size(),
                          s.edges.size(), s.others.size());
                for (const double part : s.parts) within(what, "part", part, parts);
            }
        }
    }

    void devices() {
        if (machine_.devices.empty()) fault("the machine has no device");
        for (const Device& d : machine_.devices) {
            const std::string thing = fmt::format("device '{}'", d.name);
            if (!is_memory(d.memory)) {
                fault("{}: memory {} is not one of the machine's {}", thing, d.memory,
                      machine_.memories.size());
                ids_sound_ = false;
            }
            if (d.chip < -1 || d.chip >= std::ssize(machine_.chips))
                fault("{}: chip {} is not one of the machine's {}", thing, d.chip,
                      machine_.chips.size());
            if (d.queues < 1) fault("{}: queues is {}, expected 1 or more", thing, d.queues);
            within(thing, "launch", d.launch, seconds);
            within(thing, "bandwidth", d.bandwidth, rates);
            peaks(thing, d);
            for (const Rates& shapes : d.rates) measured(thing, d, shapes);
        }
    }

    void measured(const std::string& thing, const Device& device, const Rates& r) {
        const std::string what = fmt::format("{}: rates of {}", thing, letter_of(r.type));
        if (!rises(r.edges) || !rises(r.ks))
            fault("{}: edges and ks must rise from {} or more to {} at most", what, edges.least,
                  edges.most);
        if (r.flops.size() != r.edges.size() * r.ks.size())
            fault("{}: {} flops for {} edges and {} ks", what, r.flops.size(), r.edges.size(),
                  r.ks.size());
        for (const double flops : r.flops) within(what, "flops", flops, rates);
        if (std::ranges::count(device.rates, r.type, &Rates::type) > 1)
            fault("{}: given twice", what);
    }

    void peaks(const std::string& thing, const Device& device) {
        for (int t = 0; t < type_count; ++t) {
            if (device.peak[t] == 0) continue;
            const std::string what = fmt::format("peak {}", letter_of(static_cast<Type>(t)));
            within(thing, what, device.peak[t], rates);
        }
        if (std::ranges::all_of(device.peak, [](double p) { return p == 0; }))
            fault("{}: all peaks are 0, so it can compute nothing", thing);
    }

    void links() {
        std::set<std::pair<MemoryId, MemoryId>> seen;
        for (std::size_t i = 0; i < machine_.links.size(); ++i) {
            const Link& l = machine_.links[i];
            if (!is_memory(l.from) || !is_memory(l.to)) {
                fault("link {}: from {} to {}, expected memories below {}", i, l.from, l.to,
                      machine_.memories.size());
                ids_sound_ = false;
                continue;
            }
            const std::string thing = link_name(l);
            if (!seen.emplace(l.from, l.to).second) fault("{} is given twice", thing);
            within(thing, "bandwidth", l.bandwidth, rates);
            within(thing, "latency", l.latency, seconds);
            within(thing, "run_overhead", l.run_overhead, overheads);
            resources(thing, l);
        }
    }

    void resources(const std::string& thing, const Link& link) {
        std::set<ResourceId> seen;
        for (const ResourceId r : link.resources) {
            if (r < 0 || static_cast<std::size_t>(r) >= machine_.resources.size())
                fault("{}: resource {} is not one of the machine's {}", thing, r,
                      machine_.resources.size());
            else if (!seen.insert(r).second)
                fault("{}: resource '{}' is given twice", thing, machine_.resources[r].name);
        }
    }

    /// Memories that data in host memory can get to, or that can get to host memory.
    std::vector<bool> reached(MemoryId Link::*begin, MemoryId Link::*end) const {
        const std::size_t count = machine_.memories.size();
        std::vector<std::vector<MemoryId>> next(count);
        for (const Link& l : machine_.links) next[l.*begin].push_back(l.*end);
        std::vector<bool> seen(count);
        std::vector<MemoryId> open;
        for (std::size_t m = 0; m < count; ++m) {
            seen[m] = machine_.memories[m].kind == MemoryKind::host;
            if (seen[m]) open.push_back(static_cast<MemoryId>(m));
        }
        while (!open.empty()) {
            const MemoryId from = open.back();
            open.pop_back();
            for (const MemoryId to : next[from]) {
                if (seen[to]) continue;
                seen[to] = true;
                open.push_back(to);
            }
        }
        return seen;
    }

    void paths() {
        const std::vector<bool> fed = reached(&Link::from, &Link::to);
        const std::vector<bool> drained = reached(&Link::to, &Link::from);
        for (const Device& d : machine_.devices) {
            if (!fed[d.memory]) fault("device '{}': no path from host memory", d.name);
            if (!drained[d.memory]) fault("device '{}': no path to host memory", d.name);
        }
    }

    bool is_memory(MemoryId id) const {
        return id >= 0 && static_cast<std::size_t>(id) < machine_.memories.size();
    }

    std::string link_name(const Link& link) const {
        return fmt::format("link {} -> {}", machine_.memories[link.from].name,
                           machine_.memories[link.to].name);
    }

    const Machine& machine_;
    std::vector<std::string> faults_;
    bool ids_sound_ = true;
};

}  // namespace

std::vector<std::string> check(const Machine& machine) { return Checker(machine).run(); }

}  // namespace gemmill
