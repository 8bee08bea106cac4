// SPDX-License-Identifier: Apache-2.0
// When and where numbers were measured, for the JSON that holds them.
#pragma once

#include <ctime>
#include <fstream>
#include <string>

namespace bench {

/// "2026-11-15T10:00:00Z"
inline std::string now() {
    const std::time_t time = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

inline std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown";
}

}  // namespace bench
