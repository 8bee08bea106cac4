// SPDX-License-Identifier: Apache-2.0
// How everything in Gemmill fails: one exception, thrown before anything of the user's is changed.
#pragma once

#include <exception>
#include <source_location>
#include <string>

#include "gemmill/types.hpp"

namespace gemmill {

/// The numbers are part of the C interface.
enum class Code : int {
    ok = 0,
    bad_argument = 1,   ///< a size, flag, pointer or option that cannot be meant
    out_of_memory = 2,  ///< host or device memory, or a cap that holds not even the smallest tiles
    no_device = 3,      ///< a device, machine or host BLAS that is not there
    failed_step = 4,    ///< a copy or a kernel failed while a plan ran
    parse = 5,          ///< malformed text: machine, plan, option
    io = 6,             ///< a file that cannot be read or written
    invalid_plan = 7,   ///< validate() found faults
    internal = 8,       ///< a fault of Gemmill itself
};

/// Name of a code as printed in messages: "bad argument", "out of memory", ...
GEMMILL_API const char* name_of(Code code) noexcept;

class GEMMILL_API Error : public std::exception {
  public:
    Error(Code code, std::string text, std::string condition = {},
          std::source_location place = std::source_location::current());

    const char* what() const noexcept override { return what_.c_str(); }
    Code code() const noexcept { return code_; }
    /// The message alone, without code and condition.
    const std::string& text() const noexcept { return text_; }
    /// The condition that did not hold, as written, such as "lda >= max(1, m)"; may be empty.
    const std::string& condition() const noexcept { return condition_; }
    /// Where it was thrown, "file:line".
    const std::string& place() const noexcept { return place_; }

  private:
    Code code_;
    std::string text_, condition_, place_, what_;
};

/// Throws Error(code, text, condition) unless holds.
inline void require(bool holds, Code code, const char* condition, const std::string& text,
                    std::source_location place = std::source_location::current()) {
    if (!holds) [[unlikely]]
        throw Error(code, text, condition, place);
}

}  // namespace gemmill
