// SPDX-License-Identifier: Apache-2.0
// What flags have as text becomes a value, or an Error that names the flag.
#pragma once

#include <string>
#include <string_view>

#include "gemmill/error.hpp"
#include "gemmill/types.hpp"

namespace gemmill::command {

/// The error with "flag: " before its text.
Error about_flag(std::string_view flag, const Error& error);
/// Runs f; an Error in it is said to be about the flag.
template <class F>
auto named(std::string_view flag, F f) {
    try {
        return f();
    } catch (const Error& error) {
        throw about_flag(flag, error);
    }
}

/// A whole number of at least `least`; `flag` names it in the Error.
index_t parse_at_least(const std::string& text, std::string_view flag, index_t least);
/// One from `least` to `most`.
index_t parse_between(const std::string& text, std::string_view flag, index_t least, index_t most);
/// The number of the one GPU that --devices names.
int gpu_of(const std::string& devices);

/// The folder of --out, made when it is missing. Throws Error(io).
void make_folder(const std::string& folder);

}  // namespace gemmill::command
