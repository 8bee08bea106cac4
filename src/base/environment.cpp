// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace gemmill {

bool is_privileged() noexcept { return ::getauxval(AT_SECURE) != 0; }

ScopedVariable::ScopedVariable(std::string name, const std::string& value)
    : name_(std::move(name)), set_(std::getenv(name_.c_str()) == nullptr) {
    if (set_) ::setenv(name_.c_str(), value.c_str(), 0);
}

ScopedVariable::~ScopedVariable() {
    if (set_) ::unsetenv(name_.c_str());
}

std::string cache_folder() {
    if (const char* folder = ::secure_getenv("XDG_CACHE_HOME"); folder && *folder == '/')
        return folder;
    const char* const home = ::secure_getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache" : "";
}

bool report_is_asked() noexcept {
    const char* const report = ::secure_getenv("GEMMILL_REPORT");
    return report != nullptr && *report != '\0';
}

bool is_run_by_command() noexcept {
    const char* const process = ::secure_getenv(run_variable);
    return process != nullptr && std::strtol(process, nullptr, 10) == ::getpid();
}

}  // namespace gemmill
