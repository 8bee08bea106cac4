// SPDX-License-Identifier: Apache-2.0
#include "reproduce/policies/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <set>

#include "command/console.hpp"
#include "planner/policy.hpp"
#include "reproduce/papers/reported_uncut.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

/// work(0) to work(count - 1), in any order on two threads.
void on_two_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    const auto worker = [&] {
        for (std::size_t i = next++; i < count; i = next++) work(i);
    };
    std::future<void> other = std::async(std::launch::async, worker);
    worker();
    other.get();
}

/// Counts the plan and what validate finds in it.
Plan checked_plan(const Machine& machine, const Case& one, const std::string& policy, bool check,
                  PointPlans& point) {
    Plan plan = plan_case(machine, one, {policy, policy}, gpu_subset);
    ++point.plans;
    if (check)
        for (const std::string& fault : validate(plan))
            point.faults.push_back(fmt::format("{}, {}: {}", policy, routine_name(one), fault));
    return plan;
}

/// Bytes fetched over size of A or B, the larger, of those that live on the host.
double host_reads(const Plan& plan, const Statistics& s) {
    double most = 0;
    for (const OperandId operand : {operand::A, operand::B}) {
        const auto i = static_cast<std::size_t>(operand);
        const auto home = static_cast<std::size_t>(plan.operands[i].home);
        if (plan.machine.memories[home].kind != MemoryKind::host) continue;
        most = std::max(most, static_cast<double>(s.read[i]) /
                                  static_cast<double>(needed_bytes(plan.operands[i])));
    }
    return most;
}

PointPlans look_at(const Machine& machine, const Case& one, bool check) {
    PointPlans point{one};
    for (const Policy& policy : policies()) {
        const std::string name(policy.name);
        const Plan plan = checked_plan(machine, one, name, check, point);
        point.seconds[name] = plan.prediction.seconds;
        if (name != best.policy) continue;
        const Statistics s = statistics(plan);
        point.bound_seconds = plan.prediction.bound_seconds;
        point.host_reads = host_reads(plan, s);
        point.relayed = s.relayed;
    }
    for (std::size_t i = 0; i + 1 < scaling_gpus.size(); ++i) {
        Case fewer = one;
        fewer.gpus = scaling_gpus[i];
        point.scaling[i] =
            checked_plan(machine, fewer, best.policy, check, point).prediction.seconds;
    }
    point.scaling.back() = point.seconds[best.policy];
    return point;
}

}  // namespace

std::vector<Case> all_points(std::size_t step) {
    std::set<Case> all;  // the regular FP64 points are irregular ones as well
    const auto add = [&](const std::vector<Case>& some) { all.insert(some.begin(), some.end()); };
    for (const PaperRow& row : paper_regular) add(regular_cases(row.type, row.at, step));
    for (const char* shape : {"square", "fat-thin", "thin-fat"}) add(irregular_cases(shape, step));
    return {all.begin(), all.end()};
}

std::vector<PointPlans> look_at(const Machine& machine, const std::vector<Case>& cases,
                                bool check) {
    std::vector<PointPlans> points(cases.size());
    on_two_threads(cases.size(), [&](std::size_t i) {
        const Progress progress(
            fmt::format("{} of {}: {}", i + 1, cases.size(), routine_name(cases[i])));
        points[i] = look_at(machine, cases[i], check);
    });
    return points;
}

}  // namespace gemmill::command
