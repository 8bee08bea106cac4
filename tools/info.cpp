// SPDX-License-Identifier: Apache-2.0
// gemmill info: what this build and this host are, and every option.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/open/devices.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/plugin.hpp"
#include "base/text.hpp"
#include "command/subcommands.hpp"
#include "gemmill/version.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "planner/policy.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill info\n"
    "  gemmill info --options\n"
    "  gemmill info --options --markdown > docs/options.md";

struct InfoFlags {
    bool options = false, markdown = false, json = false;
};

std::string default_of(const OptionRow& row) { return Options{}.get(row.name); }

void print_options() {
    for (const OptionRow& row : option_table()) {
        const std::string value = default_of(row);
        fmt::print("{}  ({}, default {})\n    {}\n    {}\n", row.name, name_of(row.kind),
                   value.empty() ? "empty" : value, environment_name(row), row.help);
    }
}

constexpr const char* page_head = R"(# Options

<!-- Made by `gemmill info --options --markdown`; a test compares it. -->

Every option can be set in three ways: in code through `gemmill::Options`, by its environment
variable, and on the command line with `--set name=value`. The later one wins. A `GEMMILL_`
variable that is not in this table is an error. A size may carry a prefix and unit, such as
`4GiB` or `500MB`; a flag is `on` or `off`.

| option | variable | type | default | what it does |
|---|---|---|---|---|
)";

void print_markdown() {
    fmt::print("{}", page_head);
    for (const OptionRow& row : option_table()) {
        const std::string value = default_of(row);
        fmt::print("| `{}` | `{}` | {} | {} | {} |\n", row.name, environment_name(row),
                   name_of(row.kind), value.empty() ? "empty" : fmt::format("`{}`", value),
                   row.help);
    }
}

nlohmann::ordered_json options_json() {
    auto all = nlohmann::ordered_json::array();
    for (const OptionRow& row : option_table())
        all.push_back({{"name", row.name},
                       {"variable", environment_name(row)},
                       {"type", name_of(row.kind)},
                       {"default", default_of(row)},
                       {"help", row.help}});
    return all;
}

std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (const Policy& policy : policies()) names.emplace_back(policy.name);
    return names;
}

/// The host BLAS is the one thing here that can be missing.
std::string blas_name(const Options& options) {
    try {
        open_host_blas(options.host_blas);
        return host_blas_name();
    } catch (const Error& error) {
        return fmt::format("none ({})", error.text());
    }
}

/// Whether calls on this host plan with what was measured, and why not.
std::string calibration_text() {
    std::string why, note;
    calibration_of(with_gpus(probe_host(), why), note);
    return note.empty() ? "none; see gemmill machine probe --calibrate" : note;
}

int info(const InfoFlags& flags) {
    const std::string blas = blas_name(Options::from_environment());
    const HostFacts facts = host_facts();
    if (flags.json) {
        const nlohmann::ordered_json json{{"version", GEMMILL_VERSION},
                                          {"host_blas", blas},
                                          {"host_blas_threads", host_blas_threads()},
                                          {"cores", facts.cores},
                                          {"hertz", facts.hertz},
                                          {"flops_per_cycle", facts.flops_per_cycle},
                                          {"memory", facts.memory},
                                          {"calibration", calibration_text()},
                                          {"policies", policy_names()},
                                          {"machines", catalogue_names()},
                                          {"options", options_json()}};
        fmt::print("{}\n", json.dump(2));
        return ok;
    }
    fmt::print("gemmill    {}\n", GEMMILL_VERSION);
    fmt::print("host BLAS  {}\n           {} threads\n", blas, host_blas_threads());
    fmt::print("host       {} cores, {:.3g} GHz, {} flops a cycle, {}\n", facts.cores,
               facts.hertz / 1e9, facts.flops_per_cycle,
               human_bytes(static_cast<double>(facts.memory)));
    fmt::print("calibrated {}\n", calibration_text());
    fmt::print("policies   {}\n", join(policy_names(), ", "));
    fmt::print("machines   {}\n", join(catalogue_names(), ", "));
    return ok;
}

int run(const InfoFlags& flags) {
    if (!flags.options) return info(flags);
    if (flags.json)
        fmt::print("{}\n", options_json().dump(2));
    else
        flags.markdown ? print_markdown() : print_options();
    return ok;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("info", "Version, host BLAS, this host, and every option");
    sub->footer(footer);
    const auto flags = std::make_shared<InfoFlags>();
    CLI::Option* options = sub->add_flag("--options", flags->options, "every option");
    sub->add_flag("--markdown", flags->markdown, "as the page docs/options.md")->needs(options);
    sub->add_flag("--json", flags->json, "one JSON value")->excludes("--markdown");
    sub->callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace gemmill::command
