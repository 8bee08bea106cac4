// SPDX-License-Identifier: Apache-2.0
#include "machine/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

[[noreturn]] void bad(const std::string& text) { throw Error(Code::parse, text); }

bool is_plain(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') ||
           std::string_view("._-+:/@").find(c) != std::string_view::npos;
}

std::size_t parse_count(std::string_view text, std::string_view what) {
    const std::int64_t value = parse_integer(text, what);
    if (value < 0 || value > 1'000'000'000) bad(fmt::format("{}: {} is out of range", what, value));
    return static_cast<std::size_t>(value);
}

/// One item of a list, "5" or "0-3" or "0-3x2", added to numbers.
void expand_item(std::string_view item, std::string_view list, std::vector<std::string>& numbers) {
    const std::string what = fmt::format("list {}", shown(list));
    std::size_t repeat = 1;
    if (const auto x = item.find('x'); x != std::string_view::npos) {
        repeat = parse_count(item.substr(x + 1), what);
        item = item.substr(0, x);
    }
    const auto dash = item.find('-');
    const std::size_t first = parse_count(item.substr(0, dash), what);
    const std::size_t last =
        dash == std::string_view::npos ? first : parse_count(item.substr(dash + 1), what);
    if (last < first) bad(fmt::format("{}: {} comes after {}", what, first, last));
    if (repeat == 0) bad(what + ": repeats each number 0 times");
    const std::size_t room = longest_list - numbers.size();
    if (repeat > room || last - first + 1 > room / repeat)
        bad(fmt::format("{}: more than {} numbers", what, longest_list));
    for (std::size_t n = first; n <= last; ++n)
        numbers.insert(numbers.end(), repeat, std::to_string(n));
}

std::vector<std::string> expand_list(std::string_view list) {
    std::vector<std::string> numbers;
    for (const std::string& item : split(list, ',')) expand_item(item, list, numbers);
    return numbers;
}

/// Appends text to each of names.
void append(std::vector<std::string>& names, const std::vector<std::string>& texts) {
    const std::size_t length = common_length({names, texts});
    if (names.size() < length) names.resize(length, names.front());
    for (std::size_t i = 0; i < length; ++i) names[i] += element(texts, i);
}

}  // namespace

bool is_plain_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, is_plain);
}

const std::string& needed(const Record& record, std::string_view key) {
    const std::string* value = record.find(key);
    if (value == nullptr) bad(fmt::format("'{}' is missing", key));
    return *value;
}

std::string text_of(const Record& record, std::string_view key) {
    const std::string* value = record.find(key);
    return value == nullptr ? std::string() : short_text(*value, key);
}

std::string short_text(std::string text, std::string_view what) {
    if (text.size() > longest_text)
        bad(fmt::format("{}: {} has {} characters, expected at most {}", what, shown(text),
                        text.size(), longest_text));
    return text;
}

std::int64_t parse_size(const std::string& text) {
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return digits ? parse_integer(text, "size") : parse_bytes(text, "size");
}

void Names::add(const std::string& name) {
    if (ids_.size() == most_names)
        bad(fmt::format("{} {}: there are {} already", kind_, shown(name), most_names));
    if (!is_plain_name(name))
        bad(fmt::format("{} is no {} name; expected letters, digits and . _ - + : / @", shown(name),
                        kind_));
    if (!ids_.emplace(name, static_cast<int>(ids_.size())).second)
        bad(fmt::format("{} {} is given twice", kind_, shown(name)));
}

int Names::at(const std::string& name) const {
    if (const auto id = ids_.find(name); id != ids_.end()) return id->second;
    std::vector<std::string> known;
    for (const auto& [text, id] : ids_) known.push_back(text);
    std::ranges::sort(known);
    if (known.size() > 20) known.erase(known.begin() + 20, known.end()), known.push_back("...");
    bad(fmt::format("unknown {} {}; expected {}", kind_, shown(name),
                    known.empty() ? "one, but none is declared" : join(known, ", ")));
}

std::vector<std::string> expand(std::string_view pattern) {
    std::vector<std::string> names{""};
    std::size_t literal = 0;
    for (std::string_view rest = pattern; !rest.empty();) {
        const std::size_t open = std::min(rest.find('['), rest.size());
        literal += open;
        if (literal > longest_name)
            bad(fmt::format("a name of more than {} characters", longest_name));
        append(names, {std::string(rest.substr(0, open))});
        if (open == rest.size()) break;
        const std::size_t close = rest.find(']', open);
        if (close == std::string_view::npos)
            bad(fmt::format("{} has a [ without ]", shown(pattern)));
        append(names, expand_list(rest.substr(open + 1, close - open - 1)));
        rest.remove_prefix(close + 1);
    }
    return names;
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts{""};
    bool inside = false;
    for (const char c : text) {
        inside = c == '[' || (inside && c != ']');
        if (c == ',' && !inside)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::size_t common_length(const std::vector<std::vector<std::string>>& lists) {
    std::size_t length = 1;
    for (const auto& list : lists) {
        if (list.size() == 1) continue;
        if (length != 1 && list.size() != length)
            bad(fmt::format("lists of {} and {} names in one record; expected the same length",
                            length, list.size()));
        length = list.size();
    }
    return length;
}

}  // namespace gemmill
