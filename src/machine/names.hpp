// SPDX-License-Identifier: Apache-2.0
// Names of memories, devices and resources: which are allowed, where each one stands, and the
// bracketed lists that stand for many.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.hpp"

namespace gemmill {

inline constexpr std::size_t longest_name = 256;
inline constexpr std::size_t longest_list = 4096;
/// Of one kind: memories, devices, resources, libraries.
inline constexpr std::size_t most_names = 1 << 14;

/// Whether the text form can carry a name as it is: 1 to 256 letters, digits and . _ - + : / @
bool is_plain_name(std::string_view name) noexcept;

inline constexpr std::size_t longest_text = 1000;
/// A free text such as an origin. Throws Error(parse) naming `what` when it is longer than that: a
/// list makes many copies of it.
std::string short_text(std::string text, std::string_view what);

/// The value of a field that must be there; throws Error(parse) naming it.
const std::string& needed(const Record& record, std::string_view key);
/// A free text, empty when it is not there.
std::string text_of(const Record& record, std::string_view key);

/// A size in bytes; whole numbers of any length stay exact. Throws Error(parse).
std::int64_t parse_size(const std::string& text);

/// Names of one kind of thing, in the order of their ids.
class Names {
  public:
    explicit Names(std::string_view kind) : kind_(kind) {}
    /// Throws Error(parse) when the name is not plain or is there already.
    void add(const std::string& name);
    /// The id of a name; throws Error(parse) saying what was expected.
    int at(const std::string& name) const;

  private:
    std::string kind_;
    std::unordered_map<std::string, int> ids_;
};

/// What a name with bracketed lists stands for: "gpu[0-3]", "gpu[0,2]", "switch[0-1x2].down" (each
/// twice: 0 0 1 1). Several lists in one name go together. Throws Error(parse).
std::vector<std::string> expand(std::string_view pattern);

/// Parts at commas that stand outside brackets.
std::vector<std::string> split_list(std::string_view text);

/// The common length of lists; a list of one goes with any length. Throws Error(parse).
std::size_t common_length(const std::vector<std::vector<std::string>>& lists);
/// Element i of a list that goes with a common length.
inline const std::string& element(const std::vector<std::string>& list, std::size_t i) {
    return list.size() == 1 ? list.front() : list[i];
}

}  // namespace gemmill
