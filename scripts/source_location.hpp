// SPDX-License-Identifier: Apache-2.0
// For clang-tidy before 15 only: the std::source_location that gcc's headers hide from it.
#pragma once

#include <source_location>

#if !defined(__cpp_lib_source_location)
namespace std {
struct source_location {
    static constexpr source_location current() noexcept { return {}; }
    constexpr unsigned line() const noexcept { return 0; }
    constexpr unsigned column() const noexcept { return 0; }
    constexpr const char* file_name() const noexcept { return ""; }
    constexpr const char* function_name() const noexcept { return ""; }
};
}  // namespace std
#endif
