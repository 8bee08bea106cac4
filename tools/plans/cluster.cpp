// SPDX-License-Identifier: Apache-2.0
#include "plans/cluster.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command/console.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "machine/load/cluster.hpp"
#include "rank/bound/bound.hpp"
#include "rank/cluster/predict.hpp"

namespace gemmill::command {
namespace {

constexpr index_t usual_tile = 1024, largest = index_t{1} << 40;

void parse_grid(const std::string& text, ClusterCall& call) {
    char rest = 0;
    const bool read =
        std::sscanf(text.c_str(), "%dx%d%c", &call.grid_rows, &call.grid_cols, &rest) == 2;
    require(read && call.grid_rows > 0 && call.grid_cols > 0, Code::bad_argument, "PxQ",
            fmt::format("--grid: {}", shown(text)));
}

/// The most square grid of all ranks.
void square_grid(int ranks, ClusterCall& call) {
    for (int p = 1; p * p <= ranks; ++p)
        if (ranks % p == 0) call.grid_rows = p, call.grid_cols = ranks / p;
}

void require_gemm(const CallFlags& flags) {
    require(flags.routine == "gemm" && flags.trans == "nn" && flags.at == "h", Code::bad_argument,
            "gemm nn from host memory", "--routine, --trans, --at on a cluster");
    require(flags.devices.empty() && flags.cap.empty() && flags.search.empty() && flags.set.empty(),
            Code::bad_argument, "only --policy, --tile, --nodes, --grid, --lookahead",
            "--devices, --cap, --search, --set on a cluster");
}

ClusterCall call_of(const CallFlags& flags, const ClusterFlags& x, const Cluster& cluster) {
    require_gemm(flags);
    ClusterCall call;
    call.type = element_type(flags);
    call.m = parse_between(flags.m, "--m", 1, largest);
    call.n = flags.n.empty() ? call.m : parse_between(flags.n, "--n", 1, largest);
    call.k = flags.k.empty() ? call.m : parse_between(flags.k, "--k", 1, largest);
    call.tile = flags.tile.empty() ? usual_tile : parse_between(flags.tile, "--tile", 1, largest);
    if (!flags.policy.empty()) call.policy = flags.policy;
    if (!x.lookahead.empty())
        call.lookahead = static_cast<int>(parse_between(x.lookahead, "--lookahead", 0, 64));
    if (x.grid.empty())
        square_grid(cluster.nodes * cluster.ranks, call);
    else
        parse_grid(x.grid, call);
    return call;
}

Cluster cluster_of(const CallFlags& flags, const ClusterFlags& x) {
    Cluster cluster = load_cluster(flags.machine);
    if (!x.nodes.empty())
        cluster.nodes = static_cast<int>(parse_between(x.nodes, "--nodes", 1, cluster.nodes));
    return cluster;
}

struct Figures {
    double flops, devices, of_peak, plan_mib;
    NetBound bound;
    double paper_bytes;
};

/// The layout of a matrix that is called.
RankMatrix matrix_of(const ClusterCall& call, index_t rows, index_t cols) {
    BlockCyclic x;
    x.rows = rows, x.cols = cols, x.row_block = x.col_block = call.tile;
    x.grid_rows = call.grid_rows, x.grid_cols = call.grid_cols;
    return {Distribution(x, call.grid_rows * call.grid_cols), {}};
}

NetBound bound_of(const ClusterCall& call, double memory) {
    const RankMatrix a = matrix_of(call, call.m, call.k), b = matrix_of(call, call.k, call.n);
    DistUpdate update;
    update.type = call.type;
    update.m = call.m, update.n = call.n, update.k = call.k;
    update.c = matrix_of(call, call.m, call.n);
    update.terms = {{{&a}, {&b}, {1, 0}}};
    return net_bound(update, call.grid_rows * call.grid_cols, memory);
}

Figures figures_of(const Cluster& cluster, const ClusterCall& call, const ClusterPrediction& x) {
    const Machine node = load_machine(cluster.node);
    const int ranks = call.grid_rows * call.grid_cols;
    Figures f{};
    f.flops = flops_per_fma(call.type) * static_cast<double>(call.m) * static_cast<double>(call.n) *
              static_cast<double>(call.k) / x.times.seconds;
    const NodeShare share = share_of_rank(cluster, node, call.type);
    f.devices = ranks * share.devices;
    f.of_peak = f.flops / (f.devices * share.peak);
    f.plan_mib = static_cast<double>(x.plan_bytes) / 0x1p20;
    const double elements = static_cast<double>(call.m) * static_cast<double>(call.k) +
                            static_cast<double>(call.n) * static_cast<double>(call.m + call.k);
    // What a rank computes with: the memory of its devices, where C stays.
    f.bound = bound_of(call, std::min(static_cast<double>(share.memory) * share.devices,
                                      static_cast<double>(bytes_of(call.type)) * elements));
    f.paper_bytes = paper_net_bytes(call.type, call.m, call.n, call.k, call.grid_rows,
                                    call.grid_cols, x.row_block, x.col_block);
    return f;
}

nlohmann::ordered_json json_of(const Cluster& cluster, const ClusterCall& call,
                               const ClusterPrediction& x) {
    const Figures f = figures_of(cluster, call, x);
    return {{"machine", cluster.name},
            {"nodes", cluster.nodes},
            {"grid", {call.grid_rows, call.grid_cols}},
            {"devices", f.devices},
            {"m", call.m},
            {"n", call.n},
            {"k", call.k},
            {"tile", call.tile},
            {"policy", call.policy},
            {"work", x.work},
            {"case", x.paper_case},
            {"row_block", x.row_block},
            {"col_block", x.col_block},
            {"depth", x.depth},
            {"lookahead", x.lookahead},
            {"stages", x.stages},
            {"model", x.all_ranks ? "all ranks" : "one rank, the others in step"},
            {"seconds", x.times.seconds},
            {"tflops", f.flops / 1e12},
            {"share_of_peak", f.of_peak},
            {"computing_seconds", x.times.computing},
            {"net_bytes", x.times.sent},
            {"net_bytes_between_nodes", x.times.network},
            {"net_bytes_of_paper", f.paper_bytes},
            {"net_bytes_of_cosma", f.bound.cosma},
            {"net_bytes_compulsory", f.bound.compulsory},
            {"net_bytes_layout", f.bound.layout},
            {"device_load_bytes", x.device_loads * static_cast<double>(bytes_of(call.type))},
            {"loads_of_equation_1", x.device_loads / x.loads_of_model},
            {"loads_from_peers", x.peer_share},
            {"rank_memory_bytes", x.arena_bytes},
            {"plan_seconds", x.plan_seconds},
            {"plan_bytes", x.plan_bytes}};
}

void print(const Cluster& cluster, const ClusterCall& call, const ClusterPrediction& x) {
    const Figures f = figures_of(cluster, call, x);
    fmt::print("gemm {} x {} x {} on {}, {} nodes, grid {}x{}, {:.0f} devices, tiles of {}\n",
               call.m, call.n, call.k, cluster.name, cluster.nodes, call.grid_rows, call.grid_cols,
               f.devices, call.tile);
    fmt::print("  policy  {}: {}, blocks {} x {}, {} stages of {}, lookahead {}\n", call.policy,
               x.work, x.row_block, x.col_block, x.stages, x.depth, x.lookahead);
    fmt::print("  predicted {}, {}, {:.1f} % of the devices' peak ({})\n",
               human_seconds(x.times.seconds), human_flops(f.flops), 100 * f.of_peak,
               x.all_ranks ? "all ranks" : "one rank, the others in step");
    fmt::print(
        "  net     {} sent, {} between nodes; COSMA's bound {}, compulsory {}, even bricks in this "
        "layout {}\n",
        human_bytes(x.times.sent), human_bytes(x.times.network), human_bytes(f.bound.cosma),
        human_bytes(f.bound.compulsory), human_bytes(f.bound.layout));
    fmt::print("  loads   {} a device, {:.1f} % of equation 1, {:.1f} % from other devices\n",
               human_bytes(x.device_loads * static_cast<double>(bytes_of(call.type))),
               100 * x.device_loads / x.loads_of_model, 100 * x.peer_share);
    fmt::print("  one rank planned in {}, {:.1f} MiB\n", human_seconds(x.plan_seconds), f.plan_mib);
}

}  // namespace

void add_cluster_flags(CLI::App& app, ClusterFlags& flags) {
    app.add_option("--nodes", flags.nodes, "of a cluster: how many of its nodes; default all");
    app.add_option("--grid", flags.grid, "of a cluster: its ranks as PxQ; default the most square");
    app.add_option("--lookahead", flags.lookahead,
                   "of a cluster: stages whose inputs are fetched ahead; default chosen");
}

bool is_for_cluster(const CallFlags& flags) { return is_cluster(flags.machine); }

int simulate_on_cluster(const CallFlags& flags, const ClusterFlags& x) {
    const Cluster cluster = cluster_of(flags, x);
    const ClusterCall call = call_of(flags, x, cluster);
    const ClusterPrediction prediction = predict_call(cluster, call);
    if (flags.json)
        fmt::print("{}\n", json_of(cluster, call, prediction).dump(2));
    else
        print(cluster, call, prediction);
    return ok;
}

std::string clusters_table() {
    Table table;
    table.row({"cluster", "nodes", "of", "ranks of a node", "a node sends", "latency"});
    for (const std::string& name : cluster_names()) {
        const Cluster x = load_cluster(name);
        table.row({name, std::to_string(x.nodes), x.node, std::to_string(x.ranks),
                   human_bandwidth(x.injection), human_seconds(x.latency)});
    }
    return table.text("");
}

std::string cluster_text(const std::string& name) {
    const Cluster x = load_cluster(name);
    Table table;
    table.row({"nodes", std::to_string(x.nodes)});
    table.row({"each a", x.node});
    table.row({"ranks of a node", std::to_string(x.ranks)});
    table.row({"in and out of a node", human_bandwidth(x.injection)});
    table.row({"latency", human_seconds(x.latency)});
    table.row({"within a node", human_bandwidth(x.within)});
    table.row({"between halves", human_bandwidth(x.bisection)});
    table.row({"devices differ by", fmt::format("{:.3g} %", 100 * x.spread)});
    return fmt::format("{}\n\n{}", wrapped(fmt::format("{}: {}", x.name, x.origin)),
                       table.text(""));
}

}  // namespace gemmill::command
