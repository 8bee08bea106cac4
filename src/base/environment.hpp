// SPDX-License-Identifier: Apache-2.0
// The environment, for libraries that can be told something in no other way.
#pragma once

#include <string>

namespace gemmill {

/// Sets a variable for as long as it lives, unless the user has set it.
class ScopedVariable {
  public:
    ScopedVariable(std::string name, const std::string& value);
    ~ScopedVariable();
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

  private:
    std::string name_;
    bool set_ = false;
};

/// The user's folder for what can be made again: XDG_CACHE_HOME, or .cache in HOME; empty when
/// neither is set.
std::string cache_folder();

}  // namespace gemmill
