// SPDX-License-Identifier: Apache-2.0
#include "model/disturb.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

constexpr const char* form =
    "DEVICE or MEMORY->MEMORY, then rate NUMBER [from TIME] [to TIME], or stops at TIME";

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
    throw Error(Code::parse, fmt::format("disturb: {}: {}", shown(text), why), form);
}

void find_victim(const Machine& machine, std::string_view name, std::string_view text,
                 Disturbance& made) {
    const std::size_t arrow = name.find("->");
    made.is_link = arrow != std::string_view::npos;
    if (made.is_link) {
        const MemoryId from = find_memory(machine, name.substr(0, arrow));
        const MemoryId to = find_memory(machine, name.substr(arrow + 2));
        if (from >= 0 && to >= 0) made.index = find_link(machine, from, to);
    } else {
        made.index = find_device(machine, name);
    }
    if (made.index < 0) refuse(text, "the machine has no such device or link");
}

}  // namespace

Disturbance parse_disturbance(const Machine& machine, std::string_view text) {
    std::vector<std::string> words;
    for (std::string& word : split(text, ' '))
        if (!word.empty()) words.push_back(std::move(word));
    const bool stops = words.size() == 4 && words[1] == "stops" && words[2] == "at";
    if (!stops && (words.size() < 3 || words.size() % 2 == 0)) refuse(text, "it lacks words");
    Disturbance made;
    find_victim(machine, words[0], text, made);
    if (stops) {
        made.rate = 0;
        made.from = parse_seconds(words[3], "disturb");
        return made;
    }
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        if (words[i] == "rate")
            made.rate = parse_real(words[i + 1], "disturb");
        else if (words[i] == "from")
            made.from = parse_seconds(words[i + 1], "disturb");
        else if (words[i] == "to")
            made.until = parse_seconds(words[i + 1], "disturb");
        else
            refuse(text, fmt::format("{} is not known", shown(words[i])));
    }
    if (!(made.rate >= 0 && made.from >= 0 && made.until > made.from))
        refuse(text, "a rate below 0, or a time that ends before it begins");
    return made;
}

}  // namespace gemmill
