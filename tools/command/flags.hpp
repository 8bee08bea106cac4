// SPDX-License-Identifier: Apache-2.0
// The flags that describe one call: declared, and what they mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmill/error.hpp"
#include "gemmill/machine.hpp"
#include "gemmill/options.hpp"
#include "gemmill/problem.hpp"

namespace CLI {
class App;
}

namespace gemmill::command {

/// The flags that describe one call, as text until they are needed.
struct CallFlags {
    std::string machine;
    std::string routine = "gemm", type = "d", trans = "nn", at = "h";
    std::string side = "left", uplo = "lower", diag = "nonunit";
    std::string m, n, k, alpha = "1", beta = "1";
    std::string devices, policy, cap, tile, search;
    std::vector<std::string> set;
    std::string plan;  ///< file of a saved plan, instead of the above
    bool json = false;
    std::string svg, html, trace;
};
struct CallChoice {
    bool machine = true;     ///< --machine
    bool saved_plan = true;  ///< --plan
};
/// Adds them to a subcommand.
void add_call_flags(CLI::App& app, CallFlags& flags, const CallChoice& choice);

/// Environment, then --set, then the flags of their own. Throws Error naming the flag or variable.
Options options_of(const CallFlags& flags);
/// Where the value of an option comes from: "--tile", "--set" or "GEMMILL_TILE"; empty: its
/// default.
std::string source_of(const CallFlags& flags, std::string_view option);
/// An error that begins with the name of an option, told of where the option's value comes from.
Error sourced_error(const CallFlags& flags, const Error& error);
/// Runs f; an Error in it is told so.
template <class F>
auto sourced(const CallFlags& flags, F f) {
    try {
        return f();
    } catch (const Error& error) {
        throw sourced_error(flags, error);
    }
}
/// A catalogue name, file or line; "cpu:N"; or this host when it is empty.
Machine machine_named(const std::string& name);
/// Flags of one call on a machine. Throws Error naming the flag.
Problem problem_of(const CallFlags& flags, const Machine& machine);
Type element_type(const CallFlags& flags);
/// "1.5", or "1.5,-2" for complex types.
Scalar scalar_of(const std::string& text, std::string_view flag, Type type);

}  // namespace gemmill::command
