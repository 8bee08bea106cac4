// SPDX-License-Identifier: Apache-2.0
#include "machine/chips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gemmill/error.hpp"
#include "machine/chip_data.hpp"
#include "machine/names.hpp"

namespace gemmill {
namespace {

[[noreturn]] void bad(const std::string& text) { throw Error(Code::parse, text); }

/// A deque: chips keep their address while more are read.
std::deque<Chip>& read_chips() {
    static std::deque<Chip> chips;
    return chips;
}

const Chip* find_chip(std::string_view name) {
    const auto found = std::ranges::find(read_chips(), name, &Chip::name);
    return found != read_chips().end() ? &*found : nullptr;
}

void read_file_of(std::string_view text) {
    Chip chip;
    for (const Record& record : parse_records(text))
        if (record.words.front() == "chip")
            chip = read_chip(record, find_chip);
        else
            add_efficiency(chip, read_efficiency(record));
    read_chips().push_back(std::move(chip));
}

/// All of them, those first that no other one is needed for.
bool read_all() {
    for (const bool like_another : {false, true})
        for (const auto& [name, text] : chip_data)
            if ((text.find(" like=") != std::string_view::npos) == like_another) read_file_of(text);
    return true;
}

std::string list(const char* key, const std::vector<double>& values) {
    std::string text = fmt::format(" {}=", key);
    for (const double value : values) text += exact(value) + ',';
    text.pop_back();
    return text;
}

}  // namespace

const Chip* known_chip(std::string_view name) {
    static const bool ready = read_all();
    return ready ? find_chip(name) : nullptr;
}

std::vector<double> numbers_of(const Record& record, std::string_view key) {
    constexpr std::size_t most = 1024;
    std::vector<double> values;
    for (const std::string& word : split(needed(record, key), ',')) {
        if (values.size() == most) bad(fmt::format("{}: too many numbers", key));
        values.push_back(parse_flops(word, key));
    }
    return values;
}

Chip read_chip(const Record& record, FindChip find) {
    Chip chip;
    if (const std::string* like = record.find("like")) {
        const Chip* const other = find(*like);
        if (other == nullptr) bad(fmt::format("like: no chip {}", shown(*like)));
        chip = *other;
    }
    chip.name = short_text(record.words[1], "name");
    chip.origin = text_of(record, "origin");
    for (int t = 0; t < type_count; ++t) {
        const std::string key(1, letter_of(static_cast<Type>(t)));
        if (const std::string* count = record.find(key)) chip.fma[t] = parse_flops(*count, key);
    }
    if (const std::string* grain = record.find("grain"))
        chip.grain = parse_integer(*grain, "grain");
    const auto size = [&](std::string_view key, std::int64_t& value) {
        if (const std::string* bytes = record.find(key)) value = parse_size(*bytes);
    };
    size("workspace", chip.workspace);
    size("scratch", chip.scratch);
    size("reserve", chip.reserve);
    return chip;
}

Efficiency read_efficiency(const Record& record) {
    Efficiency one;
    one.op = short_text(needed(record, "op"), "op");
    one.types = record.find("types") != nullptr ? text_of(record, "types") : "sdczhb";
    one.edges = numbers_of(record, "edges");
    one.others = numbers_of(record, "others");
    one.parts = numbers_of(record, "parts");
    one.leaves = text_of(record, "leaves") == "on";
    return one;
}

void add_efficiency(Chip& chip, Efficiency one) {
    for (const Efficiency& other : chip.efficiencies)
        if (other.op == one.op && other.types.find_first_of(one.types) != std::string::npos)
            bad(fmt::format("efficiency of {} is given twice", one.op));
    chip.efficiencies.push_back(std::move(one));
}

std::string chip_text(const Chip& chip) {
    std::string text = fmt::format("chip {}", quoted(chip.name));
    for (int t = 0; t < type_count; ++t)
        if (chip.fma[t] != 0)
            text += fmt::format(" {}={}", letter_of(static_cast<Type>(t)), exact(chip.fma[t]));
    if (chip.grain != 1) text += fmt::format(" grain={}", chip.grain);
    for (const auto& [key, bytes] : {std::pair{"workspace", chip.workspace},
                                     {"scratch", chip.scratch},
                                     {"reserve", chip.reserve}})
        if (bytes != 0) text += fmt::format(" {}={}", key, bytes);
    text += chip.origin.empty() ? "\n" : fmt::format(" origin={}\n", quoted(chip.origin));
    for (const Efficiency& s : chip.efficiencies)
        text +=
            fmt::format("efficiency {} op={} types={}{}{}{}{}\n", quoted(chip.name), quoted(s.op),
                        quoted(s.types), list("edges", s.edges), list("others", s.others),
                        list("parts", s.parts), s.leaves ? " leaves=on" : "");
    return text;
}

ChipId chip_of(Machine& machine, const std::string& name) {
    const auto found = std::ranges::find(machine.chips, name, &Chip::name);
    if (found != machine.chips.end()) return static_cast<ChipId>(found - machine.chips.begin());
    const Chip* const known = known_chip(name);
    if (known == nullptr) bad(fmt::format("no chip {}", shown(name)));
    machine.chips.push_back(*known);
    return static_cast<ChipId>(machine.chips.size() - 1);
}

void set_peaks(Device& device, const Chip& chip, double cycles) {
    for (int t = 0; t < type_count; ++t) {
        const char letter = letter_of(static_cast<Type>(t));
        const double peak = device.peak[t] = cycles * chip.fma[t];
        for (const Efficiency& one : chip.efficiencies) {
            if (one.op != "gemm" || one.types.find(letter) == std::string::npos || peak == 0)
                continue;
            Rates rates{static_cast<Type>(t), one.edges, one.others, one.parts};
            for (double& flops : rates.flops) flops *= peak;
            device.rates.push_back(std::move(rates));
        }
    }
}

}  // namespace gemmill
