// SPDX-License-Identifier: Apache-2.0
// Everything that can be set, declared once: the table in base/options.cpp makes the environment
// variables GEMMILL_*, `gemmill info --options` and docs/options.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

struct Options {
    std::string devices = "auto";
    std::string policy = "auto";
    std::string search;
    std::string spread, routing, chain, order, late_c, caching, overlap;
    std::int64_t tile = 0;
    std::int64_t device_memory = 0;
    std::int64_t queues = 0;
    std::int64_t threads = 0;
    std::int64_t packers = 0;
    std::int64_t pin = 0;
    std::int64_t plan_cache = 64;
    std::string machine;
    std::string host_blas;
    std::string trace;
    bool validate = false;
    bool verbose = false;
    std::string threshold;
    std::string force_tiled;
    std::string report;
    std::string rank_policy = "best";
    std::int64_t rank_memory = 0;
    bool rank_check = false;
    std::string gpu_aware_mpi = "auto";
    std::string timeout;
    bool operator==(const Options&) const = default;

    /// Defaults overridden by GEMMILL_* variables, which set-uid programs do not read. Throws
    /// Error(parse) for a bad value and for a GEMMILL_ variable that no option has.
    GEMMILL_API static Options from_environment();
    /// Sets one option from text; throws Error(parse) naming it when it is unknown or malformed.
    GEMMILL_API void set(std::string_view name, std::string_view value);
    /// Throws Error(bad_argument) naming a field that holds what set() would not take.
    GEMMILL_API void check() const;
    /// The value as text that set() takes.
    GEMMILL_API std::string get(std::string_view name) const;
};

/// One row of the table of options.
struct OptionRow {
    enum class Kind : std::uint8_t { text, count, size, flag };
    std::string_view name;  ///< "device_memory"; its variable is GEMMILL_DEVICE_MEMORY
    Kind kind;
    std::variant<std::string Options::*, std::int64_t Options::*, bool Options::*> field;
    std::string_view help;
};
GEMMILL_API const std::vector<OptionRow>& option_table();
GEMMILL_API std::string environment_name(const OptionRow& row);
GEMMILL_API std::string_view name_of(OptionRow::Kind kind) noexcept;

}  // namespace gemmill
