// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/small/flags.hpp"

#include <string>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// " fpu vme ... avx2 ... " of the first core; empty where there is no such file.
std::string read_flags() {
    try {
        const std::string all = read_file("/proc/cpuinfo");
        const std::size_t begin = all.find("\nflags");
        if (begin == std::string::npos) return {};
        return all.substr(begin, all.find('\n', begin + 1) - begin) + ' ';
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

bool cpu_has(const char* flag) {
    static const std::string flags = read_flags();
    return flags.find(' ' + std::string(flag) + ' ') != std::string::npos;
}

}  // namespace gemmill
