// SPDX-License-Identifier: Apache-2.0
#include "reproduce/papers/clusters.hpp"

#include <fmt/format.h>

#include "rank/cluster/predict.hpp"

namespace gemmill::command {
namespace {

/// Section V.B and the conclusion: 85 % of the practical peak wherever the plateau is reached;
/// loads in % of equation 1, and how many of them come from other GPUs.
constexpr double plateau = 85, loads = 95, loads_from_peers = 50;
/// Rows of C that a process has: case a (on 2x2 processes), c1, the last c1, the first c2, and c2
/// up to what host memory holds.
constexpr index_t per_process[] = {16384, 57344, 65536, 67584, 75776, 92160};
/// The plateau begins here, as far as the paper's words say.
constexpr index_t plateau_from = 57344, case_c2_from = 67584;
constexpr index_t tile = 1024;

std::vector<int> edges(bool quick) {
    return quick ? std::vector<int>{2} : std::vector<int>{2, 4, 6, 8, 10, 12};
}

ClusterPrediction predicted(const Cluster& cluster, int edge, index_t rows,
                            const std::string& policy, int lookahead) {
    ClusterCall call;
    call.m = call.n = call.k = rows * edge;
    call.grid_rows = call.grid_cols = edge;
    call.tile = tile, call.policy = policy, call.lookahead = lookahead;
    return predict_call(cluster, call);
}

double share_of_peak(const Cluster& cluster, int edge, index_t rows, double seconds) {
    const NodeShare node = share_of_rank(cluster, load_machine(cluster.node), Type::d);
    const auto n = static_cast<double>(rows * edge);
    return 2 * n * n * n / seconds / (edge * edge * node.devices * node.peak);
}

/// Section V.A: one process that drives 1 to 6 GPUs of a node, n = 70000 in whole tiles.
Section node_section() {
    constexpr index_t rows = 70656;
    constexpr double stated[] = {95, 95, 95, not_reported, not_reported, plateau};
    Cluster node = load_cluster("summit");
    node.nodes = node.ranks = 1;
    Section section{"one_node",
                    fmt::format("DGEMM, n = {}, one process of parsec on a node: % of peak a GPU, "
                                "GPUs that differ by {:.0f} %",
                                rows, 100 * node.spread),
                    {}};
    ReportRow row{"parsec, tile 1024", {}};
    for (int gpus = 1; gpus <= 6; ++gpus) {
        ClusterCall call;
        call.m = call.n = call.k = rows;
        call.tile = tile, call.policy = "parsec", call.devices = gpus;
        const double seconds = predict_call(node, call).times.seconds;
        const double share = share_of_peak(node, 1, rows, seconds) * static_cast<double>(6) / gpus;
        section.columns.push_back(fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s"));
        row.cells.push_back({stated[gpus - 1], 100 * share});
    }
    section.rows.push_back(std::move(row));
    return section;
}

std::vector<std::string> grid_names(bool quick) {
    std::vector<std::string> names;
    for (const int edge : edges(quick)) names.push_back(fmt::format("{0}x{0}", edge));
    return names;
}

Section speed_section(const Cluster& cluster, bool quick) {
    Section section{"speed_" + cluster.name,
                    fmt::format("DGEMM on {}, parsec, tile {}: % of peak a GPU by rows of C of a "
                                "process and lookahead",
                                cluster.name, tile),
                    grid_names(quick)};
    for (const index_t rows : per_process)
        for (const int lookahead : {1, 2}) {
            ReportRow row{fmt::format("{:>6} rows, l = {}", rows, lookahead), {}};
            for (const int edge : edges(quick)) {
                const auto x = predicted(cluster, edge, rows, "parsec", lookahead);
                // The drop at the transition has no number in the paper.
                const bool stated = rows >= plateau_from && (lookahead == 2 || rows < case_c2_from);
                row.cells.push_back({stated ? plateau : not_reported,
                                     100 * share_of_peak(cluster, edge, rows, x.times.seconds)});
            }
            section.rows.push_back(std::move(row));
        }
    return section;
}

/// The faster lookahead of the paper's two.
double parsec_seconds(const Cluster& cluster, int edge, index_t rows) {
    return std::min(predicted(cluster, edge, rows, "parsec", 1).times.seconds,
                    predicted(cluster, edge, rows, "parsec", 2).times.seconds);
}

Section best_section(const Cluster& cluster, bool quick) {
    Section section{"best_" + cluster.name,
                    fmt::format("DGEMM on {}: seconds of parsec with its better lookahead over "
                                "seconds of best",
                                cluster.name),
                    {}};
    const std::vector<int> some = quick ? std::vector<int>{2} : std::vector<int>{2, 6, 12};
    for (const int edge : some) section.columns.push_back(fmt::format("{0}x{0}", edge));
    for (const index_t rows : {per_process[0], per_process[2], per_process[3], per_process[5]}) {
        ReportRow row{fmt::format("{:>6} rows", rows), {}};
        for (const int edge : some)
            row.cells.push_back(
                {not_reported, parsec_seconds(cluster, edge, rows) /
                                   predicted(cluster, edge, rows, "best", -1).times.seconds});
        section.rows.push_back(std::move(row));
    }
    return section;
}

Section loads_section(const Cluster& cluster, bool quick) {
    Section section{"loads_" + cluster.name,
                    fmt::format("DGEMM on {}, parsec: what a GPU loads", cluster.name),
                    grid_names(quick)};
    for (const index_t rows : {per_process[0], per_process[2], per_process[4]}) {
        ReportRow all{fmt::format("{:>6} rows, % of equation 1", rows), {}};
        ReportRow peers{fmt::format("{:>6} rows, % from other GPUs", rows), {}};
        for (const int edge : edges(quick)) {
            const auto x = predicted(cluster, edge, rows, "parsec", -1);
            all.cells.push_back({loads, 100 * x.device_loads / x.loads_of_model});
            peers.cells.push_back({loads_from_peers, 100 * x.peer_share});
        }
        section.rows.insert(section.rows.end(), {std::move(all), std::move(peers)});
    }
    return section;
}

}  // namespace

std::vector<Section> cluster_sections(bool quick) {
    const Cluster met = load_cluster("summit-parsec"), rated = load_cluster("summit");
    return {node_section(), speed_section(met, quick), speed_section(rated, quick),
            best_section(met, quick), loads_section(met, quick)};
}

}  // namespace gemmill::command
