// SPDX-License-Identifier: Apache-2.0
#include "command/flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/probe.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "command/values.hpp"
#include "matrix/placement.hpp"
#include "plan/text/words.hpp"
#include "planner/policy.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr double most_bytes = 4e17;    // of one matrix
constexpr double most_products = 4e6;  // of tiles; a plan holds them all

Op op_of(char letter, const std::string& text) {
    switch (letter) {
        case 'n':
        case 'N':
            return Op::NoTrans;
        case 't':
        case 'T':
            return Op::Trans;
        case 'c':
        case 'C':
            return Op::ConjTrans;
        default:
            break;
    }
    throw Error(Code::bad_argument,
                fmt::format("--trans: {} is not two letters of n, t and c", shown(text)));
}

Factor factor_of(const Scalar& x) {
    if (x == Scalar{}) return Factor::zero;
    return x == Scalar{1, 0} ? Factor::one : Factor::general;
}

std::string size_text(const Problem& p) { return fmt::format("{} x {} x {}", p.m, p.n, p.k); }

void require_countable(const Problem& p) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
               k = static_cast<double>(p.k);
    const auto bytes = static_cast<double>(bytes_of(p.type));
    require(std::max({m * n, m * k, k * n}) * bytes < most_bytes, Code::bad_argument,
            "matrices below 4e17 bytes",
            fmt::format("--m, --n, --k: {} is too large", size_text(p)));
}

/// Operands that do not fit where they lie cannot be there.
void require_room(const Problem& p, const Machine& machine) {
    std::vector<double> bytes(machine.memories.size(), 0);
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        bytes[static_cast<std::size_t>(p.home[static_cast<std::size_t>(operand)])] +=
            static_cast<double>(operand_bytes(p, operand));
    for (std::size_t m = 0; m < bytes.size(); ++m) {
        const Memory& memory = machine.memories[m];
        const auto room = static_cast<double>(memory.capacity);
        require(bytes[m] <= room, Code::out_of_memory, "operands that fit",
                fmt::format("--m, --n, --k: {} needs {} of memory {}, which has {}", size_text(p),
                            human_bytes(bytes[m]), memory.name, human_bytes(room)));
    }
}

/// Multiply-adds of the largest product of tiles that the options allow on any device.
double largest_product(const Problem& p, const Machine& machine, const Options& options) {
    const auto tile = static_cast<double>(options.tile);
    if (options.tile > 0) return tile * tile * tile;
    std::int64_t bytes = 0;
    for (const Device& device : machine.devices)
        bytes = std::max(bytes, machine.memories[static_cast<std::size_t>(device.memory)].capacity);
    if (options.device_memory > 0) bytes = std::min(bytes, options.device_memory);
    return std::pow(static_cast<double>(std::max<std::int64_t>(1, bytes / (3 * bytes_of(p.type)))),
                    1.5);
}

/// A plan holds every product of tiles, so that their number must stay within reason.
void require_few_products(const Problem& p, const Machine& machine, const Options& options) {
    const double work =
        static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    const double products = work / largest_product(p, machine, options);
    require(products <= most_products, Code::bad_argument, "4 million products of tiles at most",
            fmt::format("{}: {} is cut into {:.2g} or more", options.tile > 0 ? "--tile" : "--cap",
                        size_text(p), products));
}

void add_options(CLI::App& app, CallFlags& f, const CallChoice& choice) {
    const std::string group = "Machine and planner";
    if (choice.machine) {
        app.add_option("--machine", f.machine,
                       "name, file, line such as gpu:4, or cpu:N; default this host")
            ->group(group);
        app.add_option("--devices", f.devices, "of the machine: 0,2,4-6 or names; default all")
            ->group(group);
    } else {
        app.add_option("--devices", f.devices, "auto or cpu: the host BLAS; cpu:N: N CPU devices")
            ->group(group);
    }
    app.add_option("--policy", f.policy, "how the plan is made; default auto, which plans as best")
        ->group(group);
    app.add_option("--cap", f.cap, "bytes of each device's memory: 4GiB; 0: all of it")
        ->group(group);
    app.add_option("--tile", f.tile, "edge of the tiles; 0: chosen by the planner")->group(group);
    app.add_option("--search", f.search, "how long policy best may look: 2s; default some ms")
        ->group(group);
    app.add_option("--set", f.set, "name=value, see `gemmill info --options`")
        ->allow_extra_args(false)
        ->group(group);
}

std::vector<CLI::Option*> add_problem(CLI::App& app, CallFlags& f) {
    const std::string group = "Problem: C = alpha op(A) op(B) + beta C";
    std::vector<CLI::Option*> all{
        app.add_option("--m", f.m, "rows of C (required)"),
        app.add_option("--n", f.n, "columns of C; default m"),
        app.add_option("--k", f.k, "columns of op(A), rows of op(B); default m"),
        app.add_option("--routine", f.routine,
                       "gemm, gemmt, symm, hemm, syrk, herk, syr2k, her2k, trmm or trsm"),
        app.add_option("--side", f.side, "of A, where it has one triangle: left or right"),
        app.add_option("--uplo", f.uplo, "the triangle of A or C: lower or upper"),
        app.add_option("--diag", f.diag, "of A of trmm and trsm: nonunit or unit"),
        app.add_option("--type", f.type, "s, d, c, z, h (half) or b (bfloat16); default d"),
        app.add_option("--trans", f.trans, "op(A) and op(B): two of n, t, c; default nn"),
        app.add_option("--at", f.at, "places of A,B,C: h (host), a device's number, a name"),
    };
    for (CLI::Option* option : all) option->group(group);
    app.add_option("--alpha", f.alpha, "X, or RE,IM; default 1")->group(group);
    app.add_option("--beta", f.beta, "X, or RE,IM; 0: C is not read; default 1")->group(group);
    return all;
}

}  // namespace

void add_call_flags(CLI::App& app, CallFlags& f, const CallChoice& choice) {
    const auto problem = add_problem(app, f);
    add_options(app, f, choice);
    const std::string group = "Output";
    app.add_flag("--json", f.json, "one JSON object")->group(group);
    app.add_option("--svg", f.svg, "draw the timeline into this file")->group(group);
    app.add_option("--html", f.html, "the same as a page to zoom in")->group(group);
    app.add_option("--trace", f.trace, "the same as Chrome JSON, for Perfetto")->group(group);
    if (!choice.saved_plan) return;
    CLI::Option* plan = app.add_option("--plan", f.plan, "a saved plan, with its own problem");
    plan->group("Machine and planner");
    for (CLI::Option* option : problem) plan->excludes(option);
}

Type element_type(const CallFlags& flags) {
    const std::size_t found =
        flags.type.size() == 1 ? std::string_view("sdczhb").find(flags.type) : std::string::npos;
    require(found != std::string::npos, Code::bad_argument, "s, d, c, z, h or b",
            fmt::format("--type: unknown type {}", shown(flags.type)));
    return static_cast<Type>(found);
}

/// The number that the type has for it.
Scalar in_type(const Scalar& value, std::string_view flag, Type type) {
    return with_type(type, [&]<class T>() {
        using S = scalar_t<T>;
        const auto most = static_cast<double>(std::numeric_limits<decltype(std::abs(S()))>::max());
        require(std::max(std::abs(value.re), std::abs(value.im)) <= most, Code::bad_argument,
                "a number of the type",
                fmt::format("{}: type {} ends at {:.2g}", flag, letter_of(type), most));
        return to_scalar(from_scalar<S>(value));
    });
}

Scalar scalar_of(const std::string& text, std::string_view flag, Type type) {
    const std::vector<std::string> parts = split(text, ',');
    require(parts.size() <= 2, Code::bad_argument, "X or RE,IM",
            fmt::format("{}: {}", flag, shown(text)));
    const Scalar value{parse_real(parts[0], flag),
                       parts.size() > 1 ? parse_real(parts[1], flag) : 0};
    require(std::isfinite(value.re) && std::isfinite(value.im), Code::bad_argument, "a number",
            fmt::format("{}: {} is not finite", flag, shown(text)));
    require(value.im == 0 || is_complex(type), Code::bad_argument, "a complex --type for RE,IM",
            fmt::format("{}: {} is complex, type {} is real", flag, shown(text), letter_of(type)));
    return in_type(value, flag, type);
}

Machine machine_named(const std::string& name) {
    if (name.empty()) return probe_host();
    if (!name.starts_with("cpu:")) return load_machine(name);
    const std::int64_t count = parse_integer(name.substr(4), "cpu:N");
    require(count >= 1 && count <= 64, Code::bad_argument, "1 to 64 devices", name);
    return cpu_machine(static_cast<int>(count));
}

/// Its place in a list of words.
template <std::size_t N>
int word_number(const std::array<const char*, N>& words, const std::string& text,
                const char* flag) {
    const int found = find_word(words, text);
    require(found >= 0, Code::bad_argument, "a word that is known",
            fmt::format("{}: {} is none of {}", flag, shown(text), fmt::join(words, ", ")));
    return found;
}

/// What BLAS has of the routine.
void require_routine(const Problem& p) {
    const auto need = [&](bool holds, const char* condition, std::string text) {
        require(holds, Code::bad_argument, condition, text);
    };
    const char* const name = name_of(p.routine);
    const auto type = [&] {
        return fmt::format("--type: {} has no type {}", name, letter_of(p.type));
    };
    need(!is_hermitian(p.routine) || is_complex(p.type), "c or z", type());
    need(p.routine == Routine::gemm || !is_short(p.type), "s, d, c or z", type());
    need(!writes_triangle(p.routine) || p.m == p.n, "a square C",
         fmt::format("--n: C of {} is {} x {}", name, p.m, p.n));
    need(!reads_triangle(p.routine) || p.k == (p.side == Side::Left ? p.m : p.n),
         "m, or n where A stands on the right",
         fmt::format("--k: A of {} is {} x {}, C {} x {}", name, p.k, p.k, p.m, p.n));
    need(allows(p.routine, p.type, p.op_a), is_hermitian(p.routine) ? "n or c" : "n or t",
         fmt::format("--trans: {} has no {} for type {}", name, p.op_a == Op::Trans ? 't' : 'c',
                     letter_of(p.type)));
}

Problem problem_of(const CallFlags& flags, const Machine& machine) {
    require(!flags.m.empty(), Code::bad_argument, "", "--m is required");
    Problem p;
    p.routine = static_cast<Routine>(word_number(routine_names, flags.routine, "--routine"));
    p.side = word_number(side_words, flags.side, "--side") == 1 ? Side::Right : Side::Left;
    p.uplo = word_number(uplo_words, flags.uplo, "--uplo") == 1 ? Uplo::Lower : Uplo::Upper;
    p.diag = word_number(diag_words, flags.diag, "--diag") == 1 ? Diag::Unit : Diag::NonUnit;
    p.type = element_type(flags);
    p.m = parse_at_least(flags.m, "--m", 0);
    p.n = flags.n.empty() ? p.m : parse_at_least(flags.n, "--n", 0);
    const bool by_columns = reads_triangle(p.routine) && p.side == Side::Right;
    p.k = flags.k.empty() ? (by_columns ? p.n : p.m) : parse_at_least(flags.k, "--k", 0);
    if (flags.trans.size() != 2) op_of('?', flags.trans);
    p.op_a = op_of(flags.trans[0], flags.trans);
    p.op_b = op_of(flags.trans[1], flags.trans);
    p.alpha = factor_of(scalar_of(flags.alpha, "--alpha", p.type));
    p.beta = factor_of(scalar_of(flags.beta, "--beta", p.type));
    require_routine(p);
    p.home = named("--at", [&] { return parse_placement(machine, flags.at); });
    require_countable(p);
    require_room(p, machine);
    require_few_products(p, machine, options_of(flags));
    return p;
}

}  // namespace gemmill::command
