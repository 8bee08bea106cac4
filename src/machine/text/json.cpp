// SPDX-License-Identifier: Apache-2.0
// The JSON form of a machine: the keys of the text form, links by the names of their memories.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/machine.hpp"
#include "machine/chips.hpp"
#include "machine/grain.hpp"
#include "machine/names.hpp"

namespace gemmill {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void bad(const std::string& text) { throw Error(Code::parse, text); }

template <class Things>
std::string name_at(const Things& things, std::int32_t id) {
    const bool there = id >= 0 && static_cast<std::size_t>(id) < things.size();
    return there ? things[id].name : fmt::format("?{}", id);
}

Json by_type(const std::array<double, type_count>& values) {
    Json out = Json::object();
    for (int t = 0; t < type_count; ++t)
        if (values[t] != 0) out[std::string(1, letter_of(static_cast<Type>(t)))] = values[t];
    return out;
}

Json write_device(const Machine& machine, const Device& device) {
    Json out{{"name", device.name},          {"memory", name_at(machine.memories, device.memory)},
             {"queues", device.queues},      {"launch", device.launch},
             {"peak", by_type(device.peak)}, {"bandwidth", device.bandwidth},
             {"origin", device.origin}};
    if (device.chip != -1) out["chip"] = name_at(machine.chips, device.chip);
    for (const Rates& rates : device.rates)
        out["rates"].push_back({{"type", std::string(1, letter_of(rates.type))},
                                {"edges", rates.edges},
                                {"ks", rates.ks},
                                {"flops", rates.flops}});
    return out;
}

std::array<std::pair<const char*, std::int64_t>, 3> room_of(const Chip& chip) {
    return {{{"workspace", chip.workspace}, {"scratch", chip.scratch}, {"reserve", chip.reserve}}};
}

Json write_chip(const Chip& chip) {
    Json out{{"name", chip.name}, {"fma", by_type(chip.fma)}, {"origin", chip.origin}};
    if (chip.grain != 1) out["grain"] = chip.grain;
    for (const auto& [key, bytes] : room_of(chip))
        if (bytes != 0) out[key] = bytes;
    for (const Efficiency& s : chip.efficiencies)
        out["efficiencies"].push_back({{"op", s.op},
                                       {"types", s.types},
                                       {"edges", s.edges},
                                       {"others", s.others},
                                       {"parts", s.parts},
                                       {"leaves", s.leaves}});
    return out;
}

Json write_link(const Machine& machine, const Link& link) {
    Json via = Json::array();
    for (const ResourceId r : link.resources) via.push_back(name_at(machine.resources, r));
    return {{"from", name_at(machine.memories, link.from)},
            {"to", name_at(machine.memories, link.to)},
            {"bandwidth", link.bandwidth},
            {"latency", link.latency},
            {"run_overhead", link.run_overhead},
            {"via", via},
            {"origin", link.origin}};
}

/// One JSON object whose keys are checked; `place` names it in messages: "links[3]".
class Reader {
  public:
    Reader(const Json& json, std::string place, std::initializer_list<std::string_view> keys)
        : json_(json), place_(std::move(place)) {
        if (!json.is_object()) bad(fmt::format("{} is not an object", place_));
        for (const auto& item : json.items())
            if (std::ranges::find(keys, item.key()) == keys.end())
                bad(fmt::format("unknown key {} in {}; expected {}", shown(item.key()), place_,
                                fmt::join(keys, ", ")));
    }

    std::string text(const char* key, bool must = false) const {
        const Json* value = find(key, must);
        if (value == nullptr) return {};
        if (!value->is_string()) wrong(key, "text");
        return short_text(value->get<std::string>(), key);
    }

    double number(const char* key, bool must = false) const {
        const Json* value = find(key, must);
        if (value == nullptr) return 0;
        if (!value->is_number() || value->get<double>() < 0) wrong(key, "a number of 0 or more");
        return value->get<double>();
    }

    std::int64_t integer(const char* key, std::int64_t least, std::int64_t most,
                         bool must = true) const {
        if (!must && find(key, false) == nullptr) return 0;
        const Json& value = *find(key, true);
        const bool fits = value.is_number_integer() &&
                          (!value.is_number_unsigned() ||
                           value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
        if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
            wrong(key, fmt::format("a whole number in {}..{}", least, most));
        return value.get<std::int64_t>();
    }

    /// Calls f(element, "links[3]") for each element of an array.
    template <class F>
    void each(const char* key, F f) const {
        const Json* value = find(key, false);
        if (value == nullptr) return;
        if (!value->is_array()) wrong(key, "an array");
        for (std::size_t i = 0; i < value->size(); ++i)
            f((*value)[i], fmt::format("{}[{}]", key, i));
    }

    std::vector<double> numbers(const char* key) const {
        std::vector<double> values;
        find(key, true);
        each(key, [&](const Json& value, const std::string&) {
            if (!value.is_number()) wrong(key, "an array of numbers");
            values.push_back(value.get<double>());
        });
        return values;
    }
    const Json* find(const char* key, bool must) const {
        const auto value = json_.find(key);
        if (value != json_.end()) return &*value;
        if (must) bad(fmt::format("'{}' is missing in {}", key, place_));
        return nullptr;
    }

    [[noreturn]] void wrong(const char* key, std::string_view wanted) const {
        bad(fmt::format("'{}' in {} is not {}", key, place_, wanted));
    }

  private:
    const Json& json_;
    std::string place_;
};

/// Reads a machine; names are known before what refers to them is read.
class JsonReader {
  public:
    Machine read(const Json& json) {
        const Reader top(
            json, "machine",
            {"name", "origin", "issue", "call", "packers", "slot", "short_run", "short_rate",
             "memories", "chips", "devices", "resources", "links", "libraries"});
        machine_.name = top.text("name", true);
        machine_.origin = top.text("origin");
        machine_.issue = top.number("issue");
        machine_.call = top.number("call");
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        machine_.packers = top.integer("packers", 0, most, false);
        machine_.slot = top.integer("slot", 0, most, false);
        machine_.short_run = top.integer("short_run", 0, most, false);
        machine_.short_rate = top.number("short_rate");
        using Place = const std::string&;
        top.each("memories", [this](const Json& j, Place place) { memory(j, place); });
        top.each("resources", [this](const Json& j, Place place) { resource(j, place); });
        top.each("chips", [this](const Json& j, Place place) { chip(j, place); });
        top.each("devices", [this](const Json& j, Place place) { device(j, place); });
        top.each("links", [this](const Json& j, Place place) { link(j, place); });
        top.each("libraries", [this](const Json& j, Place place) { library(j, place); });
        return std::move(machine_);
    }

  private:
    void memory(const Json& json, const std::string& place) {
        const Reader in(json, place, {"name", "kind", "size", "origin"});
        const std::string kind = in.text("kind", true);
        if (kind != "host" && kind != "device") in.wrong("kind", "host or device");
        machine_.memories.push_back(
            {in.text("name", true), kind == "host" ? MemoryKind::host : MemoryKind::device,
             in.integer("size", 0, std::numeric_limits<std::int64_t>::max()), in.text("origin")});
        memories_.add(machine_.memories.back().name);
    }

    void resource(const Json& json, const std::string& place) {
        const Reader in(json, place, {"name", "bandwidth", "origin"});
        machine_.resources.push_back(
            {in.text("name", true), in.number("bandwidth", true), in.text("origin")});
        resources_.add(machine_.resources.back().name);
    }

    void library(const Json& json, const std::string& place) {
        const Reader in(json, place, {"name", "call", "issue", "launch", "host", "origin"});
        machine_.overheads.push_back({in.text("name", true), in.number("call"), in.number("issue"),
                                      in.number("launch"), in.number("host"), in.text("origin")});
        libraries_.add(machine_.overheads.back().name);
    }

    static Rates read_rates(const Json& json) {
        const Reader in(json, "rates", {"type", "edges", "ks", "flops"});
        Rates rates;
        const std::string type = in.text("type", true);
        const auto letter = std::string_view("sdczhb").find(type);
        if (type.size() != 1 || letter == std::string_view::npos)
            in.wrong("type", "one of s, d, c, z, h, b");
        rates.type = static_cast<Type>(letter);
        rates.edges = in.numbers("edges");
        rates.ks = in.numbers("ks");
        rates.flops = in.numbers("flops");
        return rates;
    }

    static std::array<double, type_count> by_type(const Reader& in, const char* key) {
        const Reader all(*in.find(key, true), key, {"s", "d", "c", "z", "h", "b"});
        std::array<double, type_count> values{};
        for (int t = 0; t < type_count; ++t)
            values[t] = all.number(std::string(1, letter_of(static_cast<Type>(t))).c_str());
        return values;
    }

    void chip(const Json& json, const std::string& place) {
        const Reader in(
            json, place,
            {"name", "fma", "efficiencies", "grain", "workspace", "scratch", "reserve", "origin"});
        Chip chip{in.text("name", true), by_type(in, "fma"), {}, in.text("origin")};
        if (in.find("grain", false) != nullptr) chip.grain = in.integer("grain", 1, coarsest_grain);
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        chip.workspace = in.integer("workspace", 0, most, false);
        chip.scratch = in.integer("scratch", 0, most, false);
        chip.reserve = in.integer("reserve", 0, most, false);
        in.each("efficiencies", [&](const Json& one, const std::string& where) {
            const Reader fields(one, where, {"op", "types", "edges", "others", "parts", "leaves"});
            const Json* const leaves = fields.find("leaves", false);
            if (leaves != nullptr && !leaves->is_boolean()) fields.wrong("leaves", "true or false");
            add_efficiency(
                chip, {fields.text("op", true), fields.text("types", true), fields.numbers("edges"),
                       fields.numbers("others"), fields.numbers("parts"),
                       leaves != nullptr && leaves->get<bool>()});
        });
        chips_.add(chip.name);
        machine_.chips.push_back(std::move(chip));
    }

    void device(const Json& json, const std::string& place) {
        const Reader in(
            json, place,
            {"name", "memory", "queues", "launch", "bandwidth", "peak", "rates", "chip", "origin"});
        Device device;
        device.name = in.text("name", true);
        device.memory = memories_.at(in.text("memory", true));
        device.queues = static_cast<int>(in.integer("queues", 1, 1 << 20));
        device.launch = in.number("launch");
        device.bandwidth = in.number("bandwidth");
        device.peak = by_type(in, "peak");
        if (const std::string chip = in.text("chip"); !chip.empty())
            device.chip = chip_of(machine_, chip);
        in.each("rates", [&](const Json& one, const std::string&) {
            device.rates.push_back(read_rates(one));
        });
        device.origin = in.text("origin");
        devices_.add(device.name);
        machine_.devices.push_back(std::move(device));
    }

    void link(const Json& json, const std::string& place) {
        const Reader in(json, place,
                        {"from", "to", "bandwidth", "latency", "run_overhead", "via", "origin"});
        Link link;
        link.from = memories_.at(in.text("from", true));
        link.to = memories_.at(in.text("to", true));
        if (!links_.emplace(link.from, link.to).second)
            bad(fmt::format("{} is given twice", place));
        link.bandwidth = in.number("bandwidth", true);
        link.latency = in.number("latency");
        link.run_overhead = in.number("run_overhead");
        link.origin = in.text("origin");
        in.each("via", [&](const Json& name, const std::string&) {
            if (!name.is_string()) in.wrong("via", "an array of names");
            link.resources.push_back(resources_.at(name.get<std::string>()));
        });
        machine_.links.push_back(std::move(link));
    }

    Machine machine_;
    Names memories_{"memory"}, chips_{"chip"}, devices_{"device"}, resources_{"resource"},
        libraries_{"library"};
    std::set<std::pair<MemoryId, MemoryId>> links_;
};

}  // namespace

std::string to_json(const Machine& machine) {
    Json json{{"name", machine.name},       {"origin", machine.origin},  {"issue", machine.issue},
              {"call", machine.call},       {"memories", Json::array()}, {"devices", Json::array()},
              {"resources", Json::array()}, {"links", Json::array()}};
    if (machine.packers > 0) json["packers"] = machine.packers;
    if (machine.slot > 0) json["slot"] = machine.slot;
    if (machine.short_run > 0) json["short_run"] = machine.short_run;
    if (machine.short_rate > 0) json["short_rate"] = machine.short_rate;
    for (const Memory& m : machine.memories)
        json["memories"].push_back({{"name", m.name},
                                    {"kind", m.kind == MemoryKind::host ? "host" : "device"},
                                    {"size", m.capacity},
                                    {"origin", m.origin}});
    for (const Chip& c : machine.chips) json["chips"].push_back(write_chip(c));
    for (const Device& d : machine.devices) json["devices"].push_back(write_device(machine, d));
    for (const Resource& r : machine.resources)
        json["resources"].push_back(
            {{"name", r.name}, {"bandwidth", r.bandwidth}, {"origin", r.origin}});
    for (const Link& l : machine.links) json["links"].push_back(write_link(machine, l));
    for (const Overhead& o : machine.overheads)
        json["libraries"].push_back({{"name", o.name},
                                     {"call", o.call},
                                     {"issue", o.issue},
                                     {"launch", o.launch},
                                     {"host", o.host},
                                     {"origin", o.origin}});
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Machine machine_from_json(std::string_view json) {
    try {
        return JsonReader().read(Json::parse(json));
    } catch (const Json::exception& error) {
        constexpr int most = 300;
        throw Error(Code::parse, fmt::format("JSON: {}", shown(error.what(), most)));
    }
}

}  // namespace gemmill
