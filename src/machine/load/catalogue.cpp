// SPDX-License-Identifier: Apache-2.0
// Machines by name: the files of src/machine/catalogue, compiled into the library.
#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/machine.hpp"
#include "machine/catalogue_data.hpp"

namespace gemmill {
namespace {

Machine parse_either(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string::npos && text[first] == '{';
    return json ? machine_from_json(text) : parse_machine(text);
}

Machine read_machine(const std::string& path) {
    const std::string text = read_file(path);
    try {
        return parse_either(text);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("machine file '{}': {}", path, error.text()));
    }
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

Machine find_machine(const std::string& name) {
    for (const auto& [known, text] : catalogue_data)
        if (known == name) return parse_machine(text);
    if (exists(name)) return read_machine(name);
    if (name.find(':') != std::string::npos) return synthetic_machine(name);
    throw Error(Code::no_device,
                fmt::format("unknown machine {}; known: {}; or a file, or a line such as gpu:8",
                            shown(name), join(catalogue_names(), ", ")));
}

}  // namespace

std::vector<std::string> catalogue_names() {
    std::vector<std::string> names;
    for (const auto& [name, text] : catalogue_data) names.emplace_back(name);
    return names;
}

Machine load_machine(const std::string& name_or_file) {
    Machine machine = find_machine(name_or_file);
    const std::vector<std::string> faults = check(machine);
    require(faults.empty(), Code::bad_argument, "a sound machine",
            fmt::format("machine {}: {}", shown(name_or_file, 200), first_of(faults)));
    return machine;
}

}  // namespace gemmill
