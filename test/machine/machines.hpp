// SPDX-License-Identifier: Apache-2.0
// Machines for tests: a small sound one, and random ones.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "gemmill/machine.hpp"

namespace gemmill::test {

/// Host and two GPUs; GPU 1 is reached through GPU 0.
inline Machine small_machine() {
    return parse_machine(R"(machine small issue=1us call=2us origin="made up"
memory host kind=host size=1GB
memory gpu[0-1] size=100MB
device gpu[0-1] memory=gpu[0-1] queues=2 launch=1us bandwidth=1TB/s s=2T d=1T
resource bus 10GB/s
link host -> gpu0 bandwidth=8GB/s latency=1us run_overhead=100B via=bus
link gpu0 -> host bandwidth=8GB/s via=bus
link gpu[0-1] => gpu[0-1] bandwidth=50GB/s
)");
}

/// A machine of any shape that the text form can carry; not always sound.
class RandomMachine {
  public:
    explicit RandomMachine(unsigned seed) : random_(seed) {}

    Machine make() {
        Machine m{.name = text(),
                  .origin = text(),
                  .issue = number(),
                  .call = number(),
                  .memories = {},
                  .chips = {},
                  .devices = {},
                  .resources = {},
                  .links = {},
                  .overheads = {}};
        for (int i = below(5); i >= 0; --i)
            m.memories.push_back({name("m", i),
                                  below(2) == 0 ? MemoryKind::host : MemoryKind::device,
                                  static_cast<std::int64_t>(random_() >> 1), text()});
        for (int i = below(4); i > 0; --i) m.resources.push_back({name("r", i), number(), text()});
        for (int i = below(3); i > 0; --i) m.chips.push_back(chip(i));
        for (int i = below(4); i > 0; --i) m.devices.push_back(device(m, i));
        for (int i = below(3); i > 0; --i)
            m.overheads.push_back({name("l", i), number(), number(), number(), number(), text()});
        const int memories = static_cast<int>(m.memories.size());
        for (int from = 0; from < memories; ++from)
            for (int to = 0; to < memories; ++to)
                if (below(2) == 0) m.links.push_back(link(m, from, to));
        return m;
    }

  private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    double number() {
        const double mantissa = static_cast<double>(random_() >> 11);
        return below(4) == 0 ? 0 : std::ldexp(mantissa, below(120) - 100);
    }

    /// ASCII with blanks, quotes and escapes, which JSON can carry as well.
    std::string text() {
        std::string s;
        for (int n = below(12); n > 0; --n) s += static_cast<char>(below(127) + 1);
        return s;
    }

    std::string name(const std::string& prefix, int i) {
        static const std::string more = "._-+:/@xY7";
        return prefix + std::to_string(i) + more[static_cast<std::size_t>(below(10))];
    }

    Rates rates() {
        const double edge = 1 + below(1000), k = 1 + below(1000);
        return {static_cast<Type>(below(type_count)),
                {edge, 2 * edge},
                {k, 3 * k, 4 * k},
                {number(), number(), number(), number(), number(), number()}};
    }
    Chip chip(int i) {
        Chip c{.name = name("c", i), .fma = {}, .efficiencies = {}, .origin = text()};
        for (double& count : c.fma) count = number();
        if (below(2) == 0)
            c.efficiencies.push_back(
                {"trsm", "sd", {1, 5}, {2}, {number(), number()}, below(2) == 0});
        if (below(2) == 0) c.efficiencies.push_back({"trsm", "c", {1}, {2}, {number()}, false});
        return c;
    }
    Device device(const Machine& m, int i) {
        Device d{.name = name("d", i),
                 .memory = below(static_cast<int>(m.memories.size())),
                 .queues = 1 + below(100),
                 .launch = number(),
                 .bandwidth = number(),
                 .peak = {},
                 .rates = {},
                 .chip = below(static_cast<int>(m.chips.size()) + 1) - 1,
                 .origin = text()};
        for (double& rate : d.peak) rate = number();
        if (below(2) == 0) d.rates.push_back(rates());
        return d;
    }

    Link link(const Machine& m, int from, int to) {
        Link l{.from = from,
               .to = to,
               .bandwidth = number(),
               .latency = number(),
               .run_overhead = number(),
               .resources = {},
               .origin = text()};
        for (std::size_t r = 0; r < m.resources.size(); ++r)
            if (below(2) == 0) l.resources.push_back(static_cast<ResourceId>(r));
        return l;
    }

    std::mt19937_64 random_;
};

}  // namespace gemmill::test
