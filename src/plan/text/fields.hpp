// SPDX-License-Identifier: Apache-2.0
// Values of a record's fields. Every function throws Error(parse) that names the record's line.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "plan/text/words.hpp"

namespace gemmill {

/// A whole number from low to high.
std::int64_t whole(const Record& record, std::string_view text, std::int64_t low,
                   std::int64_t high);
/// A number of 0 ... count - 1.
std::int32_t index_below(const Record& record, std::string_view text, std::int64_t count);
double real(const Record& record, std::string_view text);

/// The field's value; it must be there.
std::string_view value_of(const Record& record, std::string_view key);
/// The field's value, or `otherwise`.
std::string_view value_or(const Record& record, std::string_view key, std::string_view otherwise);
/// The two sides of the first `between`.
std::pair<std::string_view, std::string_view> halves(const Record& record, std::string_view text,
                                                     std::string_view between);
/// The parts of a list with commas; an empty text has none.
std::vector<std::string_view> listed(std::string_view text);

/// The number of a word among some.
int choose(const Record& record, std::span<const char* const> words, std::string_view text);

/// Throws unless the record has so many words and no other fields than these.
void expect(const Record& record, std::size_t words, std::initializer_list<std::string_view> keys);

}  // namespace gemmill
