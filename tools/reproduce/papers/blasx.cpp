// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce blasx: the evaluation of BLASX, and policy best beside it.
#include <fmt/format.h>

#include <cmath>

#include "command/values.hpp"
#include "reproduce/papers/figures.hpp"
#include "reproduce/papers/reported_blasx.hpp"
#include "reproduce/report.hpp"

namespace gemmill::command {
namespace {

constexpr const char* node = "everest";

std::vector<std::string> variant_names() {
    std::vector<std::string> names;
    for (const Variant& variant : blasx_variants) names.push_back(variant.name);
    return names;
}

template <class F>
double mean_over(const std::vector<index_t>& sizes, F value) {
    double sum = 0;
    for (const index_t n : sizes) sum += value(n);
    return sum / static_cast<double>(sizes.size());
}

Section means_section(Evaluator& e, const std::vector<index_t>& sizes) {
    Section section{"means",
                    fmt::format("DGEMM, means over {} sizes, n = {} to {}", sizes.size(),
                                sizes.front(), sizes.back()),
                    {"% of peak, 1 GPU", "% parallel efficiency, 3 GPUs"}};
    for (std::size_t v = 0; v < blasx_variants.size(); ++v) {
        const Variant& variant = blasx_variants[v];
        const double share =
            mean_over(sizes, [&](index_t n) { return peak_share(e, blasx_case(n, 1), variant); });
        const double efficiency = mean_over(sizes, [&](index_t n) {
            return parallel_efficiency(e, blasx_case(n, blasx_gpus), variant);
        });
        section.rows.push_back(
            {variant.name,
             {{blasx_means[v].share, 100 * share}, {blasx_means[v].efficiency, 100 * efficiency}}});
    }
    return section;
}

Section rate_section(Evaluator& e, const std::vector<index_t>& sizes) {
    Section section{"rate", "DGEMM, TFLOP/s on 1 and on 3 GPUs; reported in a figure only", {}};
    for (const Variant& variant : blasx_variants)
        for (const int gpus : {1, blasx_gpus})
            section.columns.push_back(fmt::format("{}, {}", variant.name, gpus));
    for (const index_t n : sizes) {
        ReportRow row{fmt::format("n = {:>5}", n), {}};
        for (const Variant& variant : blasx_variants)
            for (const int gpus : {1, blasx_gpus}) {
                const Case one = blasx_case(n, gpus);
                row.cells.push_back({not_reported, tera(one, e.seconds(one, variant))});
            }
        section.rows.push_back(std::move(row));
    }
    return section;
}

Section volume_section(Evaluator& e) {
    Section section{"volume", fmt::format("MB moved by DGEMM, n = {}, 3 GPUs", blasx_volume_size),
                    variant_names()};
    const Case one = blasx_case(blasx_volume_size, blasx_gpus);
    ReportRow all{"all GPUs", {}};
    for (const double sum : blasx_volume_sums) all.cells.push_back({sum, 0});
    for (std::size_t g = 0; g < blasx_gpus; ++g) {
        ReportRow host{fmt::format("GPU {}, host, both ways", g + 1), {}},
            peers{fmt::format("GPU {}, from other GPUs", g + 1), {}};
        const MemoryId memory = e.machine().devices[g].memory;
        for (std::size_t v = 0; v < blasx_variants.size(); ++v) {
            const Traffic t = traffic_of(e.machine(), e.run(one, blasx_variants[v]), memory);
            const BlasxVolume& reported = blasx_volumes[v][g];
            host.cells.push_back({reported.host, (t.from_host + t.to_host) / 1e6});
            peers.cells.push_back({reported.peers, t.from_peers / 1e6});
            all.cells[v].simulated += host.cells[v].simulated + peers.cells[v].simulated;
        }
        section.rows.insert(section.rows.end(), {std::move(host), std::move(peers)});
    }
    section.rows.push_back(std::move(all));
    return section;
}

/// Table III: the other routines.
Section routines_section(Evaluator& e, const std::vector<index_t>& sizes) {
    Section section{
        "routines",
        fmt::format("% parallel efficiency on 3 GPUs, means over {} sizes", sizes.size()),
        variant_names()};
    for (const BlasxRoutine& routine : blasx_routines) {
        ReportRow row{routine.name, {}};
        const std::array reported{routine.blasx, routine.cublasxt, not_reported};
        for (std::size_t v = 0; v < blasx_variants.size(); ++v)
            row.cells.push_back({reported[v], 100 * mean_over(sizes, [&](index_t n) {
                                                  return parallel_efficiency(
                                                      e, blasx_case(n, blasx_gpus, routine.routine),
                                                      blasx_variants[v]);
                                              })});
        section.rows.push_back(std::move(row));
    }
    return section;
}

/// Table V for them: all that a GPU gets and sends, and the sum.
Section volumes_section(Evaluator& e) {
    Section section{"volumes",
                    fmt::format("MB moved by the others, n = {}, 3 GPUs: host both ways and from "
                                "other GPUs together",
                                blasx_volume_size),
                    variant_names()};
    const auto sum_of = [](const BlasxVolume& v) {
        return v.host + (std::isnan(v.peers) ? 0 : v.peers);
    };
    for (const BlasxRoutine& routine : blasx_routines) {
        const Case one = blasx_case(blasx_volume_size, blasx_gpus, routine.routine);
        ReportRow all{fmt::format("{}, all GPUs", routine.name), {}};
        for (std::size_t v = 0; v < blasx_variants.size(); ++v) {
            Cell cell{v < routine.volumes.size() ? 0 : not_reported, 0};
            for (std::size_t g = 0; g < blasx_gpus; ++g) {
                const Traffic t = traffic_of(e.machine(), e.run(one, blasx_variants[v]),
                                             e.machine().devices[g].memory);
                cell.simulated += (t.from_host + t.to_host + t.from_peers) / 1e6;
                if (cell.reported()) cell.paper += sum_of(routine.volumes[v][g]);
            }
            all.cells.push_back(cell);
        }
        section.rows.push_back(std::move(all));
    }
    return section;
}

}  // namespace

int reproduce_blasx(const PaperFlags& flags) {
    if (!flags.out.empty()) make_folder(flags.out);
    const std::vector<index_t> sizes = blasx_sizes(flags.quick);
    Evaluator e(load_machine(node), first_gpus);
    const std::vector<Section> sections{
        means_section(e, sizes), rate_section(e, blasx_shown_sizes(flags.quick)), volume_section(e),
        routines_section(e, sizes), volumes_section(e)};
    if (!flags.out.empty()) draw_blasx(e, flags.out, sizes);
    return report(e, sections, flags.json);
}

}  // namespace gemmill::command
