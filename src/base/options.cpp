// SPDX-License-Identifier: Apache-2.0
// The only place that reads the environment.
#include "gemmill/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"

extern char** environ;

namespace gemmill {
namespace {

using Kind = OptionRow::Kind;
constexpr std::string_view env_prefix = "GEMMILL_";
constexpr std::int64_t most_count = 1'000'000'000;

const OptionRow& find_row(std::string_view name) {
    const auto& table = option_table();
    const auto row = std::ranges::find(table, name, &OptionRow::name);
    if (row != table.end()) return *row;
    std::vector<std::string> known;
    for (const OptionRow& r : table) known.emplace_back(r.name);
    throw Error(Code::parse,
                fmt::format("unknown option {}; there are {}", shown(name), join(known, ", ")));
}

std::int64_t parse_count(std::string_view text, std::string_view name) {
    const std::int64_t value = parse_integer(text, name);
    require(value >= 0 && value <= most_count, Code::parse, "0 to 1000000000",
            fmt::format("{}: {}", name, value));
    return value;
}

/// The end of the table.
std::vector<OptionRow> later_rows() {
    return {
        {"report", Kind::text, &Options::report,
         "drop-in: at exit, say what was called, where it ran and what a GPU would have gained: 1 "
         "for standard error, or a file to add it to; empty: nothing is said"},
        {"rank_policy", Kind::text, &Options::rank_policy,
         "ranks: how distributed products are shared: best, parsec, c, a or b (that matrix stays), "
         "bricks PxQxR"},
        {"rank_memory", Kind::size, &Options::rank_memory,
         "ranks: bytes that a distributed call may take of each rank besides its matrices; 0: no "
         "limit"},
        {"rank_check", Kind::flag, &Options::rank_check,
         "ranks: compare each argument over all ranks and say which one differs"},
        {"gpu_aware_mpi", Kind::text, &Options::gpu_aware_mpi,
         "ranks: whether MPI may be given memory of GPUs: 1, 0, or auto, which asks MPI"},
        {"timeout", Kind::text, &Options::timeout,
         "ranks: how long a rank may send nothing before the others end with an error, such as "
         "30s; 0: for ever; empty: 300s"},
    };
}

std::vector<OptionRow> joined(std::vector<OptionRow> rows, const std::vector<OptionRow>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

}  // namespace

const std::vector<OptionRow>& option_table() {
    static const std::vector<OptionRow> table{
        {"devices", Kind::text, &Options::devices,
         "which devices compute: auto (GPUs, or the host BLAS), cpu (the host BLAS), cpu:N (N "
         "devices "
         "on the CPU), cuda (all GPUs), cuda:0,2 (some), cuda:0x4 (one as four devices), "
         "cuda:0+cpu (GPUs and the CPU together)"},
        {"policy", Kind::text, &Options::policy,
         "how plans are made: auto (best, and tail or dynamic where calls take longer than "
         "predicted), best, dynamic, tail, uncut, paralia, xkblas, blasx, cublasxt, naive"},
        {"search", Kind::text, &Options::search,
         "how long policy best may look, such as 2s; empty: 2 % of the call, 5 ms to 0.5 s"},
        {"spread", Kind::text, &Options::spread,
         "who computes what instead of the policy's choice: grid, cyclic, turns"},
        {"routing", Kind::text, &Options::routing,
         "from where tiles are fetched instead: home, bandwidth, eta"},
        {"chain", Kind::text, &Options::chain,
         "a tile goes to all who need it at once, from one to the next, instead: on, off"},
        {"order", Kind::text, &Options::order,
         "order of the products instead: natural, panels, fewest, eta, strips"},
        {"late_c", Kind::text, &Options::late_c,
         "when C is fetched after its products instead: never, shared, always"},
        {"caching", Kind::text, &Options::caching,
         "tiles are kept and used again instead: on, off"},
        {"overlap", Kind::text, &Options::overlap,
         "copies and kernels on queues of their own instead: on, off"},
        {"tile", Kind::count, &Options::tile, "edge of the tiles; 0: chosen by the planner"},
        {"device_memory", Kind::size, &Options::device_memory,
         "bytes a call may use of each device's memory, such as 4GiB; 0: what the device has"},
        {"queues", Kind::count, &Options::queues,
         "compute queues of each device; 0: what the machine says"},
        {"threads", Kind::count, &Options::threads,
         "worker threads of each CPU device; 0: chosen from the cores"},
        {"packers", Kind::count, &Options::packers,
         "threads of each direction that move host memory which is not pinned; 0: as measured, or "
         "from the cores"},
        {"pin", Kind::size, &Options::pin,
         "bytes of host matrices that are pinned for GPUs when they are used again; they must then "
         "not be freed before the context; 0: none"},
        {"plan_cache", Kind::count, &Options::plan_cache,
         "plans that are kept, in 256 MiB at most"},
        {"machine", Kind::text, &Options::machine,
         "machine file that describes this node; empty: its calibration, or what the driver says"},
        {"host_blas", Kind::text, &Options::host_blas,
         "path of the host BLAS library; empty: OpenBLAS, or what a program under the drop-in has"},
        {"trace", Kind::text, &Options::trace,
         "file for a Chrome trace of each planned call, a % in it is the call's number; empty: "
         "none"},
        {"validate", Kind::flag, &Options::validate, "check every plan before it runs"},
        {"verbose", Kind::flag, &Options::verbose,
         "one line per planned call, measured against predicted"},
        {"threshold", Kind::text, &Options::threshold,
         "drop-in: flops below which a call goes to the host BLAS unseen, such as 1e8; 0: every "
         "call is looked at; empty: 1e8"},
        {"force_tiled", Kind::text, &Options::force_tiled,
         "drop-in, for tests: every call (1), or every call of some routines (gemm,syrk), is cut "
         "into tiny tiles and run on devices, cpu:3 unless others are named; empty: none"},
    };
    static const std::vector<OptionRow> all = joined(table, later_rows());
    return all;
}

std::string_view name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::text:
            return "text";
        case Kind::count:
            return "count";
        case Kind::size:
            return "size";
        case Kind::flag:
            break;
    }
    return "flag";
}

std::string environment_name(const OptionRow& row) {
    std::string name(env_prefix);
    for (const char c : row.name)
        name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

void Options::set(std::string_view name, std::string_view value) {
    const OptionRow& row = find_row(name);
    if (const auto* text = std::get_if<std::string Options::*>(&row.field))
        this->** text = value;
    else if (const auto* flag = std::get_if<bool Options::*>(&row.field))
        this->** flag = parse_flag(value, name);
    else
        this->*std::get<std::int64_t Options::*>(row.field) =
            row.kind == Kind::size ? parse_bytes(value, name) : parse_count(value, name);
}

void Options::check() const {
    for (const OptionRow& row : option_table())
        if (const auto* field = std::get_if<std::int64_t Options::*>(&row.field))
            require(this->**field >= 0 && (row.kind == Kind::size || this->**field <= most_count),
                    Code::bad_argument, "0 to 1000000000",
                    fmt::format("{}: {}", row.name, this->**field));
}

std::string Options::get(std::string_view name) const {
    const OptionRow& row = find_row(name);
    if (const auto* text = std::get_if<std::string Options::*>(&row.field)) return this->**text;
    if (const auto* flag = std::get_if<bool Options::*>(&row.field))
        return this->**flag ? "on" : "off";
    return std::to_string(this->*std::get<std::int64_t Options::*>(row.field));
}

Options Options::from_environment() {
    Options options;
    if (is_privileged()) return options;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (!text.starts_with(env_prefix) || equals == std::string_view::npos) continue;
        const std::string_view variable = text.substr(0, equals);
        const auto& table = option_table();
        const auto row = std::ranges::find(table, variable, environment_name);
        require(row != table.end(), Code::parse, "a name from `gemmill info --options`",
                fmt::format("environment variable {} is not an option", shown(variable)));
        try {
            options.set(row->name, text.substr(equals + 1));
        } catch (const Error& error) {
            // The variable instead of the option.
            throw Error(error.code(),
                        fmt::format("{}{}", variable, error.text().substr(row->name.size())),
                        error.condition());
        }
    }
    return options;
}

}  // namespace gemmill
