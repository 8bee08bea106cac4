// SPDX-License-Identifier: Apache-2.0
#include "gemmill/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "api/devices.hpp"
#include "api/state.hpp"
#include "backend/cpu/probe.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host_blas.hpp"
#include "plan/access.hpp"
#include "planner/planner.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

using Steady = std::chrono::steady_clock;

double since(Steady::time_point start) {
    return std::chrono::duration<double>(Steady::now() - start).count();
}

/// The context's devices are all of its machine's; the option named them for the backend.
Options planner_options(const Options& options) {
    Options all = options;
    all.devices = "all";
    return all;
}

/// Whether what comes first in `there` is alike `here`, and in all of it.
template <class Thing, class Same>
bool begins_with(const std::vector<Thing>& there, const std::vector<Thing>& here, Same same) {
    return here.size() <= there.size() && std::equal(here.begin(), here.end(), there.begin(), same);
}

/// Whether a plan made for machine `made` can run on `here`, which may have more memories (pageable
/// memory comes last).
bool fits_machine(const Machine& made, const Machine& here) {
    const auto memory = [](const Memory& x, const Memory& y) { return x.kind == y.kind; };
    const auto device = [](const Device& x, const Device& y) { return x.memory == y.memory; };
    const auto link = [](const Link& x, const Link& y) { return x.from == y.from && x.to == y.to; };
    return begins_with(here.memories, made.memories, memory) &&
           made.devices.size() == here.devices.size() &&
           begins_with(here.devices, made.devices, device) &&
           begins_with(here.links, made.links, link);
}

void require_valid(const Plan& plan) {
    const std::vector<std::string> faults = validate(plan);
    require(faults.empty(), Code::invalid_plan, "a valid plan", join(faults, "; "));
}

}  // namespace

Context::State::State(const Options& o) : State(o, open_devices(o)) {}

Context::State::State(Options o, std::unique_ptr<Backend> devices)
    : options(std::move(o)),
      backend(std::move(devices)),
      plans(static_cast<std::size_t>(options.plan_cache)) {
    const bool is_choice = options.devices == "auto" && !direct();
    try {
        open_host_blas(options.host_blas);
        std::string why;
        if (is_choice) cpu = this_machine(why).devices.front();  // the host's own comes first
    } catch (const Error&) {
        if (!is_choice) throw;  // GPUs alone will do
    }
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
    const double rate = cpu->peak[static_cast<std::size_t>(p.type)];
    if (rate <= 0) return false;
    const double there = cpu->launch + flops_of(p) / rate;
    std::vector<DeviceId> all = parse_devices(node, "all");
    const double least = node.call + bound_seconds(node, p, all);
    if (there <= least) return true;
    // Far from the border nobody needs a plan to know.
    constexpr double far = 4;
    double seconds = 0;
    return there < far * least && there < plan(p, &seconds)->prediction.seconds;
}

std::shared_ptr<const Plan> Context::State::plan(const Problem& problem, double* seconds) {
    *seconds = 0;
    if (auto cached = plans.find(problem)) return cached;
    return make(problem, options.device_memory, seconds);
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
    return make(problem, std::max<std::int64_t>(1, cap), seconds);
}

std::shared_ptr<const Plan> Context::State::make(const Problem& problem, std::int64_t cap,
                                                 double* seconds) {
    const auto start = Steady::now();
    Options with_cap = planner_options(options);
    with_cap.device_memory = cap;
    auto made = std::make_shared<const Plan>(make_plan(problem, machine(), with_cap));
    *seconds += since(start);
    if (options.validate) require_valid(*made);
    plans.put(problem, made);
    return made;
}

Context::Context(const Options& options) : state_(std::make_unique<State>(options)) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

const Options& Context::options() const noexcept { return state_->options; }
const Machine& Context::machine() const { return state_->machine(); }

void* Context::allocate(DeviceId device, std::size_t bytes) {
    require(!state_->direct(), Code::no_device, "a context with devices",
            "the host BLAS has no device memory");
    const auto& devices = machine().devices;
    require(device >= 0 && static_cast<std::size_t>(device) < devices.size(), Code::bad_argument,
            "a device of the context", fmt::format("device {}", device));
    return state_->backend->allocate(devices[static_cast<std::size_t>(device)].memory, bytes);
}

void* Context::allocate_host(std::size_t bytes) {
    if (!state_->direct()) return state_->backend->allocate(find_memory(machine(), "host"), bytes);
    const std::lock_guard lock(state_->host_mutex);
    return state_->host_blocks.add(0, gemmill::allocate_host(machine().memories.front(), bytes),
                                   bytes);
}

void Context::release(void* pointer) noexcept {
    if (!state_->direct()) {
        state_->backend->release(pointer);
        return;
    }
    const std::lock_guard lock(state_->host_mutex);
    state_->host_blocks.remove(pointer);
}

void Context::copy(void* to, const void* from, std::size_t bytes) {
    if (state_->direct())
        std::memcpy(to, from, bytes);
    else
        state_->backend->copy(to, from, bytes);
}

MemoryId Context::locate(const void* pointer) const noexcept {
    return state_->direct() ? 0 : state_->backend->locate(pointer);
}

std::shared_ptr<const Plan> Context::plan(const Problem& problem) {
    double seconds = 0;
    return state_->plan(problem, &seconds);
}

void Context::adopt(Plan plan) {
    require(fits_machine(plan.machine, machine()), Code::invalid_plan,
            "the same memories, devices and links",
            fmt::format("the plan was made for machine {}, this is {}", plan.machine.name,
                        machine().name));
    plan.machine = machine();
    plan.slab.resize(plan.machine.memories.size());
    plan.limit.resize(plan.machine.memories.size());
    require_valid(plan);
    const Problem problem = problem_of(plan);
    state_->plans.put(problem, std::make_shared<const Plan>(std::move(plan)));
}

std::size_t Context::cached_plans() const { return state_->plans.size(); }

void Context::observe(std::function<void(const Report&)> observer) {
    const std::lock_guard lock(state_->watch_mutex);
    state_->observer = std::move(observer);
}

void Context::log(std::function<void(std::string_view)> sink) {
    const std::lock_guard lock(state_->watch_mutex);
    state_->sink = std::move(sink);
}

Context& default_context() {
    static Context context;
    return context;
}

}  // namespace gemmill
