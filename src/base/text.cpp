// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

[[noreturn]] void bad(std::string_view text, std::string_view what, std::string_view wanted) {
    throw Error(Code::parse, fmt::format("{}: {} is not {}", what, shown(text), wanted));
}

/// Takes the number off the front of text.
bool take_number(std::string_view& text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return true;
}

bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Takes k, M, Gi, ... off the front and returns its factor.
double take_prefix(std::string_view& text) {
    static constexpr std::array<std::string_view, 5> letters{"k", "M", "G", "T", "P"};
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const int power = static_cast<int>(i) + 1;
        const bool kibi = i == 0 && take(text, "Ki");
        if (!kibi && !take(text, letters[i]) && !(i == 0 && take(text, "K"))) continue;
        return kibi || take(text, "i") ? std::pow(1024.0, power) : std::pow(1000.0, power);
    }
    return 1;
}

double parse_scaled(std::string_view text, std::string_view what, std::string_view unit,
                    std::string_view wanted) {
    std::string_view rest = text;
    double value = 0;
    if (!take_number(rest, value)) bad(text, what, wanted);
    value *= take_prefix(rest);
    if (!rest.empty() && rest != unit) bad(text, what, wanted);
    if (!std::isfinite(value) || value < 0) bad(text, what, wanted);
    return value;
}

std::string human(double value, std::string_view unit, double base_step) {
    static constexpr std::array<const char*, 6> prefixes{"", "k", "M", "G", "T", "P"};
    std::size_t i = 0;
    while (std::abs(value) >= 999.5 && i + 1 < prefixes.size()) value /= base_step, ++i;
    const int digits = std::abs(value) >= 99.5 ? 0 : std::abs(value) >= 9.95 ? 1 : 2;
    if (i == 0 && value == std::floor(value)) return fmt::format("{:.0f} {}", value, unit);
    return fmt::format("{:.{}f} {}{}", value, digits, prefixes[i], unit);
}

/// Bytes of the character of UTF-8 at the front; 0 when there is none, or a control character.
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F ? 1 : 0;
    const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
    if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    return byte(0) == 0xC2 && byte(1) < 0xA0 ? 0 : length;
}

}  // namespace

double parse_bytes_per_second(std::string_view text, std::string_view what) {
    return parse_scaled(text, what, "B/s", "a bandwidth such as 24GB/s");
}

double parse_flops(std::string_view text, std::string_view what) {
    const std::string_view wanted = "a rate such as 17.2T or 17.2TFLOP/s";
    return parse_scaled(text, what, text.ends_with("FLOP/s") ? "FLOP/s" : "", wanted);
}

std::int64_t parse_bytes(std::string_view text, std::string_view what) {
    const std::string_view wanted = "a size such as 4GiB";
    const double value = std::round(parse_scaled(text, what, "B", wanted));
    if (value >= 9.2e18) bad(text, what, wanted);
    return static_cast<std::int64_t>(value);
}

double parse_seconds(std::string_view text, std::string_view what) {
    const std::string_view wanted = "a time such as 10us";
    std::string_view rest = text;
    double value = 0;
    if (!take_number(rest, value)) bad(text, what, wanted);
    if (rest == "ms")
        value /= 1e3;
    else if (rest == "us")
        value /= 1e6;
    else if (rest == "ns")
        value /= 1e9;
    else if (!rest.empty() && rest != "s")
        bad(text, what, wanted);
    if (!std::isfinite(value) || value < 0) bad(text, what, wanted);
    return value;
}

std::int64_t parse_integer(std::string_view text, std::string_view what) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) bad(text, what, "a whole number");
    return value;
}

double parse_real(std::string_view text, std::string_view what) {
    std::string_view rest = text;
    double value = 0;
    if (!take_number(rest, value) || !rest.empty()) bad(text, what, "a number");
    return value;
}

bool parse_flag(std::string_view text, std::string_view what) {
    if (text == "1" || text == "on" || text == "yes" || text == "true") return true;
    if (text == "0" || text == "off" || text == "no" || text == "false") return false;
    bad(text, what, "on or off");
}

std::string human_bytes(double bytes) { return human(bytes, "B", 1000); }
std::string human_bandwidth(double rate) { return human(rate, "B/s", 1000); }
std::string human_flops(double rate) { return human(rate, "FLOP/s", 1000); }

std::string human_seconds(double seconds) {
    if (seconds == 0) return "0 s";
    if (seconds < 0.9995e-3) return fmt::format("{:.3g} us", seconds * 1e6);
    if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} s", seconds);
}

std::string exact(double value) { return fmt::format("{}", value); }

std::string shown(std::string_view text, int most) {
    std::string all = "'";
    for (int count = 0; !text.empty() && count < most; ++count) {
        const std::size_t length = character_bytes(text);
        if (length > 0)
            all += text.substr(0, length);
        else if (text[0] == '\n' || text[0] == '\t')
            all += text[0] == '\n' ? "\\n" : "\\t";
        else
            all += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return all + (text.empty() ? "'" : "...'");
}

std::string join(const std::vector<std::string>& words, std::string_view between) {
    return fmt::format("{}", fmt::join(words, between));
}

std::string first_of(const std::vector<std::string>& faults) {
    constexpr std::size_t most = 3;
    const std::size_t count = std::min(most, faults.size());
    std::string text = fmt::format("{}", fmt::join(faults.begin(), faults.begin() + count, "; "));
    if (faults.size() > count) text += fmt::format("; and {} more", faults.size() - count);
    return text;
}

std::vector<std::string> split(std::string_view text, char between) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(between, begin);
        parts.emplace_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

}  // namespace gemmill
