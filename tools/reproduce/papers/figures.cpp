// SPDX-License-Identifier: Apache-2.0
#include "reproduce/papers/figures.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "command/console.hpp"
#include "pictures/figure.hpp"
#include "reproduce/papers/reported_blasx.hpp"
#include "reproduce/papers/reported_parsec.hpp"
#include "reproduce/papers/reported_uncut.hpp"

namespace gemmill::command {
namespace {

struct Place {
    const char* at;
    const char* name;  ///< in titles
    const char* file;  ///< in file names
};
constexpr std::array<Place, 2> places{{{"h", "host", "host"}, {"0", "GPU 0", "gpu0"}}};

void write_figure(const std::string& folder, const std::string& name, const std::string& picture) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    write_file(path, picture);
    say(fmt::format("wrote {}", path));
}

Level peak_of(const Machine& machine, Type type) {
    double sum = 0;
    for (const Device& device : machine.devices) sum += device.peak[static_cast<std::size_t>(type)];
    return {"peak", sum / 1e12};
}

std::string rate_chart(Evaluator& e, Type type, const Place& place, std::size_t step) {
    LineChart chart{fmt::format("{} gemm, 8 GPUs, data on {}, simulated",
                                type == Type::d ? "FP64" : "FP32", place.name),
                    "m = n = k",
                    "TFLOP/s",
                    {},
                    peak_of(e.machine(), type)};
    std::vector<Variant> all = peers;
    all.insert(all.end(), {uncut, best});
    for (const Variant& variant : all) {
        Line line{variant.name, {}};
        for (const Case& one : regular_cases(type, place.at, step))
            line.points.push_back({static_cast<double>(one.n), tera(one, e.seconds(one, variant))});
        chart.lines.push_back(std::move(line));
    }
    return draw(chart);
}

std::string stack_chart(Evaluator& e, const Place& place, std::size_t step) {
    const std::vector<Case> cases = regular_cases(Type::d, place.at, step);
    BarChart chart{fmt::format("Optimisations one by one, FP64, data on {}, simulated", place.name),
                   "m = n = k in units of 1024",
                   "TFLOP/s",
                   {},
                   {},
                   {},
                   peak_of(e.machine(), Type::d)};
    for (const Case& one : cases) chart.groups.push_back(std::to_string(one.n / 1024));
    for (const Variant& variant : stack) {
        Bars bars{variant.name, {}};
        for (const Case& one : cases) bars.values.push_back(tera(one, e.seconds(one, variant)));
        chart.bars.push_back(std::move(bars));
    }
    return draw(chart);
}

Bars scaling_bars(Evaluator& e, const PaperScaling& row) {
    Bars bars{row.policy, {}, {}};
    const Variant variant{row.policy, row.policy};
    for (std::size_t i = 0; i < scaling_sizes.size(); ++i)
        for (std::size_t g = 1; g < scaling_gpus.size(); ++g) {
            const index_t n = scaling_sizes[i];
            const Case one{Type::d, n, n, n, row.at, 1},
                many{Type::d, n, n, n, row.at, scaling_gpus[g]};
            bars.values.push_back(e.seconds(one, variant) / e.seconds(many, variant));
            bars.marks.push_back(row.on[i][g - 1]);
        }
    return bars;
}

std::string scaling_chart(Evaluator& e, const Place& place) {
    BarChart chart{fmt::format("Strong scaling, FP64, data on {}, simulated", place.name),
                   "n / GPUs",
                   "speed-up over one GPU",
                   {},
                   {},
                   "reported"};
    for (const index_t n : scaling_sizes)
        for (std::size_t g = 1; g < scaling_gpus.size(); ++g)
            chart.groups.push_back(fmt::format("{}K / {}", n / 1024, scaling_gpus[g]));
    for (const PaperScaling& row : paper_scaling)
        if (std::string_view(row.at) == place.at) chart.bars.push_back(scaling_bars(e, row));
    return draw(chart);
}

/// A line for each variant, of what `value` says of it at each size.
template <class F>
std::vector<Line> lines_of(const std::vector<Variant>& variants, const std::vector<index_t>& sizes,
                           F value) {
    std::vector<Line> lines;
    for (const Variant& variant : variants) {
        Line line{variant.name, {}};
        for (const index_t n : sizes)
            line.points.push_back({static_cast<double>(n), value(n, variant)});
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string blasx_rate_chart(Evaluator& e, const std::vector<index_t>& sizes) {
    const auto rate = [&](index_t n, const Variant& variant) {
        const Case one = blasx_case(n, blasx_gpus);
        return tera(one, e.seconds(one, variant));
    };
    return draw(LineChart{"DGEMM, 3 x K40c, data on host, simulated", "m = n = k", "TFLOP/s",
                          lines_of(blasx_variants, sizes, rate), peak_of(e.machine(), Type::d)});
}

std::string blasx_efficiency_chart(Evaluator& e, const std::vector<index_t>& sizes) {
    const auto efficiency = [&](index_t n, const Variant& variant) {
        return 100 * parallel_efficiency(e, blasx_case(n, blasx_gpus), variant);
    };
    return draw(LineChart{"Parallel efficiency of DGEMM, 3 x K40c, data on host, simulated",
                          "m = n = k", "% of three times one GPU",
                          lines_of(blasx_variants, sizes, efficiency)});
}

std::string blasx_volume_chart(Evaluator& e) {
    BarChart chart{fmt::format("DGEMM, n = {}, 3 x K40c: volume, simulated", blasx_volume_size),
                   "GPU: with the host both ways, from its peers",
                   "GB",
                   {},
                   {},
                   "reported"};
    const Case one = blasx_case(blasx_volume_size, blasx_gpus);
    for (int g = 1; g <= blasx_gpus; ++g)
        for (const char* place : {"host", "peers"})
            chart.groups.push_back(fmt::format("{} {}", g, place));
    for (std::size_t v = 0; v < blasx_variants.size(); ++v) {
        Bars bars{blasx_variants[v].name, {}, {}};
        for (std::size_t g = 0; g < blasx_gpus; ++g) {
            const Traffic t = traffic_of(e.machine(), e.run(one, blasx_variants[v]),
                                         e.machine().devices[g].memory);
            const BlasxVolume& reported = blasx_volumes[v][g];
            bars.values.insert(bars.values.end(),
                               {1e-9 * (t.from_host + t.to_host), 1e-9 * t.from_peers});
            bars.marks.insert(bars.marks.end(), {1e-3 * reported.host, 1e-3 * reported.peers});
        }
        chart.bars.push_back(std::move(bars));
    }
    return draw(chart);
}

std::string parsec_tile_chart(Evaluator& e, bool quick) {
    BarChart chart{"DGEMM, n = 70000, V100: share of the peak, simulated",
                   "tile",
                   "% of the practical peak a GPU",
                   {},
                   {},
                   "reported"};
    for (const index_t tile : parsec_tiles(quick)) chart.groups.push_back(std::to_string(tile));
    for (int gpus = 1; gpus <= parsec_gpus; ++gpus) {
        Bars bars{fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s"), {}, {}};
        for (const index_t tile : parsec_tiles(quick)) {
            bars.values.push_back(100 *
                                  peak_share(e, parsec_case(tile, gpus), parsec_variant(tile)));
            bars.marks.push_back(parsec_share(tile, gpus));
        }
        chart.bars.push_back(std::move(bars));
    }
    return draw(chart);
}

std::string parsec_size_chart(Evaluator& e, index_t tile, int gpus) {
    const auto share = [&](index_t n, const Variant& variant) {
        return 100 * peak_share(e, {Type::d, n, n, n, "h", gpus}, variant);
    };
    return draw(LineChart{fmt::format("DGEMM, {} x V100, data on host, simulated", gpus),
                          "m = n = k", "% of the practical peak a GPU",
                          lines_of({parsec_variant(tile), best}, parsec_sizes, share),
                          Level{"peak", 100}});
}

}  // namespace

void draw_uncut(Evaluator& e, const std::string& folder, std::size_t step) {
    const auto write = [&](const std::string& name, const std::string& picture) {
        write_figure(folder, name, picture);
    };
    for (const Place& place : places) {
        write(fmt::format("rate-fp64-{}.svg", place.file), rate_chart(e, Type::d, place, step));
        write(fmt::format("rate-fp32-{}.svg", place.file), rate_chart(e, Type::s, place, step));
        write(fmt::format("stack-{}.svg", place.file), stack_chart(e, place, step));
        write(fmt::format("scaling-{}.svg", place.file), scaling_chart(e, place));
    }
}

void draw_blasx(Evaluator& e, const std::string& folder, const std::vector<index_t>& sizes) {
    write_figure(folder, "blasx-rate.svg", blasx_rate_chart(e, sizes));
    write_figure(folder, "blasx-efficiency.svg", blasx_efficiency_chart(e, sizes));
    write_figure(folder, "blasx-volume.svg", blasx_volume_chart(e));
}

void draw_parsec(Evaluator& e, const std::string& folder, bool quick) {
    write_figure(folder, "parsec-tile.svg", parsec_tile_chart(e, quick));
    for (const int gpus : {parsec_process_gpus, parsec_gpus})
        write_figure(folder, fmt::format("parsec-size-{}.svg", gpus),
                     parsec_size_chart(e, parsec_tile(quick), gpus));
}

}  // namespace gemmill::command
