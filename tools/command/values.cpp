// SPDX-License-Identifier: Apache-2.0
#include "command/values.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "backend/gpu/devices.hpp"
#include "base/text.hpp"

namespace gemmill::command {

Error about_flag(std::string_view flag, const Error& error) {
    std::string text = error.text();
    // The library names the option, which is the flag without its dashes.
    const std::string option = std::string(flag.substr(flag.find_first_not_of('-'))) + ": ";
    if (text.starts_with(option)) text.erase(0, option.size());
    return {error.code(), fmt::format("{}: {}", flag, text), error.condition()};
}

index_t parse_at_least(const std::string& text, std::string_view flag, index_t least) {
    const index_t value = parse_integer(text, flag);
    require(value >= least, Code::bad_argument, "",
            fmt::format("{}: {} is less than {}", flag, value, least));
    return value;
}

index_t parse_between(const std::string& text, std::string_view flag, index_t least, index_t most) {
    const index_t value = parse_at_least(text, flag, least);
    require(value <= most, Code::bad_argument, "",
            fmt::format("{}: {} is more than {}", flag, value, most));
    return value;
}

int gpu_of(const std::string& devices) {
    require(devices.starts_with("cuda:"), Code::bad_argument, "cuda:N",
            fmt::format("--devices: {}", shown(devices)));
    constexpr int any = 1 << 20;
    const std::vector<GpuShare> gpus = named("--devices", [&] { return parse_gpus(devices, any); });
    require(gpus.size() == 1 && gpus[0].count == 1, Code::bad_argument, "cuda:N",
            fmt::format("--devices: {} is not one whole GPU", shown(devices)));
    return gpus[0].gpu;
}

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, Code::io, "",
            fmt::format("--out: cannot make '{}': {}", folder, error.message()));
}

}  // namespace gemmill::command
