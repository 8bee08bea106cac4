// SPDX-License-Identifier: Apache-2.0
// gemmill sweep: every policy on random problems and machines, and whether `best` keeps its word:
// never slower than a policy it knows, never slower with more devices, planned within its budget.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/plans/plan_problem.hpp"
#include "base/text.hpp"
#include "command/console.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "planner/policy.hpp"
#include "sweep/cases.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* footer =
    "A case is slow when another policy is predicted to be over 1 % faster than best, shrinks "
    "when\n"
    "half of the devices are over 2 % faster than all, and late when the longest of the "
    "threads\n"
    "that plan takes more processor time than the budget: 2 % of the predicted run, at least 5 "
    "ms,\n"
    "at most 0.5 s.\n\n"
    "Examples:\n"
    "  gemmill sweep --seed 7 --count 100\n"
    "  gemmill sweep --seed 7 --only 41 --json";

struct SweepFlags {
    std::string seed = "1", count = "100", only;
    bool json = false, quick = false;
};

constexpr double infinite = std::numeric_limits<double>::infinity();

/// One case and what was found.
struct Found {
    SweepCase one;
    std::map<std::string, double> seconds;  // by policy; none: it found no plan
    double bound = 0, planning = 0, half = infinite;
    double dynamic = infinite;  // as the scheduler alone plans it
    std::string winner;         // which candidate of best it is
    std::vector<std::string> faults;

    double best() const { return seconds.contains("best") ? seconds.at("best") : infinite; }
    /// The fastest other policy.
    std::pair<std::string, double> other() const {
        std::pair<std::string, double> fastest{"", infinite};
        for (const auto& [policy, s] : seconds)
            if (policy != "best" && s < fastest.second) fastest = {policy, s};
        return fastest;
    }
    double slower() const { return best() / other().second; }
    double slower_than_dynamic() const { return best() / dynamic; }
    double shrinks() const { return best() / half; }
    double budget() const { return std::clamp(0.02 * best(), 5e-3, 0.5); }
    bool late() const { return planning > budget(); }
};

/// Processor time of this thread: other programs may come between.
double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Options options_for(const SweepCase& one, std::string_view policy, std::size_t devices) {
    Options options;
    options.policy = policy;
    options.device_memory = one.cap;
    options.devices = "all";
    if (devices > 0) options.devices = devices == 1 ? "0" : fmt::format("0-{}", devices - 1);
    return options;
}

/// Nothing when there is no room, or no way.
std::optional<Plan> try_plan(const SweepCase& one, std::string_view policy, std::size_t devices,
                             const Aside& aside = do_aside, std::vector<Tried>* tried = nullptr) {
    try {
        return plan_problem(one.problem, one.machine, options_for(one, policy, devices), tried,
                            aside);
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
        return std::nullopt;
    }
}

/// What the longest of the threads takes that plan. They may begin others.
double planning_seconds(const SweepCase& one) {
    std::mutex guard;
    double longest = 0;
    const auto note = [&](double start) {
        const double taken = now() - start;
        const std::lock_guard lock(guard);
        longest = std::max(longest, taken);
    };
    const auto timed = [&](const std::function<void()>& work) {
        return do_aside([&note, work] {
            const double start = now();
            work();
            note(start);
        });
    };
    const double start = now();
    try_plan(one, "best", 0, timed);
    note(start);
    return longest;
}

void look_at(Found& found, std::string_view policy, bool check) {
    std::vector<Tried> tried;
    const auto plan = try_plan(found.one, policy, 0, do_aside, &tried);
    if (policy == "best") found.planning = planning_seconds(found.one);
    if (!plan) return;
    const auto fastest = std::ranges::find(tried, plan->prediction.seconds, &Tried::seconds);
    if (policy == "best" && fastest != tried.end()) found.winner = fastest->what;
    found.seconds[std::string(policy)] = plan->prediction.seconds;
    found.bound = plan->prediction.bound_seconds;
    constexpr std::size_t most_checked = 30000;  // steps that are followed in a second
    if (!check || plan->steps.size() > most_checked) return;
    for (const std::string& fault : validate(*plan))
        found.faults.push_back(fmt::format("{}: {}", policy, fault));
}

Found look_at(const SweepCase& one, bool quick) {
    Found found;
    found.one = one;
    look_at(found, "best", true);
    for (const Policy& policy : policies())
        if (!policy.search && (!quick || policy.name == "uncut" || policy.name == "paralia"))
            look_at(found, policy.name, !quick);
    // It plans as a part of best does: no peer, but best must not be slower.
    if (!quick)
        if (const auto plan = try_plan(one, "dynamic", 0)) found.dynamic = plan->prediction.seconds;
    if (const std::size_t devices = one.machine.devices.size(); devices > 1)
        if (const auto plan = try_plan(one, "best", devices / 2))
            found.half = plan->prediction.seconds;
    return found;
}

Json to_json(const Found& f, std::uint64_t number) {
    Json json{{"case", number}, {"problem", describe(f.one)}, {"bound_seconds", f.bound}};
    json["seconds"] = f.seconds;
    json["dynamic_seconds"] = std::isfinite(f.dynamic) ? Json(f.dynamic) : Json();
    json["half_of_the_devices_seconds"] = std::isfinite(f.half) ? Json(f.half) : Json();
    json["fastest"] = f.winner;
    json["planning_seconds"] = f.planning;
    json["budget_seconds"] = std::isfinite(f.best()) ? Json(f.budget()) : Json();
    json["faults"] = f.faults;
    return json;
}

struct Totals {
    int cases = 0, slow = 0, behind = 0, shrinking = 0, late = 0, invalid = 0, no_plan = 0;
    double worst_slow = 0, worst_behind = 0, worst_shrink = 0, worst_late = 0, gain = 0;
    std::vector<double> shares;

    void add(const Found& f) {
        ++cases;
        invalid += f.faults.empty() ? 0 : 1;
        if (!std::isfinite(f.best())) {
            no_plan += std::isfinite(f.other().second) ? 1 : 0;
            return;
        }
        slow += f.slower() > 1.01 ? 1 : 0;
        behind += f.slower_than_dynamic() > 1.01 ? 1 : 0;
        shrinking += f.shrinks() > 1.02 ? 1 : 0;
        late += f.late() ? 1 : 0;
        worst_slow = std::max(worst_slow, f.slower());
        worst_behind = std::max(worst_behind, f.slower_than_dynamic());
        worst_shrink = std::max(worst_shrink, f.shrinks());
        worst_late = std::max(worst_late, f.planning / f.budget());
        gain += std::isfinite(f.other().second) ? f.other().second / f.best() : 1;
        shares.push_back(f.bound / f.best());
    }
    double share_at(double part) const {
        if (shares.empty()) return 0;
        std::vector<double> sorted = shares;
        std::ranges::sort(sorted);
        return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    }
    double mean_gain() const {
        return shares.empty() ? 0 : gain / static_cast<double>(shares.size());
    }
};

std::string marks(const Found& f) {
    std::string text;
    if (f.slower() > 1.01)
        text += fmt::format(" slow: {} is {:.2f} x faster;", f.other().first, f.slower());
    if (f.slower_than_dynamic() > 1.01)
        text += fmt::format(" slow: dynamic is {:.2f} x faster;", f.slower_than_dynamic());
    if (f.shrinks() > 1.02) text += fmt::format(" shrinks: half is {:.2f} x faster;", f.shrinks());
    if (f.late())
        text +=
            fmt::format(" late: {} of {};", human_seconds(f.planning), human_seconds(f.budget()));
    if (!f.faults.empty()) text += " invalid: " + f.faults.front() + ";";
    return text;
}

std::string table(const Totals& t) {
    Table table;
    table.row({"cases", std::to_string(t.cases), ""});
    table.row({"best slower than another policy by over 1 %", std::to_string(t.slow),
               fmt::format("worst {:.2f} x", t.worst_slow)});
    table.row({"mean of fastest other / best", fmt::format("{:.3f}", t.mean_gain()), ""});
    table.row({"best slower than policy dynamic by over 1 %", std::to_string(t.behind),
               fmt::format("worst {:.2f} x", t.worst_behind)});
    table.row({"all devices slower than half of them by over 2 %", std::to_string(t.shrinking),
               fmt::format("worst {:.2f} x", t.worst_shrink)});
    table.row({"planned beyond the budget", std::to_string(t.late),
               fmt::format("worst {:.1f} x", t.worst_late)});
    table.row({"no plan where another policy has one", std::to_string(t.no_plan), ""});
    table.row({"invalid plans", std::to_string(t.invalid), ""});
    table.row({"share of the bound, median", percent(t.share_at(0.5)),
               fmt::format("tenth {}", percent(t.share_at(0.1)))});
    return table.text("");
}

Json to_json(const Totals& t) {
    return {{"cases", t.cases},
            {"slower_than_another", t.slow},
            {"worst_slower", t.worst_slow},
            {"mean_gain", t.mean_gain()},
            {"slower_than_dynamic", t.behind},
            {"worst_slower_than_dynamic", t.worst_behind},
            {"slower_with_more_devices", t.shrinking},
            {"worst_with_more_devices", t.worst_shrink},
            {"late", t.late},
            {"worst_late", t.worst_late},
            {"no_plan", t.no_plan},
            {"invalid", t.invalid},
            {"median_share_of_bound", t.share_at(0.5)},
            {"tenth_share_of_bound", t.share_at(0.1)}};
}

int sweep(const SweepFlags& flags) {
    const auto seed = static_cast<std::uint64_t>(parse_at_least(flags.seed, "--seed", 0));
    auto first = std::uint64_t{0};
    auto end = static_cast<std::uint64_t>(parse_at_least(flags.count, "--count", 1));
    if (!flags.only.empty()) {
        first = static_cast<std::uint64_t>(parse_at_least(flags.only, "--only", 0));
        end = first + 1;
    }
    Totals totals;
    Json list = Json::array();
    for (std::uint64_t i = first; i < end; ++i) {
        const Found found = look_at(sweep_case(seed, i), flags.quick);
        totals.add(found);
        if (flags.json) list.push_back(to_json(found, i));
        const std::string text = marks(found);
        if (!flags.json && (!text.empty() || !flags.only.empty()))
            fmt::print("{} {}:{}\n", i, describe(found.one), text);
        if (!flags.json) std::fflush(stdout);
    }
    if (flags.json)
        fmt::print("{}\n",
                   Json{{"seed", seed}, {"totals", to_json(totals)}, {"cases", list}}.dump(2));
    else
        fmt::print("\n{}", table(totals));
    return totals.invalid == 0 ? ok : failed;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
    CLI::App* sub =
        app.add_subcommand("sweep", "Every policy on random problems and machines, simulated");
    sub->footer(footer);
    const auto flags = std::make_shared<SweepFlags>();
    sub->add_option("--seed", flags->seed, "Of the random problems and machines (default 1)");
    sub->add_option("--count", flags->count, "How many (default 100)");
    sub->add_option("--only", flags->only, "The number of one case");
    sub->add_flag("--quick", flags->quick, "Beside best only uncut and paralia");
    sub->add_flag("--json", flags->json, "All cases and the totals as JSON");
    sub->callback([flags, &action] { action = [flags] { return sweep(*flags); }; });
}

}  // namespace gemmill::command
