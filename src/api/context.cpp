// SPDX-License-Identifier: Apache-2.0
#include "gemmill/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "api/state.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host_blas.hpp"
#include "planner/planner.hpp"

namespace gemmill {
namespace {

using Steady = std::chrono::steady_clock;

double since(Steady::time_point start) {
    return std::chrono::duration<double>(Steady::now() - start).count();
}

/// nullptr for the host BLAS.
std::unique_ptr<Backend> open_devices(const Options& options) {
    options.check();
    const std::string& text = options.devices;
    if (text == "auto" || text == "cpu") return nullptr;
    require(text.starts_with("cpu:"), Code::no_device, "auto, cpu or cpu:N",
            fmt::format("devices: '{}' is not there", text));
    const std::int64_t count = parse_integer(text.substr(4), "devices: cpu:N");
    require(count >= 1 && count <= 64, Code::bad_argument, "1 to 64 devices",
            fmt::format("devices: '{}'", text));
    CpuSetup setup;
    setup.machine = cpu_machine(probe_host(), static_cast<int>(count));
    setup.kernels = host_kernels();
    if (options.threads > 0)
        setup.threads = static_cast<int>(std::min<std::int64_t>(options.threads, 256));
    return std::make_unique<CpuBackend>(std::move(setup));
}

/// The context's devices are all of its machine's; the option named them for the backend.
Options planner_options(const Options& options) {
    Options all = options;
    all.devices = "all";
    return all;
}

/// Whether a plan made for one machine can run on the other.
bool same_shape(const Machine& a, const Machine& b) {
    const auto memory = [](const Memory& x, const Memory& y) { return x.kind == y.kind; };
    const auto device = [](const Device& x, const Device& y) { return x.memory == y.memory; };
    const auto link = [](const Link& x, const Link& y) { return x.from == y.from && x.to == y.to; };
    return std::ranges::equal(a.memories, b.memories, memory) &&
           std::ranges::equal(a.devices, b.devices, device) &&
           std::ranges::equal(a.links, b.links, link);
}

void require_valid(const Plan& plan) {
    const std::vector<std::string> faults = validate(plan);
    require(faults.empty(), Code::invalid_plan, "a valid plan", join(faults, "; "));
}

}  // namespace

Context::State::State(Options o)
    : options(std::move(o)),
      backend(open_devices(options)),
      plans(static_cast<std::size_t>(options.plan_cache)) {
    open_host_blas(options.host_blas);
}

const Machine& Context::State::machine() {
    if (!direct()) return backend->machine();
    std::call_once(probed, [&] { host = probe_host(); });
    return host;
}

std::shared_ptr<const Plan> Context::State::plan(const Problem& problem, double* seconds) {
    *seconds = 0;
    if (auto cached = plans.find(problem)) return cached;
    const auto start = Steady::now();
    auto made =
        std::make_shared<const Plan>(make_plan(problem, machine(), planner_options(options)));
    *seconds = since(start);
    if (options.validate) require_valid(*made);
    plans.put(made);
    return made;
}

Context::Context(Options options) : state_(std::make_unique<State>(std::move(options))) {}
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

void Context::release(void* pointer) noexcept {
    if (!state_->direct()) state_->backend->release(pointer);
}

MemoryId Context::locate(const void* pointer) const noexcept {
    return state_->direct() ? 0 : state_->backend->locate(pointer);
}

std::shared_ptr<const Plan> Context::plan(const Problem& problem) {
    double seconds = 0;
    return state_->plan(problem, &seconds);
}

void Context::adopt(Plan plan) {
    require(same_shape(plan.machine, machine()), Code::invalid_plan,
            "the same memories, devices and links",
            fmt::format("the plan was made for machine {}, this is {}", plan.machine.name,
                        machine().name));
    plan.machine = machine();
    require_valid(plan);
    state_->plans.put(std::make_shared<const Plan>(std::move(plan)));
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
