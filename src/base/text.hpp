// SPDX-License-Identifier: Apache-2.0
// Numbers with units, and the record form that machine and plan files share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

/// A number that may carry a prefix (k M G T P, Ki Mi Gi Ti Pi; m u n for seconds) and its unit:
/// "24GB/s", "4GiB", "17.2T", "10us". Throws Error(parse) naming `what`.
double parse_bytes_per_second(std::string_view text, std::string_view what);
GEMMILL_API double parse_seconds(std::string_view text, std::string_view what);
double parse_flops(std::string_view text, std::string_view what);
std::int64_t parse_bytes(std::string_view text, std::string_view what);
std::int64_t parse_integer(std::string_view text, std::string_view what);
double parse_real(std::string_view text, std::string_view what);
bool parse_flag(std::string_view text, std::string_view what);

/// Three figures for people: "1.07 GB", "24.0 GB/s", "12.3 ms", "17.2 TFLOP/s".
std::string human_bytes(double bytes);
std::string human_bandwidth(double bytes_per_second);
std::string human_seconds(double seconds);
std::string human_flops(double flops_per_second);

/// Shortest text that reads back as the same number.
std::string exact(double value);

/// What someone wrote, for messages: in single quotes, control characters and what is no UTF-8 as
/// \n or \x1b, cut behind so many characters.
std::string shown(std::string_view text, int most = 60);
/// "alpha, beta, gamma" for messages.
std::string join(const std::vector<std::string>& words, std::string_view between);
/// Those that a message has room for: "alpha; beta; gamma; and 4 more".
std::string first_of(const std::vector<std::string>& faults);
std::vector<std::string> split(std::string_view text, char between);

/// One line of a record file: words, then key=value fields. A value with blanks stands in double
/// quotes, where \" and \\ and \n are escapes. # starts a comment.
struct Record {
    int line = 0;
    std::vector<std::string> words;
    std::vector<std::pair<std::string, std::string>> fields;

    /// The value of a field, or nullptr.
    const std::string* find(std::string_view key) const noexcept;
};

/// Non-empty lines of a text. Throws Error(parse) with the line's number.
std::vector<Record> parse_records(std::string_view text);
/// A value as a record file takes it: quoted when it must be.
std::string quoted(std::string_view value);
/// Throws Error(parse) that names the record's line.
[[noreturn]] void fail(const Record& record, const std::string& text);

/// Whole file; throws Error(io) naming it.
std::string read_file(const std::string& path);
/// Writes it whole or not at all; throws Error(io) naming it.
void write_file(const std::string& path, std::string_view text);

}  // namespace gemmill
