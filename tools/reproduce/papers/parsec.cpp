// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce parsec: the evaluation of GEMM over PaRSEC, on one node and on many.
#include <fmt/format.h>

#include <cmath>

#include "command/values.hpp"
#include "reproduce/papers/clusters.hpp"
#include "reproduce/papers/figures.hpp"
#include "reproduce/papers/reported_parsec.hpp"
#include "reproduce/report.hpp"

namespace gemmill::command {
namespace {

constexpr const char* node = "summit-node";

std::string gpu_count(int gpus) { return fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s"); }

ReportRow share_row(Evaluator& e, const std::string& label, index_t tile, const Variant& variant) {
    ReportRow row{label, {}};
    for (int gpus = 1; gpus <= parsec_gpus; ++gpus)
        row.cells.push_back(
            {variant.policy == best.policy ? not_reported : parsec_share(tile, gpus),
             100 * peak_share(e, parsec_case(tile, gpus), variant)});
    return row;
}

Section tile_section(Evaluator& e, bool quick) {
    Section section{"tile", "DGEMM, n = 70000 rounded up to whole tiles: % of peak a GPU", {}};
    for (int gpus = 1; gpus <= parsec_gpus; ++gpus) section.columns.push_back(gpu_count(gpus));
    for (const index_t tile : parsec_tiles(quick))
        section.rows.push_back(
            share_row(e, fmt::format("parsec, tile {:>4}", tile), tile, parsec_variant(tile)));
    section.rows.push_back(share_row(e, "best", parsec_tile(quick), best));
    return section;
}

Section size_section(Evaluator& e, index_t tile) {
    Section section{
        "size",
        fmt::format("DGEMM, tile {}: % of peak a GPU; reported for several nodes only", tile),
        {}};
    const std::vector<Variant> variants{parsec_variant(tile), best};
    for (const char* name : {"parsec", "best"})
        for (const int gpus : {parsec_process_gpus, parsec_gpus})
            section.columns.push_back(fmt::format("{}, {}", name, gpu_count(gpus)));
    for (const index_t n : parsec_sizes) {
        ReportRow row{fmt::format("n = {:>6}, C {:>5.1f} GB", n, 8e-9 * std::pow(n, 2)), {}};
        for (const Variant& variant : variants)
            for (const int gpus : {parsec_process_gpus, parsec_gpus})
                row.cells.push_back(
                    {not_reported, 100 * peak_share(e, {Type::d, n, n, n, "h", gpus}, variant)});
        section.rows.push_back(std::move(row));
    }
    return section;
}

/// What all GPUs load of the model's loads, and how much of it comes from another GPU.
std::array<double, 2> loads_of(Evaluator& e, index_t tile, int gpus, const Variant& variant) {
    const Case one = parsec_case(tile, gpus);
    const Simulated& run = e.run(one, variant);
    double host = 0, peers = 0, memory = 0;
    for (int g = 0; g < gpus; ++g) {
        const MemoryId m = e.machine().devices[static_cast<std::size_t>(g)].memory;
        const Traffic traffic = traffic_of(e.machine(), run, m);
        host += traffic.from_host;
        peers += traffic.from_peers;
        memory = static_cast<double>(e.machine().memories[static_cast<std::size_t>(m)].capacity);
    }
    return {100 * (host + peers) / parsec_model_loads(one, tile, memory),
            100 * peers / (host + peers)};
}

Section loads_section(Evaluator& e, index_t tile) {
    Section section{
        "loads",
        fmt::format("DGEMM, tile {}, n = {}: what GPUs load", tile, parsec_case(tile, 1).n),
        {gpu_count(parsec_process_gpus), gpu_count(parsec_gpus)}};
    for (const Variant& variant : {parsec_variant(tile), best}) {
        const bool ours = variant.policy == best.policy;
        const std::string name = ours ? "best" : "parsec";
        ReportRow all{name + ", % of the paper's model", {}},
            peers{name + ", % from other GPUs", {}};
        for (const int gpus : {parsec_process_gpus, parsec_gpus}) {
            const bool reported = !ours && gpus == parsec_process_gpus;
            const auto [share, from_peers] = loads_of(e, tile, gpus, variant);
            all.cells.push_back({reported ? parsec_loads : not_reported, share});
            peers.cells.push_back({reported ? parsec_loads_from_peers : not_reported, from_peers});
        }
        section.rows.insert(section.rows.end(), {std::move(all), std::move(peers)});
    }
    return section;
}

}  // namespace

double parsec_model_loads(const Case& one, index_t tile, double memory) {
    constexpr double part_of_c = 0.75, element = 8;
    const auto edge = static_cast<double>(tile), gpus = static_cast<double>(one.gpus);
    const double tiles = static_cast<double>(one.n) / edge, bytes = element * edge * edge;
    const double largest = std::floor(std::sqrt(part_of_c * memory / bytes * gpus));
    const double blocks = std::ceil(tiles / largest);  // of C, along each side
    const double a = blocks * tiles * tiles * gpus, b = blocks * tiles * tiles, c = tiles * tiles;
    return (a + b + c) * bytes;
}

int reproduce_parsec(const PaperFlags& flags) {
    if (!flags.out.empty()) make_folder(flags.out);
    const index_t tile = parsec_tile(flags.quick);
    Evaluator e(load_machine(node), first_gpus);
    std::vector<Section> sections{tile_section(e, flags.quick), size_section(e, tile),
                                  loads_section(e, tile)};
    for (Section& section : cluster_sections(flags.quick)) sections.push_back(std::move(section));
    if (!flags.out.empty()) draw_parsec(e, flags.out, flags.quick);
    return report(e, sections, flags.json);
}

}  // namespace gemmill::command
