// SPDX-License-Identifier: Apache-2.0
#include "plan/text/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gemmill {

std::int64_t whole(const Record& record, std::string_view text, std::int64_t low,
                   std::int64_t high) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end)
        fail(record, fmt::format("{} is not a whole number", shown(text)));
    if (value < low || value > high)
        fail(record, fmt::format("{} is not in {} ... {}", value, low, high));
    return value;
}

std::int32_t index_below(const Record& record, std::string_view text, std::int64_t count) {
    const std::int64_t value = whole(record, text, 0, INT32_MAX);
    if (value >= count)
        fail(record, fmt::format("there is no {}: only {} are there", value, count));
    return static_cast<std::int32_t>(value);
}

double real(const Record& record, std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value))
        fail(record, fmt::format("{} is no number", shown(text)));
    return value;
}

std::string_view value_of(const Record& record, std::string_view key) {
    const std::string* value = record.find(key);
    if (value == nullptr) fail(record, fmt::format("{}= is missing", key));
    return *value;
}

std::string_view value_or(const Record& record, std::string_view key, std::string_view otherwise) {
    const std::string* value = record.find(key);
    return value == nullptr ? otherwise : std::string_view(*value);
}

std::pair<std::string_view, std::string_view> halves(const Record& record, std::string_view text,
                                                     std::string_view between) {
    const std::size_t at = text.find(between);
    if (at == std::string_view::npos)
        fail(record, fmt::format("{} has no '{}' in it", shown(text), between));
    return {text.substr(0, at), text.substr(at + between.size())};
}

std::vector<std::string_view> listed(std::string_view text) {
    std::vector<std::string_view> parts;
    if (text.empty()) return parts;
    for (std::size_t end = text.find(','); end != std::string_view::npos; end = text.find(',')) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

int choose(const Record& record, std::span<const char* const> words, std::string_view text) {
    const auto found = std::ranges::find(words, text);
    if (found == words.end())
        fail(record, fmt::format("{} is none of {}", shown(text), fmt::join(words, ", ")));
    return static_cast<int>(found - words.begin());
}

void expect(const Record& record, std::size_t words, std::initializer_list<std::string_view> keys) {
    if (record.words.size() != words)
        fail(record,
             fmt::format("{} has {} words, not {}", record.words[0], words, record.words.size()));
    for (const auto& field : record.fields)
        if (std::ranges::find(keys, field.first) == keys.end())
            fail(record, fmt::format("{} has no field {}", record.words[0], shown(field.first)));
}

}  // namespace gemmill
