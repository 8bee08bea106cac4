// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backend/gpu/devices.hpp"
#include "backend/gpu/session/session.hpp"
#include "base/text.hpp"

namespace gemmill {
namespace {

std::shared_ptr<std::byte> allocate_pinned(const GpuDriver& driver, const Memory& memory,
                                           std::size_t bytes) {
    const std::shared_ptr<std::byte> block = allocate_host(memory, bytes);
    require_ok(driver, driver.pin(block.get(), bytes), "pin host memory");
    return {block.get(), [&driver, block](std::byte* data) { driver.unpin(data); }};
}

/// Each once.
std::vector<int> gpus_of(const GpuSetup& setup) {
    std::set<int> all(setup.ordinals.begin(), setup.ordinals.end());
    all.erase(-1);
    return {all.begin(), all.end()};
}

}  // namespace

GpuBackend::State::State(GpuSetup s)
    : setup(std::move(s)),
      timed(*setup.driver, GpuEventKind::timed),
      plain(*setup.driver, GpuEventKind::plain),
      sleeping(*setup.driver, GpuEventKind::sleeping),
      staging(*setup.driver, sleeping, setup.staging),
      lanes(*setup.driver),
      desks(
          lanes, setup.ordinals,
          [this](const Memory& memory, std::size_t bytes) {
              return allocate(find_memory(setup.machine, memory.name), bytes);
          },
          setup.pin > 0 ? 1 : 2),  // what one call pins, another could unpin
      pins(*setup.driver, setup.pin) {}

std::shared_ptr<std::byte> GpuBackend::State::allocate(MemoryId id, std::size_t bytes) const {
    if (bytes == 0) return nullptr;
    const Memory& memory = setup.machine.memories[static_cast<std::size_t>(id)];
    const int device = ordinal(id);
    if (device < 0) return allocate_pinned(driver(), memory, bytes);
    const std::string what =
        fmt::format("{} of {}", human_bytes(static_cast<double>(bytes)), memory.name);
    void* data = nullptr;
    require_ok(driver(), driver().allocate(device, bytes, &data), what);
    return {static_cast<std::byte*>(data),
            [&d = driver(), device](std::byte* p) { d.release(device, p); }};
}

GpuBackend::GpuBackend(GpuSetup setup) : state_(std::make_unique<State>(std::move(setup))) {}
GpuBackend::~GpuBackend() = default;

std::vector<int> GpuBackend::gpus() const { return gpus_of(state_->setup); }

const Machine& GpuBackend::machine() const noexcept { return state_->setup.machine; }

bool GpuBackend::lost(DeviceId device) const noexcept {
    const Device& d = state_->setup.machine.devices[static_cast<std::size_t>(device)];
    return state_->lost.has(state_->ordinal(d.memory));
}

std::unique_ptr<Session> GpuBackend::open(const Plan& plan, const Binding& binding) {
    GpuRun run;
    return open(plan, binding, &run);
}

std::unique_ptr<Session> GpuBackend::open(const Plan& plan, const Binding& binding, GpuRun* run) {
    return open_gpu_session(*state_, plan, binding, *run);
}

void* GpuBackend::allocate(MemoryId memory, std::size_t bytes) {
    auto owner = state_->allocate(memory, bytes);
    return state_->blocks.add(memory, std::move(owner), bytes);
}

void GpuBackend::release(void* pointer) noexcept { state_->blocks.remove(pointer); }

bool GpuBackend::keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept {
    return state_->blocks.keep(pointer, bytes);
}

void GpuBackend::copy(void* to, const void* from, std::size_t bytes) {
    require_ok(state_->driver(), state_->driver().copy_now(to, from, bytes), "copy");
}

std::int64_t GpuBackend::room(MemoryId memory) const {
    const int device = state_->ordinal(memory);
    std::size_t bytes = 0;
    if (device < 0 || state_->driver().free_memory(device, &bytes) != 0)
        return Backend::room(memory);
    const auto sharing = std::ranges::count(state_->setup.ordinals, device);
    return std::min(Backend::room(memory), static_cast<std::int64_t>(bytes) / sharing);
}

MemoryId GpuBackend::locate(const void* pointer) const noexcept {
    if (const MemoryId found = state_->blocks.find(pointer); found >= 0) return found;
    const MemoryId host = find_memory(machine(), "host");
    const MemoryId pageable = find_memory(machine(), pageable_name);
    GpuPlace place{};
    int device = -1;
    if (pointer == nullptr || state_->driver().locate(pointer, &place, &device) != 0) return host;
    if (place == GpuPlace::pageable && pageable >= 0) return pageable;
    if (place != GpuPlace::device) return host;
    for (std::size_t m = 0; m < state_->setup.ordinals.size(); ++m)
        if (state_->setup.ordinals[m] == device) return static_cast<MemoryId>(m);
    return host;
}

}  // namespace gemmill
