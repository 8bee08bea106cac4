// SPDX-License-Identifier: Apache-2.0
#include "reproduce_figures.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "common.hpp"
#include "figure.hpp"
#include "reproduce_paper.hpp"

namespace gemmill::command {
namespace {

struct Place {
    const char* at;
    const char* name;  ///< in titles
    const char* file;  ///< in file names
};
constexpr std::array<Place, 2> places{{{"h", "host", "host"}, {"0", "GPU 0", "gpu0"}}};

double tera(const Case& one, double seconds) {
    return 2e-12 * static_cast<double>(one.m) * static_cast<double>(one.n) *
           static_cast<double>(one.k) / seconds;
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

}  // namespace

void draw_uncut(Evaluator& e, const std::string& folder, std::size_t step) {
    const auto write = [&](const std::string& name, const std::string& picture) {
        const std::string path = (std::filesystem::path(folder) / name).string();
        write_file(path, picture);
        fmt::print(stderr, "wrote {}\n", path);
    };
    for (const Place& place : places) {
        write(fmt::format("rate-fp64-{}.svg", place.file), rate_chart(e, Type::d, place, step));
        write(fmt::format("rate-fp32-{}.svg", place.file), rate_chart(e, Type::s, place, step));
        write(fmt::format("stack-{}.svg", place.file), stack_chart(e, place, step));
        write(fmt::format("scaling-{}.svg", place.file), scaling_chart(e, place));
    }
}

}  // namespace gemmill::command
