// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>

#include "backend/gpu/devices.hpp"
#include "backend/gpu/session/session.hpp"
#include "backend/gpu/staging/pages.hpp"
#include "base/text.hpp"

namespace gemmill {
namespace {

std::shared_ptr<std::byte> allocate_pinned(const GpuDriver& driver, const Memory& memory,
                                           std::size_t bytes, int threads) {
    const std::shared_ptr<std::byte> block = allocate_host(memory, bytes);
    if (bytes >= large_page) make_large_pages(block.get(), static_cast<index_t>(bytes), threads);
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
      streams(*setup.driver),
      lanes(*setup.driver),
      desks(
          lanes, setup.ordinals,
          [this](const Memory& memory, std::size_t bytes) {
              return allocate(find_memory(setup.machine, memory.name), bytes);
          },
          setup.pin > 0 ? 1 : 2),  // what one call pins, another could unpin
      pins(*setup.driver, setup.pin),
      loader(*setup.driver, gpus_of(setup)) {}

std::shared_ptr<std::byte> GpuBackend::State::allocate(MemoryId id, std::size_t bytes) const {
    if (bytes == 0) return nullptr;
    const Memory& memory = setup.machine.memories[static_cast<std::size_t>(id)];
    const int device = ordinal(id);
    if (device < 0) return allocate_pinned(driver(), memory, bytes, setup.staging.threads);
    const std::string what =
        fmt::format("{} of {}", human_bytes(static_cast<double>(bytes)), memory.name);
    void* data = nullptr;
    require_ok(driver(), driver().allocate(device, bytes, &data), what);
    return {static_cast<std::byte*>(data),
            [&d = driver(), device](std::byte* p) { d.release(device, p); }};
}

GpuBackend::GpuBackend(GpuSetup setup) : state_(std::make_unique<State>(std::move(setup))) {}
GpuBackend::~GpuBackend() = default;

void GpuBackend::load(Type type) { state_->loader.load(type); }

std::vector<int> GpuBackend::gpus() const { return gpus_of(state_->setup); }

const Machine& GpuBackend::machine() const noexcept { return state_->setup.machine; }

bool GpuBackend::lost(DeviceId device) const noexcept {
    return state_->lost.has(state_->gpu_of(device));
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

/// A stream for a few copies, and an event that says when they are done.
class GpuBackend::Copies {
  public:
    Copies(State& state, DeviceId device) : state_(state), gpu_(state.gpu_of(device)) {
        int fault = state.streams.take(gpu_, &stream_);
        if (fault == 0) fault = state.plain.take(gpu_, &event_);
        if (fault != 0) give_back();
        require_ok(state.driver(), fault, "a stream for copies");
    }
    ~Copies() { give_back(); }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    Lane lane() const { return {gpu_, stream_, nullptr}; }
    /// The first of all faults.
    int end(int fault) const {
        const int recorded = state_.driver().record(event_, stream_);
        const int ended = recorded == 0 ? state_.driver().synchronize(event_) : recorded;
        return fault != 0 ? fault : ended;
    }

  private:
    void give_back() {
        if (stream_ != nullptr) state_.streams.give(gpu_, stream_);
        if (event_ != nullptr) state_.plain.give(gpu_, event_);
    }
    State& state_;
    int gpu_;
    GpuStream* stream_ = nullptr;
    GpuEvent* event_ = nullptr;
};

void GpuBackend::copy(DeviceId device, const CopyArgs& block) {
    const Copies copies(*state_, device);
    const int fault = state_->driver().copy(copies.lane().stream, block, {});
    require_ok(state_->driver(), copies.end(fault), "copy a block");
}

void GpuBackend::upload(DeviceId device, std::span<const CopyArgs> blocks) {
    const Copies copies(*state_, device);
    std::mutex mutex;
    std::condition_variable changed;
    int fault = 0;
    std::size_t issued = 0;
    const auto count = [&](int code) {
        const std::lock_guard lock(mutex);
        if (fault == 0) fault = code;
        ++issued;
        changed.notify_all();
    };
    std::deque<Staging::Move> moves;
    for (const CopyArgs& block : blocks) {
        Staging::Move& move = moves.emplace_back();
        move.args = block, move.lane = copies.lane(), move.issued = count;
        state_->staging.begin(move);
        if (const auto done = state_->staging.release(move)) count(*done);
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return issued == blocks.size(); });
    require_ok(state_->driver(), copies.end(fault), "copy blocks to a device");
}

std::shared_ptr<std::byte[]> GpuBackend::allocate_shared(DeviceId device, std::size_t bytes,
                                                         GpuSharedBlock& name) {
    const int gpu = state_->gpu_of(device);
    const GpuDriver& driver = state_->driver();
    void* data = nullptr;
    require_ok(driver, driver.allocate(gpu, bytes, &data),
               fmt::format("{} for panels", human_bytes(static_cast<double>(bytes))));
    std::shared_ptr<std::byte[]> block(static_cast<std::byte*>(data),
                                       [&driver, gpu](std::byte* x) { driver.release(gpu, x); });
    require_ok(driver, driver.share(gpu, data, &name), "share memory of a GPU");
    return block;
}

std::shared_ptr<std::byte[]> GpuBackend::open_shared(DeviceId device, const GpuSharedBlock& name) {
    const int gpu = state_->gpu_of(device);
    const GpuDriver& driver = state_->driver();
    void* data = nullptr;
    require_ok(driver, driver.open_shared(gpu, name, &data),
               "see the memory of another process on a GPU");
    return {static_cast<std::byte*>(data),
            [&driver, gpu](std::byte* x) { driver.close_shared(gpu, x); }};
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
