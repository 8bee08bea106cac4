// SPDX-License-Identifier: Apache-2.0
#include "api/state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

#include "api/open/devices.hpp"
#include "api/plans/plan_problem.hpp"
#include "backend/cpu/probe.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "planner/planner.hpp"
#include "planner/policy.hpp"
#include "planner/search/budget.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

using Steady = std::chrono::steady_clock;

constexpr double worth_a_choice = 1e-3;  // seconds; shorter calls would notice what it costs

double since(Steady::time_point start) {
    return std::chrono::duration<double>(Steady::now() - start).count();
}

/// The context's devices are all of its machine's, the option named them for the backend; less
/// those that were lost. With none left a plan for all of them says so when it is opened.
std::string devices_left(const Backend* backend) {
    if (backend == nullptr) return "all";
    std::vector<std::string> left;
    const std::vector<Device>& all = backend->machine().devices;
    for (DeviceId d = 0; d < std::ssize(all); ++d)
        if (!backend->lost(d)) left.push_back(all[static_cast<std::size_t>(d)].name);
    return left.empty() || left.size() == all.size() ? "all" : join(left, ",");
}

bool all_lost(const Backend& backend) {
    for (DeviceId d = 0; d < std::ssize(backend.machine().devices); ++d)
        if (!backend.lost(d)) return false;
    return true;
}

/// Options that no plan could be made with are refused before anything is opened, on the host too.
const Options& checked(const Options& options) {
    options.check();
    resolve_policy(options);
    return options;
}

}  // namespace

void require_valid(const Plan& plan) {
    const std::vector<std::string> faults = validate(plan);
    require(faults.empty(), Code::invalid_plan, "a valid plan", join(faults, "; "));
}

Context::State::State(const Options& o) : State(o, open_devices(checked(o))) {}

Context::State::State(Options o, OpenDevices devices)
    : options(std::move(o)),
      backend(std::move(devices.backend)),
      gpus(devices.gpus),
      plans(static_cast<std::size_t>(options.plan_cache)),
      scheduled(static_cast<std::size_t>(options.plan_cache)),
      process(::getpid()),
      ended(std::make_shared<std::latch>(1)) {
    const bool is_choice = options.devices == "auto" && !direct();
    try {
        open_host_blas(options.host_blas);
        if (is_choice) cpu = devices.host;
    } catch (const Error&) {
        if (!is_choice) throw;  // GPUs alone will do
    }
    // What most programs call; kernels of other types are loaded by the first call of theirs.
    if (gpus != nullptr) gpus->load(Type::d);
}

bool Context::State::is_ours() const noexcept { return process == ::getpid(); }

MemoryId Context::State::locate(const void* pointer) const noexcept {
    return direct() ? 0 : backend->locate(pointer);
}

bool Context::State::keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept {
    return direct() ? host_blocks.keep(pointer, bytes) : backend->keeps_to_blocks(pointer, bytes);
}

const Machine& Context::State::machine() {
    if (!direct()) return backend->machine();
    std::call_once(probed, [&] { host = probe_host(); });
    return host;
}

Team& Context::State::team() {
    std::call_once(made_team, [&] {
        const std::int64_t wanted = options.threads > 0 ? options.threads : host_facts().cores;
        threads =
            std::make_unique<Team>(static_cast<int>(std::clamp<std::int64_t>(wanted, 1, 256)));
    });
    return *threads;
}

bool Context::State::prefers_host(const Problem& p) {
    if (!cpu) return false;
    const Machine& node = machine();
    for (const MemoryId home : p.home)
        if (node.memories[static_cast<std::size_t>(home)].kind != MemoryKind::host) return false;
    if (all_lost(*backend)) return true;
    const double rate = cpu->peak[static_cast<std::size_t>(p.type)];
    if (rate <= 0) return false;
    const double there = cpu->launch + flops_of(p) / rate;
    const std::vector<DeviceId> left = parse_devices(node, devices_left(backend.get()));
    const double least = bound_seconds(node, p, left);
    if (there <= least) return true;
    // Far from the border nobody needs a plan to know.
    constexpr double far = 4;
    double seconds = 0;
    return there < far * least && there < plan(p, &seconds)->prediction.seconds;
}

std::shared_ptr<const Plan> Context::State::cached(PlanCache& cache, const Problem& problem) const {
    auto plan = cache.find(problem);
    const auto lost = [&](DeviceId device) { return backend && backend->lost(device); };
    return plan && std::ranges::any_of(plan->devices, lost) ? nullptr : plan;
}

std::shared_ptr<const Plan> Context::State::plan(const Problem& problem, double* seconds) {
    *seconds = 0;
    if (auto found = cached(plans, problem)) return found;
    return make(problem, options.device_memory, seconds);
}

std::shared_ptr<const Plan> Context::State::plan_of_call(const Problem& problem, double* seconds) {
    auto found = plan(problem, seconds);
    if (!may_search_again(*found)) return found;
    const double search = budget_again(found->prediction.seconds, plans.count(problem));
    return search > 0 ? searched(problem, std::move(found), search, seconds) : found;
}

bool Context::State::may_search_again(const Plan& plan) const {
    return plan.prediction.seconds >= worth_a_choice && options.policy == "auto" &&
           options.search.empty() && options.tile == 0 && !adopted;
}

/// What is hardly predicted to be faster is not worth other bits. Whatever fails, there is a plan.
std::shared_ptr<const Plan> Context::State::searched(const Problem& problem,
                                                     std::shared_ptr<const Plan> found,
                                                     double search, double* seconds) {
    constexpr double plainly = 0.98;
    try {
        Options longer = options;
        longer.search = fmt::format("{:.6f}s", search);
        auto made = make_by(longer, problem, seconds);
        if (made->prediction.seconds > plainly * found->prediction.seconds) return found;
        plans.try_out(problem, made);
        return made;
    } catch (const Error&) {
        return found;
    } catch (const std::bad_alloc&) {
        return found;
    }
}

std::shared_ptr<const Plan> Context::State::plan_smaller(const Problem& problem, const Plan& large,
                                                         double* seconds) {
    std::int64_t cap = std::numeric_limits<std::int64_t>::max();
    for (std::size_t m = 0; m < large.slab.size(); ++m) {
        if (large.slab[m] == 0 || large.machine.memories[m].kind == MemoryKind::host) continue;
        const std::int64_t room = backend->room(static_cast<MemoryId>(m)) / 10 * 9;
        // Room that is there and could not be had is in pieces.
        cap = std::min({cap, room, large.slab[m] / 4 * 3});
    }
    return make(problem, std::max<std::int64_t>(1, cap), seconds, never_counted);
}

std::shared_ptr<const Plan> Context::State::make(const Problem& problem, std::int64_t cap,
                                                 double* seconds, std::int64_t counted) {
    Options with_cap = options;
    with_cap.device_memory = cap;
    auto made = make_by(with_cap, problem, seconds);
    plans.put(problem, made, counted);
    return made;
}

std::shared_ptr<const Plan> Context::State::make_by(Options how, const Problem& problem,
                                                    double* seconds) {
    how.devices = devices_left(backend.get());
    const auto start = Steady::now();
    auto made = std::make_shared<const Plan>(plan_problem(problem, machine(), how));
    *seconds += since(start);
    if (options.validate) require_valid(*made);
    return made;
}

std::shared_ptr<const Plan> Context::State::scheduled_plan(const Problem& problem,
                                                           double* seconds) {
    *seconds = 0;
    if (auto found = cached(scheduled, problem)) return found;
    Options how = options;
    how.policy = "dynamic";
    auto made = make_by(how, problem, seconds);
    scheduled.put(problem, made);
    return made;
}

bool Context::State::chooses(const Plan& plan) const {
    return plan.devices.size() > 1 && plan.prediction.seconds >= worth_a_choice &&
           options.policy == "auto" && !adopted;
}

}  // namespace gemmill
