// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce uncut: the evaluation of Uncut-GEMMs, and policy best on the same points.
#include <fmt/format.h>

#include <algorithm>

#include "command/values.hpp"
#include "reproduce/papers/figures.hpp"
#include "reproduce/papers/reported_uncut.hpp"
#include "reproduce/report.hpp"

namespace gemmill::command {
namespace {

constexpr const char* node = "hgx-a100-8";

/// Mean of seconds of `slow` over seconds of `quick`.
double mean_speedup(Evaluator& e, const std::vector<Case>& cases, const Variant& slow,
                    const Variant& quick) {
    double sum = 0;
    for (const Case& one : cases) sum += e.seconds(one, slow) / e.seconds(one, quick);
    return sum / static_cast<double>(cases.size());
}

Section stack_section(Evaluator& e, std::size_t step) {
    Section section{"stack",
                    "Optimisations one by one, FP64, 8 GPUs: mean speed-up over the one before",
                    {"host", "GPU 0"}};
    for (std::size_t i = 1; i < stack.size(); ++i) {
        ReportRow row{i + 1 < stack.size() ? stack[i].name : "+ late C, ETA order = uncut", {}};
        for (std::size_t p = 0; p < 2; ++p) {
            const auto cases = regular_cases(Type::d, p == 0 ? "h" : "0", step);
            row.cells.push_back(
                {paper_stack[i - 1][p], mean_speedup(e, cases, stack[i - 1], stack[i])});
        }
        section.rows.push_back(std::move(row));
    }
    return section;
}

ReportRow over_peers(Evaluator& e, const std::string& label, const std::vector<Case>& cases,
                     const std::array<double, 3>& paper) {
    ReportRow row{label, {}};
    for (std::size_t i = 0; i < peers.size(); ++i)
        row.cells.push_back({paper[i], mean_speedup(e, cases, peers[i], uncut)});
    return row;
}

std::vector<std::string> peer_columns() {
    std::vector<std::string> names;
    for (const Variant& peer : peers) names.push_back("over " + peer.name);
    return names;
}

Section regular_section(Evaluator& e, std::size_t step) {
    Section section{"regular", "Mean speed-up of uncut, regular data set, 8 GPUs", peer_columns()};
    for (const PaperRow& row : paper_regular)
        section.rows.push_back(
            over_peers(e, row.name, regular_cases(row.type, row.at, step), row.over));
    return section;
}

/// The cases of a row of paper_irregular.
std::vector<Case> shape_cases(const std::string& shape, std::size_t step) {
    if (shape != "all") return irregular_cases(shape, step);
    std::vector<Case> all;
    for (const char* one : {"square", "fat-thin", "thin-fat"})
        std::ranges::copy(irregular_cases(one, step), std::back_inserter(all));
    return all;
}

Section irregular_section(Evaluator& e, std::size_t step) {
    Section section{"irregular", "Mean speed-up of uncut, irregular data set, FP64, 8 GPUs",
                    peer_columns()};
    for (const PaperShape& row : paper_irregular) {
        const std::vector<Case> cases = shape_cases(row.name, step);
        section.rows.push_back(
            over_peers(e, fmt::format("{} ({} points)", row.name, cases.size()), cases, row.over));
    }
    return section;
}

double scaling(Evaluator& e, const PaperScaling& row, index_t n, int gpus) {
    const Variant variant{row.policy, row.policy};
    const Case one{Type::d, n, n, n, row.at, 1};
    Case many = one;
    many.gpus = gpus;
    return e.seconds(one, variant) / e.seconds(many, variant);
}

Section scaling_section(Evaluator& e) {
    Section section{
        "scaling", "Strong scaling, FP64: speed-up over one GPU", {"2 GPUs", "4 GPUs", "8 GPUs"}};
    for (const PaperScaling& row : paper_scaling)
        for (std::size_t i = 0; i < scaling_sizes.size(); ++i) {
            const index_t n = scaling_sizes[i];
            ReportRow cells{
                fmt::format("{} n = {:>5}, {}", *row.at == 'h' ? "host " : "GPU 0", n, row.policy),
                {}};
            for (std::size_t g = 0; g < 3; ++g)
                cells.cells.push_back({row.on[i][g], scaling(e, row, n, scaling_gpus[g + 1])});
            section.rows.push_back(std::move(cells));
        }
    return section;
}

/// A named group of points on which best is judged.
struct Group {
    std::string name;
    std::vector<Case> cases;
};

std::vector<Group> groups(std::size_t step) {
    std::vector<Group> all;
    for (const PaperRow& row : paper_regular)
        all.push_back({row.name, regular_cases(row.type, row.at, step)});
    for (const PaperShape& row : paper_irregular)
        all.push_back({fmt::format("irregular, {}", row.name), shape_cases(row.name, step)});
    Group scaled{"strong scaling", {}};
    for (const char* at : {"h", "0"})
        for (const index_t n : scaling_sizes)
            for (const int gpus : scaling_gpus)
                scaled.cases.push_back({Type::d, n, n, n, at, gpus});
    all.push_back(std::move(scaled));
    return all;
}

Section best_section(Evaluator& e, std::size_t step) {
    Section section{"best",
                    "Policy best: speed-up over uncut, and the share of the time bound of both",
                    {"mean", "least", "most", "bound, uncut", "best"}};
    for (const Group& group : groups(step)) {
        double sum = 0, least = 1e300, most = 0, share_uncut = 0, share_best = 0;
        for (const Case& one : group.cases) {
            const Simulated theirs = e.run(one, uncut), ours = e.run(one, best);
            const double ratio = theirs.seconds / ours.seconds;
            sum += ratio;
            least = std::min(least, ratio);
            most = std::max(most, ratio);
            share_uncut += theirs.bound_seconds / theirs.seconds;
            share_best += ours.bound_seconds / ours.seconds;
        }
        const auto count = static_cast<double>(group.cases.size());
        ReportRow row{fmt::format("{} ({})", group.name, group.cases.size()), {}};
        for (const double value :
             {sum / count, least, most, share_uncut / count, share_best / count})
            row.cells.push_back({not_reported, value});
        section.rows.push_back(std::move(row));
    }
    return section;
}

}  // namespace

int reproduce_uncut(const PaperFlags& flags) {
    if (!flags.out.empty()) make_folder(flags.out);
    const std::size_t step = flags.quick ? 3 : 1;
    Evaluator e(load_machine(node));
    const std::vector<Section> sections{stack_section(e, step), regular_section(e, step),
                                        scaling_section(e), irregular_section(e, step),
                                        best_section(e, step)};
    if (!flags.out.empty()) draw_uncut(e, flags.out, step);
    return report(e, sections, flags.json);
}

}  // namespace gemmill::command
