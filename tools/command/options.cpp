// SPDX-License-Identifier: Apache-2.0
// The options of a call: from the environment, from --set and from flags of their own, and which of
// these an error is about.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "command/flags.hpp"
#include "command/values.hpp"
#include "planner/policy.hpp"

namespace gemmill::command {
namespace {

/// A flag that sets an option.
struct OptionFlag {
    const char* flag;
    std::string_view option;
    std::string CallFlags::*value;
};
constexpr std::array option_flags{
    OptionFlag{"--devices", "devices", &CallFlags::devices},
    OptionFlag{"--policy", "policy", &CallFlags::policy},
    OptionFlag{"--cap", "device_memory", &CallFlags::cap},
    OptionFlag{"--tile", "tile", &CallFlags::tile},
    OptionFlag{"--search", "search", &CallFlags::search},
};

std::string_view name_in(std::string_view setting) { return setting.substr(0, setting.find('=')); }

void set_option(Options& options, const std::string& text) {
    const std::size_t equals = text.find('=');
    require(equals != std::string::npos, Code::bad_argument, "name=value",
            fmt::format("--set: {}", shown(text)));
    named("--set", [&] { options.set(name_in(text), std::string_view(text).substr(equals + 1)); });
}

/// What is only understood where it is used, before anything is done.
void check_choices(const Options& options) {
    resolve_policy(options);
    if (!options.search.empty()) parse_seconds(options.search, "search");
    if (!options.machine.empty()) named("machine", [&] { load_machine(options.machine); });
}

}  // namespace

std::string source_of(const CallFlags& flags, std::string_view option) {
    for (const OptionFlag& own : option_flags)
        if (own.option == option && !(flags.*own.value).empty()) return own.flag;
    if (std::ranges::find(flags.set, option, name_in) != flags.set.end()) return "--set";
    if (Options::from_environment().get(option) == Options{}.get(option)) return "";
    return environment_name(*std::ranges::find(option_table(), option, &OptionRow::name));
}

Error sourced_error(const CallFlags& flags, const Error& error) {
    const std::string option = error.text().substr(0, error.text().find(": "));
    const auto& table = option_table();
    if (std::ranges::find(table, option, &OptionRow::name) == table.end()) return error;
    const std::string source = source_of(flags, option);
    if (source.empty()) return error;
    const std::size_t begin = source == "--set" ? 0 : option.size() + 2;
    return {error.code(), fmt::format("{}: {}", source, error.text().substr(begin)),
            error.condition()};
}

Options options_of(const CallFlags& flags) {
    Options options = Options::from_environment();
    // These two speak of this host, --machine of another one.
    if (!flags.machine.empty()) options.devices = "auto", options.machine.clear();
    for (const std::string& text : flags.set) set_option(options, text);
    sourced(flags, [&] {
        for (const OptionFlag& own : option_flags)
            if (!(flags.*own.value).empty()) options.set(own.option, flags.*own.value);
        check_choices(options);
    });
    return options;
}

}  // namespace gemmill::command
