// SPDX-License-Identifier: Apache-2.0
// The text form of a machine: one record a line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/machine.hpp"
#include "machine/chips.hpp"
#include "machine/names.hpp"

namespace gemmill {
namespace {

using List = std::vector<std::string>;
constexpr std::size_t most_links_of_a_record = 65536;
constexpr std::size_t most_links = 1 << 17;
constexpr std::size_t most_resources_of_a_link = 64;

[[noreturn]] void bad(const std::string& text) { throw Error(Code::parse, text); }

/// Bytes that need not be whole.
double parse_overhead(const std::string& text) {
    if (text.ends_with('B')) return static_cast<double>(parse_bytes(text, "run_overhead"));
    const double value = parse_real(text, "run_overhead");
    if (!std::isfinite(value) || value < 0)
        bad(fmt::format("run_overhead: {} is not a size such as 1500B", shown(text)));
    return value;
}

int parse_queues(const std::string& text) {
    const std::int64_t value = parse_integer(text, "queues");
    if (value < 1 || value > 1 << 20) bad(fmt::format("queues: {} is not in 1..1048576", value));
    return static_cast<int>(value);
}

MemoryKind parse_kind(const std::string& text) {
    if (text == "host") return MemoryKind::host;
    if (text == "device") return MemoryKind::device;
    bad(fmt::format("kind: {} is not host or device", shown(text)));
}

double seconds_of(const Record& record, std::string_view key) {
    const std::string* value = record.find(key);
    return value == nullptr ? 0 : parse_seconds(*value, key);
}

void replace_all(std::string& text, std::string_view old, const std::string& by) {
    for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
}

/// Reads the records of one machine.
class TextReader {
  public:
    Machine read(std::string_view text) {
        const std::vector<Record> records = parse_records(text);
        // Names first, so that records may stand in any order.
        for (int pass = 1; pass <= 4; ++pass)
            for (const Record& record : records) dispatch(record, pass);
        if (!named_) bad("no machine record; expected a line 'machine NAME'");
        return std::move(machine_);
    }

  private:
    struct Keyword {
        std::string_view name;
        std::string_view form;
        std::size_t words;
        std::vector<std::string_view> keys;
        int pass;
        void (TextReader::*read)(const Record&);
    };

    static const std::vector<Keyword>& keywords() {
        static const std::vector<Keyword> table{
            {"machine",
             "machine NAME",
             2,
             {"issue", "call", "packers", "slot", "short_run", "short_rate", "origin"},
             1,
             &TextReader::machine},
            {"memory", "memory NAME", 2, {"kind", "size", "origin"}, 1, &TextReader::memory},
            {"resource", "resource NAME BANDWIDTH", 3, {"origin"}, 1, &TextReader::resource},
            {"chip",
             "chip NAME",
             2,
             {"like", "s", "d", "c", "z", "h", "b", "grain", "workspace", "scratch", "reserve",
              "origin"},
             1,
             &TextReader::chip},
            {"efficiency",
             "efficiency CHIP",
             2,
             {"op", "types", "edges", "others", "parts", "leaves"},
             2,
             &TextReader::efficiency},
            {"device",
             "device NAME",
             2,
             {"memory", "queues", "launch", "bandwidth", "s", "d", "c", "z", "h", "b", "chip",
              "cycles", "origin"},
             3,
             &TextReader::device},
            {"rates", "rates DEVICE", 2, {"type", "edges", "ks", "flops"}, 4, &TextReader::rates},
            {"link",
             "link FROM -> TO or link FROM => TO",
             4,
             {"bandwidth", "latency", "run_overhead", "via", "origin"},
             2,
             &TextReader::link},
            {"library",
             "library NAME",
             2,
             {"call", "issue", "launch", "host", "origin"},
             1,
             &TextReader::library}};
        return table;
    }

    static const Keyword& keyword_of(const Record& record) {
        const std::string name = record.words.empty() ? "" : record.words.front();
        const auto found = std::ranges::find(keywords(), name, &Keyword::name);
        if (found != keywords().end()) return *found;
        bad(fmt::format(
            "{} is no record; expected machine, memory, chip, efficiency, device, rates, "
            "resource, link or library",
            shown(name)));
    }

    static void check_form(const Record& record, const Keyword& keyword) {
        if (record.words.size() != keyword.words)
            bad(fmt::format("{} words; expected {}", record.words.size(), keyword.form));
        for (const auto& [key, value] : record.fields)
            if (std::ranges::find(keyword.keys, key) == keyword.keys.end())
                bad(fmt::format("unknown key {}; a {} takes {}", shown(key), keyword.name,
                                fmt::join(keyword.keys, ", ")));
    }

    void dispatch(const Record& record, int pass) {
        try {
            const Keyword& keyword = keyword_of(record);
            if (keyword.pass != pass) return;
            check_form(record, keyword);
            (this->*keyword.read)(record);
        } catch (const Error& error) {
            fail(record, error.text());
        }
    }

    void machine(const Record& record) {
        if (named_) bad("a second machine record");
        named_ = true;
        machine_.name = short_text(record.words[1], "name");
        machine_.origin = text_of(record, "origin");
        machine_.issue = seconds_of(record, "issue");
        machine_.call = seconds_of(record, "call");
        if (const std::string* packers = record.find("packers"))
            machine_.packers = parse_integer(*packers, "packers");
        if (const std::string* slot = record.find("slot")) machine_.slot = parse_size(*slot);
        if (const std::string* run = record.find("short_run"))
            machine_.short_run = parse_size(*run);
        if (const std::string* rate = record.find("short_rate"))
            machine_.short_rate = parse_bytes_per_second(*rate, "short_rate");
    }

    void memory(const Record& record) {
        Memory memory;
        if (const std::string* kind = record.find("kind")) memory.kind = parse_kind(*kind);
        memory.capacity = parse_size(needed(record, "size"));
        memory.origin = text_of(record, "origin");
        for (const std::string& name : expand(record.words[1])) {
            memories_.add(name);
            memory.name = name;
            machine_.memories.push_back(memory);
        }
    }

    void resource(const Record& record) {
        Resource resource;
        resource.bandwidth = parse_bytes_per_second(record.words[2], "bandwidth");
        resource.origin = text_of(record, "origin");
        for (const std::string& name : expand(record.words[1])) {
            resources_.add(name);
            resource.name = name;
            machine_.resources.push_back(resource);
        }
    }

    void library(const Record& record) {
        libraries_.add(record.words[1]);
        Overhead overhead;
        overhead.name = record.words[1];
        overhead.call = seconds_of(record, "call");
        overhead.issue = seconds_of(record, "issue");
        overhead.launch = seconds_of(record, "launch");
        if (const std::string* host = record.find("host"))
            overhead.host = parse_bytes_per_second(*host, "host");
        overhead.origin = text_of(record, "origin");
        machine_.overheads.push_back(std::move(overhead));
    }

    void chip(const Record& record) {
        chips_.add(record.words[1]);
        machine_.chips.push_back(read_chip(record));
    }

    void efficiency(const Record& record) {
        const auto id = static_cast<std::size_t>(chips_.at(record.words[1]));
        add_efficiency(machine_.chips[id], read_efficiency(record));
    }

    void device(const Record& record) {
        Device device;
        if (const std::string* chip = record.find("chip")) device.chip = chip_of(machine_, *chip);
        if (const std::string* cycles = record.find("cycles")) {
            if (device.chip < 0) bad("cycles without a chip");
            set_peaks(device, machine_.chips[static_cast<std::size_t>(device.chip)],
                      parse_flops(*cycles, "cycles"));
        }
        if (const std::string* queues = record.find("queues"))
            device.queues = parse_queues(*queues);
        device.launch = seconds_of(record, "launch");
        if (const std::string* rate = record.find("bandwidth"))
            device.bandwidth = parse_bytes_per_second(*rate, "bandwidth");
        for (int t = 0; t < type_count; ++t) {
            const std::string key(1, letter_of(static_cast<Type>(t)));
            if (const std::string* rate = record.find(key))
                device.peak[t] = parse_flops(*rate, key);
        }
        device.origin = text_of(record, "origin");
        const List names = expand(record.words[1]);
        const List homes = expand(needed(record, "memory"));
        const std::size_t count = common_length({names, homes});
        for (std::size_t i = 0; i < count; ++i) {
            device.name = element(names, i);
            devices_.add(device.name);
            device.memory = memories_.at(element(homes, i));
            machine_.devices.push_back(device);
        }
    }

    void rates(const Record& record) {
        Rates rates;
        const std::string& type = needed(record, "type");
        const auto letter = std::string_view("sdczhb").find(type);
        if (type.size() != 1 || letter == std::string_view::npos)
            bad(fmt::format("type: {} is none of s, d, c, z, h, b", shown(type)));
        rates.type = static_cast<Type>(letter);
        rates.edges = numbers_of(record, "edges");
        rates.ks = numbers_of(record, "ks");
        rates.flops = numbers_of(record, "flops");
        for (const std::string& name : expand(record.words[1])) {
            auto& all = machine_.devices[static_cast<std::size_t>(devices_.at(name))].rates;
            if (std::ranges::find(all, rates.type, &Rates::type) != all.end())
                bad(fmt::format("rates of type {} are given twice", type));
            all.push_back(rates);
        }
    }

    void link(const Record& record) {
        Link link;
        link.bandwidth = parse_bytes_per_second(needed(record, "bandwidth"), "bandwidth");
        link.latency = seconds_of(record, "latency");
        if (const std::string* bytes = record.find("run_overhead"))
            link.run_overhead = parse_overhead(*bytes);
        link.origin = text_of(record, "origin");
        const List from = expand(record.words[1]), to = expand(record.words[3]);
        std::vector<List> via;
        if (const std::string* names = record.find("via"))
            for (const std::string& name : split_list(*names)) {
                if (via.size() == most_resources_of_a_link) bad("via: too many resources");
                via.push_back(expand(name));
            }
        if (record.words[2] == "->")
            zip(link, from, to, via);
        else if (record.words[2] == "=>")
            all_pairs(link, from, to, via);
        else
            bad(fmt::format("{} between the memories; expected -> or =>", shown(record.words[2])));
    }

    void zip(const Link& link, const List& from, const List& to, const std::vector<List>& via) {
        std::vector<List> lists = via;
        lists.insert(lists.end(), {from, to});
        const std::size_t count = common_length(lists);
        for (std::size_t i = 0; i < count; ++i) {
            List names;
            for (const List& list : via) names.push_back(element(list, i));
            add_link(link, element(from, i), element(to, i), std::move(names));
        }
    }

    void all_pairs(const Link& link, const List& from, const List& to,
                   const std::vector<List>& via) {
        if (from.size() * to.size() > most_links_of_a_record)
            bad(fmt::format("{} links; expected at most {}", from.size() * to.size(),
                            most_links_of_a_record));
        if (common_length(via) != 1)
            bad("via has a list; expected {from} and {to} in names between all pairs");
        List names;
        for (const List& list : via) names.push_back(list.front());
        for (const std::string& a : from)
            for (const std::string& b : to)
                if (a != b) add_link(link, a, b, names);
    }

    void add_link(Link link, const std::string& from, const std::string& to, List via) {
        if (machine_.links.size() == most_links) bad(fmt::format("more than {} links", most_links));
        link.from = memories_.at(from);
        link.to = memories_.at(to);
        if (!links_.emplace(link.from, link.to).second)
            bad(fmt::format("link {} -> {} is given twice", from, to));
        for (std::string& name : via) {
            replace_all(name, "{from}", from);
            replace_all(name, "{to}", to);
            link.resources.push_back(resources_.at(name));
        }
        machine_.links.push_back(std::move(link));
    }

    Machine machine_;
    bool named_ = false;
    Names memories_{"memory"}, chips_{"chip"}, devices_{"device"}, resources_{"resource"},
        libraries_{"library"};
    std::set<std::pair<MemoryId, MemoryId>> links_;
};

}  // namespace

Machine parse_machine(std::string_view text) { return TextReader().read(text); }

}  // namespace gemmill
