// SPDX-License-Identifier: Apache-2.0
// The environment besides the options: what other libraries are told by it, and whether it is the
// user's at all.
#pragma once

#include <string>
#include <string_view>

#include "gemmill/types.hpp"

namespace gemmill {

/// Whether this process has rights that who started it does not have, as a set-uid program has. Of
/// its environment nothing is believed.
bool is_privileged() noexcept;

/// Sets a variable for as long as it lives, unless the user has set it.
class GEMMILL_API ScopedVariable {
  public:
    ScopedVariable(std::string name, const std::string& value);
    ~ScopedVariable();
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;
    /// False: the user has set it.
    bool is_ours() const noexcept { return set_; }

  private:
    std::string name_;
    bool set_ = false;
};

/// The user's folder for what can be made again: XDG_CACHE_HOME, or .cache in HOME; empty when
/// neither is set.
std::string cache_folder();

/// Whether the drop-in is asked for a report, as far as one look tells; the options say which.
bool report_is_asked() noexcept;

/// Set by `gemmill run` to the number of the process that becomes the program.
inline constexpr const char* run_variable = "RUN_BY_GEMMILL";
/// Whether this process is that one, and not a child of it.
bool is_run_by_command() noexcept;

/// Adds text to a file that the environment names: a regular file, or a device. Throws Error(io)
/// naming it, also when it is a link: somebody else may have put that there.
void append_file(const std::string& path, std::string_view text);

}  // namespace gemmill
