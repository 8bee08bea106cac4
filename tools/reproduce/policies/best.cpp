// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce best: what policy best promises, and whether it holds.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command/console.hpp"
#include "command/subcommands.hpp"
#include "reproduce/papers/reported_uncut.hpp"
#include "reproduce/policies/points.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* node = "hgx-a100-8";
constexpr std::size_t quick_step = 9;
constexpr std::size_t shown = 10;  ///< points and faults of one list

// --- what is asked of a point --------------------------------------------------------------------

double over_uncut(const PointPlans& p) { return p.seconds.at(uncut.policy) / p.best(); }

double over_fastest_other(const PointPlans& p) {
    double least = 1e300;
    for (const auto& [policy, seconds] : p.seconds)
        if (policy != best.policy) least = std::min(least, seconds);
    return least / p.best();
}

double bound_share(const PointPlans& p) { return p.bound_seconds / p.best(); }

/// The largest ratio of the time on more GPUs to the time on fewer.
double more_over_fewer(const PointPlans& p) {
    double most = 0;
    for (std::size_t i = 1; i < p.scaling.size(); ++i)
        most = std::max(most, p.scaling[i] / p.scaling[i - 1]);
    return most;
}

double host_reads(const PointPlans& p) { return p.host_reads; }

bool any(const PointPlans&) { return true; }
bool fat_thin(const PointPlans& p) { return p.one.k < p.one.m; }
bool thin_fat(const PointPlans& p) { return p.one.k > p.one.m; }
bool not_square(const PointPlans& p) { return p.one.k != p.one.m; }
bool reads_host(const PointPlans& p) { return p.host_reads > 0; }

template <Type type, char at, index_t least>
bool large_square(const PointPlans& p) {
    const Case& c = p.one;
    return c.type == type && c.at == std::string(1, at) && c.m == c.k && c.m >= least;
}

// --- the claims ----------------------------------------------------------------------------------

/// A value of each point that a claim speaks of must be on the right side of a limit; or their
/// mean.
struct Claim {
    const char* text;
    bool (*applies)(const PointPlans&);
    double (*value)(const PointPlans&);
    bool mean, at_least;
    double limit;
};
constexpr std::array<Claim, 11> claims{{
    {"speed-up over the fastest other policy", any, over_fastest_other, false, true, 1},
    {"mean speed-up over uncut", any, over_uncut, true, true, 1.15},
    {"mean speed-up over uncut, thin-fat", thin_fat, over_uncut, true, true, 1.3},
    {"mean speed-up over uncut, fat-thin", fat_thin, over_uncut, true, true, 1.3},
    {"mean speed-up over uncut, thin-fat and fat-thin", not_square, over_uncut, true, true, 1.3},
    {"share of the bound, FP64 at h, n >= 12288", large_square<Type::d, 'h', 12288>, bound_share,
     false, true, 0.85},
    {"share of the bound, FP32 at h, n >= 12288", large_square<Type::s, 'h', 12288>, bound_share,
     false, true, 0.85},
    {"share of the bound, FP64 at 0, n >= 16384", large_square<Type::d, '0', 16384>, bound_share,
     false, true, 0.9},
    {"share of the bound, FP32 at 0, n >= 16384", large_square<Type::s, '0', 16384>, bound_share,
     false, true, 0.9},
    {"time on 2, 4, 8 GPUs over that on half of them", any, more_over_fewer, false, false, 1.02},
    {"host reads of A and B over their size", reads_host, host_reads, false, false, 1.05},
}};

struct Finding {
    const Claim* claim = nullptr;
    std::size_t points = 0;
    double found = 0;  ///< the mean, or the worst value
    bool holds = true;
    std::vector<std::pair<double, Case>> fails = {};  ///< the worst first; none of a mean
};

bool holds(const Claim& claim, double value) {
    constexpr double rounding = 1e-9;
    return claim.at_least ? value >= claim.limit * (1 - rounding)
                          : value <= claim.limit * (1 + rounding);
}

Finding judge(const Claim& claim, const std::vector<PointPlans>& points) {
    std::vector<std::pair<double, Case>> values;
    for (const PointPlans& point : points)
        if (claim.applies(point)) values.emplace_back(claim.value(point), point.one);
    std::ranges::sort(values);
    if (!claim.at_least) std::ranges::reverse(values);
    Finding finding{&claim, values.size()};
    if (values.empty()) return finding;
    finding.found = values.front().first;
    if (claim.mean) {
        double sum = 0;
        for (const auto& [value, one] : values) sum += value;
        finding.found = sum / static_cast<double>(values.size());
    }
    finding.holds = holds(claim, finding.found);
    for (const auto& [value, one] : values)
        if (!claim.mean && !holds(claim, value)) finding.fails.emplace_back(value, one);
    return finding;
}

std::vector<Finding> judge_all(const std::vector<PointPlans>& points) {
    std::vector<Finding> all;
    for (const Claim& claim : claims) all.push_back(judge(claim, points));
    return all;
}

/// What validate said of all plans.
struct Check {
    int plans = 0;
    std::vector<std::string> faults = {};
};

Check check_of(const std::vector<PointPlans>& points) {
    Check all;
    for (const PointPlans& point : points) {
        all.plans += point.plans;
        std::ranges::copy(point.faults, std::back_inserter(all.faults));
    }
    return all;
}

// --- as text -------------------------------------------------------------------------------------

std::string asked(const Claim& claim) {
    return fmt::format("{} {:.2f}", claim.at_least ? ">=" : "<=", claim.limit);
}

std::string claim_table(const std::vector<Finding>& findings) {
    Table table;
    table.row({"", "points", "asked", "found", "holds"});
    for (const Finding& f : findings)
        table.row({f.claim->text, std::to_string(f.points), asked(*f.claim),
                   f.points > 0 ? fmt::format("{:.3f}", f.found) : "-", f.holds ? "yes" : "no"});
    return table.text();
}

void print_fails(const Finding& finding) {
    if (finding.fails.empty()) return;
    fmt::print("\nNot {}: {}\n", asked(*finding.claim), finding.claim->text);
    Table table;
    for (std::size_t i = 0; i < std::min(shown, finding.fails.size()); ++i)
        table.row(
            {routine_name(finding.fails[i].second), fmt::format("{:.3f}", finding.fails[i].first)});
    fmt::print("{}", table.text());
    if (finding.fails.size() > shown) fmt::print("  and {} more\n", finding.fails.size() - shown);
}

void print_check(const Check& check) {
    fmt::print("\n{} plans of all policies validated, {} faults\n", check.plans,
               check.faults.size());
    for (std::size_t i = 0; i < std::min(shown, check.faults.size()); ++i)
        fmt::print("  {}\n", check.faults[i]);
    if (check.faults.size() > shown) fmt::print("  and {} more\n", check.faults.size() - shown);
}

/// Host reads say nothing of what was brought to the host first.
void print_relays(const std::vector<PointPlans>& points) {
    const auto count =
        std::ranges::count_if(points, [](const PointPlans& p) { return p.relayed > 0; });
    const auto most = std::ranges::max_element(points, {}, &PointPlans::relayed)->relayed;
    fmt::print("\n{} of {} plans of best relay tiles through the host, {} at most\n", count,
               points.size(), human_bytes(static_cast<double>(most)));
}

void print_report(const std::vector<PointPlans>& points, const BestFlags& flags) {
    fmt::print("Policy best on {}, simulated; alpha and beta general\n", node);
    fmt::print("Found is the worst of the points, or their mean where it says so\n\n");
    const std::vector<Finding> findings = judge_all(points);
    fmt::print("{}", claim_table(findings));
    for (const Finding& finding : findings) print_fails(finding);
    print_relays(points);
    if (flags.check) print_check(check_of(points));
}

// --- as JSON -------------------------------------------------------------------------------------

Json to_json(const Finding& finding) {
    Json json{{"claim", finding.claim->text},   {"points", finding.points},
              {"asked", asked(*finding.claim)}, {"found", finding.found},
              {"holds", finding.holds},         {"fails", Json::array()}};
    for (const auto& [value, one] : finding.fails)
        json["fails"].push_back({{"case", routine_name(one)}, {"value", value}});
    return json;
}

Json to_json(const PointPlans& point) {
    const Case& one = point.one;
    Json json{{"type", std::string(1, letter_of(one.type))},
              {"m", one.m},
              {"n", one.n},
              {"k", one.k},
              {"at", one.at},
              {"bound_seconds", point.bound_seconds},
              {"seconds", point.seconds}};
    for (std::size_t i = 0; i < scaling_gpus.size(); ++i)
        json["best_seconds"][std::to_string(scaling_gpus[i])] = point.scaling[i];
    json["host_reads"] = point.host_reads;
    json["relayed"] = point.relayed;
    return json;
}

Json to_json(const std::vector<PointPlans>& points, const BestFlags& flags) {
    Json json{{"machine", node}, {"claims", Json::array()}};
    for (const Finding& finding : judge_all(points)) json["claims"].push_back(to_json(finding));
    const Check check = check_of(points);
    json["plans"] = check.plans;
    if (flags.check) json["faults"] = check.faults;
    json["points"] = Json::array();
    for (const PointPlans& point : points) json["points"].push_back(to_json(point));
    return json;
}

}  // namespace

int reproduce_best(const BestFlags& flags) {
    const std::vector<PointPlans> points =
        look_at(load_machine(node), all_points(flags.quick ? quick_step : 1), flags.check);
    if (flags.json)
        fmt::print("{}\n", to_json(points, flags).dump(2));
    else
        print_report(points, flags);
    return check_of(points).faults.empty() ? ok : failed;
}

}  // namespace gemmill::command
