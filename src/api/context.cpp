// SPDX-License-Identifier: Apache-2.0
#include "gemmill/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "api/state.hpp"
#include "gemmill/error.hpp"
#include "task/describe.hpp"

namespace gemmill {
namespace {

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

/// What the machine has and the cap allows here, where the plan was made for more.
void keep_to_limits(Plan& plan, std::int64_t cap) {
    for (std::size_t m = 0; m < plan.limit.size(); ++m) {
        const Memory& memory = plan.machine.memories[m];
        plan.limit[m] = std::min(plan.limit[m], memory.capacity);
        if (cap > 0 && memory.kind == MemoryKind::device)
            plan.limit[m] = std::min(plan.limit[m], cap);
    }
}

/// What a forked child holds is its parent's, and stays as it is.
void destroy(Context::State* state) noexcept {
    if (!state->is_ours()) return;
    const std::shared_ptr<std::latch> ended = state->ended;
    delete state;
    ended->count_down();
}

void check_copied(const Context::State& state, const void* data, std::size_t bytes,
                  const char* name) {
    if (data == nullptr)
        throw Error(Code::bad_argument, fmt::format("copy: {} is null", name), "not null");
    if (!state.keeps_to_blocks(data, bytes))
        throw Error(Code::bad_argument,
                    fmt::format("copy: {} bytes reach beyond the memory at {}", bytes, name),
                    "all bytes in one block of allocate()");
}

}  // namespace

Context::Context(const Options& options) : state_(new State(options), destroy) {}
Context::~Context() { end(); }
Context::Context(Context&&) noexcept = default;

Context& Context::operator=(Context&& other) noexcept {
    if (this == &other) return *this;
    end();
    state_ = std::move(other.state_);
    return *this;
}

void Context::end() noexcept {
    if (!state_) return;
    const bool waits = state_->is_ours();
    const std::shared_ptr<std::latch> ended = state_->ended;
    state_.reset();
    if (waits) ended->wait();
}

Context::State& Context::state() const {
    if (state_ == nullptr)
        throw Error(Code::bad_argument, "the context was moved away",
                    "a context that was not moved from");
    return *state_;
}

std::shared_ptr<Context::State> Context::use() const {
    if (const State& now = state(); !now.direct() && !now.is_ours())
        throw Error(Code::no_device,
                    "the context belongs to the process that this one was forked from",
                    "a context that this process made");
    return state_;
}

const Options& Context::options() const { return state().options; }
const Machine& Context::machine() const { return use()->machine(); }

void* Context::allocate(DeviceId device, std::size_t bytes) {
    const auto held = use();
    require(!held->direct(), Code::no_device, "a context with devices",
            "the host BLAS has no device memory");
    const auto& devices = held->machine().devices;
    require(device >= 0 && static_cast<std::size_t>(device) < devices.size(), Code::bad_argument,
            "a device of the context", fmt::format("device {}", device));
    return held->backend->allocate(devices[static_cast<std::size_t>(device)].memory, bytes);
}

void* Context::allocate_host(std::size_t bytes) {
    const auto held = use();
    if (!held->direct())
        return held->backend->allocate(find_memory(held->machine(), "host"), bytes);
    return held->host_blocks.add(0, gemmill::allocate_host(held->machine().memories.front(), bytes),
                                 bytes);
}

void Context::release(void* pointer) noexcept {
    if (!state_ || !state_->is_ours()) return;  // nothing here can be freed
    const auto held = state_;
    held->direct() ? held->host_blocks.remove(pointer) : held->backend->release(pointer);
}

void Context::copy(void* to, const void* from, std::size_t bytes) {
    const auto held = use();
    if (bytes == 0) return;
    check_copied(*held, to, bytes, "to");
    check_copied(*held, from, bytes, "from");
    if (held->direct())
        std::memmove(to, from, bytes);
    else
        held->backend->copy(to, from, bytes);
}

MemoryId Context::locate(const void* pointer) const { return use()->locate(pointer); }

void Context::keep(const void* pointer) { use()->kept.keep(pointer); }
void Context::drop(const void* pointer) { use()->kept.drop(pointer); }

std::shared_ptr<const Plan> Context::plan(const Problem& problem) {
    double seconds = 0;
    return use()->plan(problem, &seconds);
}

void Context::adopt(Plan plan) {
    const auto held = use();
    const Machine& here = held->machine();
    require(held->options.plan_cache > 0, Code::bad_argument, "plan_cache > 0",
            "adopt: the context keeps no plans");
    require(
        fits_machine(plan.machine, here), Code::invalid_plan,
        "the same memories, devices and links",
        fmt::format("the plan was made for machine {}, this is {}", plan.machine.name, here.name));
    plan.machine = here;
    plan.slab.resize(plan.machine.memories.size());
    plan.limit.resize(plan.machine.memories.size());
    keep_to_limits(plan, held->options.device_memory);
    require_valid(plan);
    const Problem problem = problem_of(plan);
    held->adopted = true;
    held->plans.put(problem, std::make_shared<const Plan>(std::move(plan)));
}

std::size_t Context::cached_plans() const { return use()->plans.size(); }

void Context::observe(std::function<void(const Report&)> observer) {
    const auto held = use();
    const std::lock_guard lock(held->watch_mutex);
    held->observer = std::move(observer);
}

void Context::log(std::function<void(std::string_view)> sink) {
    const auto held = use();
    const std::lock_guard lock(held->watch_mutex);
    held->sink = std::move(sink);
}

Context& default_context() {
    static Context context;
    return context;
}

}  // namespace gemmill
