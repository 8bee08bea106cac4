// SPDX-License-Identifier: Apache-2.0
// Batches of random shapes: which they are, and how ours stands to its peers over all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "bench/batch/batch.hpp"
#include "command/console.hpp"

namespace gemmill::command {
namespace {

/// The same numbers wherever it runs, unlike the distributions of the standard.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    double number() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    index_t log_uniform(index_t most) {
        const double top = std::log(static_cast<double>(most) + 1);
        return std::min(most, static_cast<index_t>(std::exp(number() * top)));
    }

  private:
    std::mt19937_64 engine_;
};

Op any_op(Dice& dice, bool complex) {
    const double x = dice.number();
    return x < 0.5 ? Op::NoTrans : complex && x < 0.75 ? Op::ConjTrans : Op::Trans;
}

BatchBenchCase random_case(Dice& dice, Type type, index_t most) {
    BatchBenchCase one;
    one.type = type;
    one.m = dice.log_uniform(most), one.n = dice.log_uniform(most), one.k = dice.log_uniform(most);
    one.op_a = any_op(dice, is_complex(type)), one.op_b = any_op(dice, is_complex(type));
    const bool has_gaps = dice.number() < 0.5;
    for (index_t& gap : one.gaps) {
        const auto width = static_cast<index_t>(1 + dice.number() * 7);
        gap = has_gaps ? width : 0;
    }
    one.bytes = std::pow(10, 8 + 1.5 * dice.number());
    return one;
}

double quantile(std::vector<double> of, double part) {
    if (of.empty()) return std::nan("");
    std::ranges::sort(of);
    return of[std::min(of.size() - 1,
                       static_cast<std::size_t>(part * static_cast<double>(of.size())))];
}
double share(const std::vector<double>& of, double least) {
    const auto count = std::ranges::count_if(of, [&](double x) { return x >= least; });
    return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, of.size()));
}
double geometric_mean(const std::vector<double>& of) {
    double sum = 0;
    for (const double x : of) sum += std::log(x);
    return std::exp(sum / static_cast<double>(std::max<std::size_t>(1, of.size())));
}

bool ran(const BatchResult& r) {
    return r.peer() != nullptr && r.peer()->fault.empty() && r.timings[0].fault.empty();
}
double ratio_of(const BatchResult& r) { return r.peer()->seconds / r.timings[0].seconds; }

std::string group_of(const BatchBenchCase& one) {
    const char* kind = one.kind == BatchKind::strided ? "strided" : "pointers";
    return fmt::format("{} {}{}", letter_of(one.type), kind,
                       one.count > 0 ? fmt::format(" count {}", one.count) : "");
}

/// Of what a matrix unit, or multiply-adds, and a memory of this kind could do at once.
bool is_memory_bound(const BatchResult& r) {
    constexpr double flops_of_a_byte = 6;
    return r.flops / r.bytes < flops_of_a_byte;
}

struct Group {
    std::vector<double> ratios, shares;
};

}  // namespace

std::vector<BatchBenchCase> random_batch_cases(const RandomCases& of) {
    std::vector<BatchBenchCase> all;
    const auto types = of.types.size();
    for (std::size_t t = 0; t < types; ++t) {
        const auto type = static_cast<Type>(std::string_view("sdczhb").find(of.types[t]));
        Dice dice(of.seed * 1000003ULL + static_cast<std::uint64_t>(of.types[t]));
        // As many of each type, and what is left of the first ones.
        const auto shapes = (static_cast<std::size_t>(of.shapes) + types - 1 - t) / types;
        for (std::size_t s = 0; s < shapes; ++s) {
            BatchBenchCase one = random_case(dice, type, of.most);
            all.push_back(one);
            one.kind = BatchKind::pointers;
            if (of.pointers) all.push_back(one);
            one.kind = BatchKind::strided;
            for (const index_t count : {1, 10, 100, 1000})
                if (of.few) all.push_back(one), all.back().count = count;
        }
    }
    return all;
}

std::string summary_of_random(const BatchReport& report) {
    std::map<std::string, Group> groups;
    std::map<std::string, double> strided;
    std::map<std::string, std::vector<double>> pointers;
    for (const BatchResult& r : report.results) {
        if (!ran(r)) continue;
        Group& group = groups[group_of(r.one)];
        group.ratios.push_back(ratio_of(r));
        if (is_memory_bound(r) && r.one.count == 0 && !std::isnan(report.copy))
            group.shares.push_back(r.bytes / r.timings[0].seconds / report.copy);
        BatchBenchCase same = r.one;
        same.kind = BatchKind::strided;
        if (r.one.count > 0) continue;
        if (r.one.kind == BatchKind::strided) strided[name_of(same)] = r.timings[0].seconds;
        if (r.one.kind == BatchKind::pointers && strided.contains(name_of(same)))
            pointers[std::string(1, letter_of(r.one.type))].push_back(strided[name_of(same)] /
                                                                      r.timings[0].seconds);
    }
    Table table;
    table.row(
        {"shapes", "number", "mean", "least", ">= 0.93", ">= 0.97", ">= 0.98", "of copy", "tenth"});
    for (const auto& [name, g] : groups)
        table.row({name, fmt::format("{}", g.ratios.size()),
                   fmt::format("{:.2f}", geometric_mean(g.ratios)),
                   fmt::format("{:.2f}", quantile(g.ratios, 0)), percent(share(g.ratios, 0.93)),
                   percent(share(g.ratios, 0.97)), percent(share(g.ratios, 0.98)),
                   g.shares.empty() ? "-" : percent(quantile(g.shares, 0.5)),
                   g.shares.empty() ? "-" : percent(quantile(g.shares, 0.1))});
    std::string text = table.text();
    for (const auto& [type, all] : pointers)
        text += fmt::format("{}: pointers beside strided {:.2f}, at least 0.93 in {}\n", type,
                            geometric_mean(all), percent(share(all, 0.93)));
    return text;
}

std::string draw_ratios(const BatchReport& report) {
    constexpr double width = 860, height = 420, left = 60, bottom = 370, right = 720, top = 30;
    constexpr double least = 0.25, most = 64, largest = 128;
    const auto x_of = [&](double size) {
        return left + (right - left) * std::log(size) / std::log(largest);
    };
    const auto y_of = [&](double ratio) {
        const double at = std::log(std::clamp(ratio, least, most) / least) / std::log(most / least);
        return bottom - (bottom - top) * at;
    };
    static constexpr const char* colors[] = {"#d97706", "#1d4ed8", "#059669",
                                             "#b91c1c", "#7c3aed", "#4b5563"};
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n<text x=\"{}\" y=\"18\">Random shapes: time of the better call of "
        "the peer over ours</text>\n",
        width, height, left);
    for (double r = least; r <= most; r *= 2)
        svg += fmt::format(
            "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>"
            "<text x=\"{4}\" y=\"{5:.1f}\" text-anchor=\"end\">{6}</text>\n",
            left, right, y_of(r), r == 1 ? "#111" : "#ddd", left - 6, y_of(r) + 4, r);
    for (double n = 1; n <= largest; n *= 2)
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                           x_of(n), bottom + 18, n);
    svg += fmt::format("<text x=\"{}\" y=\"{}\">cube root of m n k</text>\n", left, bottom + 38);
    for (const BatchResult& r : report.results)
        if (ran(r) && r.one.count == 0)
            svg += fmt::format(
                "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" stroke=\"{}\"><title>{}: "
                "{:.2f}</title></circle>\n",
                x_of(std::cbrt(static_cast<double>(r.one.m * r.one.n * r.one.k))),
                y_of(ratio_of(r)),
                r.one.kind == BatchKind::strided ? colors[static_cast<int>(r.one.type)] : "none",
                colors[static_cast<int>(r.one.type)], name_of(r.one), ratio_of(r));
    for (int t = 0; t < 5; ++t)
        svg += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", right + 16,
                           top + 20 * t, colors[t], letter_of(static_cast<Type>(t)));
    return svg + fmt::format(
                     "<text x=\"{}\" y=\"{}\">full: strided</text>\n<text x=\"{}\" "
                     "y=\"{}\">ring: pointers</text>\n</svg>\n",
                     right + 16, top + 110, right + 16, top + 130);
}

}  // namespace gemmill::command
