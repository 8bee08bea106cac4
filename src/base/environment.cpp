// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <cstdlib>

namespace gemmill {

ScopedVariable::ScopedVariable(std::string name, const std::string& value)
    : name_(std::move(name)), set_(std::getenv(name_.c_str()) == nullptr) {
    if (set_) ::setenv(name_.c_str(), value.c_str(), 0);
}

ScopedVariable::~ScopedVariable() {
    if (set_) ::unsetenv(name_.c_str());
}

std::string cache_folder() {
    if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/')
        return folder;
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache" : "";
}

}  // namespace gemmill
