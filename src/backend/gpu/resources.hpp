// SPDX-License-Identifier: Apache-2.0
// Streams, events and handles of a driver, opened once and used again by every call.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/gpu_driver.hpp"
#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"

namespace gemmill {

/// What kernels of a device have for themselves, of each queue.
GpuRoom room_of(const Machine& machine, const Device& device);

/// Code::out_of_memory, no_device (lost) or failed_step.
Code code_of(const GpuDriver& driver, int fault);
/// Throws Error when fault is not 0; `what` names what was tried.
void require_ok(const GpuDriver& driver, int fault, const std::string& what);

/// GPUs that failed in such a way that this process cannot use them any more, by the driver's
/// number. Safe to use from several threads.
class LostGpus {
  public:
    void add(int gpu);
    bool has(int gpu) const noexcept;

  private:
    std::atomic<bool> any_ = false;
    mutable std::mutex mutex_;
    std::set<int> gpus_;
};

/// Streams or events that are not in use, by device. Safe to use from several threads.
template <class T>
class GpuPool {
  public:
    using Open = std::function<int(int device, T** made)>;
    GpuPool(Open open, void (*close)(T*)) : open_(std::move(open)), close_(close) {}
    ~GpuPool() {
        for (const auto& [device, all] : free_)
            for (T* one : all) close_(one);
    }
    GpuPool(const GpuPool&) = delete;
    GpuPool& operator=(const GpuPool&) = delete;

    /// 0 or the driver's fault.
    int take(int device, T** one) {
        {
            const std::lock_guard lock(mutex_);
            std::vector<T*>& free = free_[device];
            if (!free.empty()) {
                *one = free.back();
                free.pop_back();
                return 0;
            }
        }
        return open_(device, one);
    }
    void give(int device, T* one) {
        const std::lock_guard lock(mutex_);
        free_[device].push_back(one);
    }

  private:
    Open open_;
    void (*close_)(T*);
    std::mutex mutex_;
    std::map<int, std::vector<T*>> free_;
};

struct EventPool : GpuPool<GpuEvent> {
    EventPool(const GpuDriver& driver, GpuEventKind kind)
        : GpuPool(
              [&driver, kind](int device, GpuEvent** made) {
                  return driver.open_event(device, kind, made);
              },
              driver.close_event) {}
};
struct StreamPool : GpuPool<GpuStream> {
    explicit StreamPool(const GpuDriver& driver)
        : GpuPool([&driver](int device,
                            GpuStream** made) { return driver.open_stream(device, false, made); },
                  driver.close_stream) {}
};

/// A stream, and where kernels run in it, what they need.
struct Lane {
    int device = 0;
    GpuStream* stream = nullptr;
    GpuBlas* blas = nullptr;
};

/// The lanes of all plans: the nth queue of a device is the same lane in every plan. Copies from
/// one GPU to another, or between it and the host, share a lane whatever devices it is divided
/// into: one engine does them all, and in the order of the plan only when they come through one
/// stream. So do those of sessions that are open at once, the first come first; each has compute
/// lanes of its own. Safe to use from several threads.
class Lanes {
  public:
    explicit Lanes(const GpuDriver& driver) : driver_(driver) {}
    ~Lanes();
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    /// Of each queue of the plan, for a session of this number; `ordinals` are the driver's numbers
    /// of memories, -1 the host.
    std::vector<Lane> of(const Plan& plan, const std::vector<int>& ordinals, int session);
    /// A stream of the device for marks in time.
    GpuStream* clock_of(int device);

  private:
    enum class Use { compute, urgent, copy, clock };
    using Key = std::tuple<Use, int, int, int>;  // with what tells lanes of one use apart
    const Lane& open(const Key& key, int device, bool urgent, const GpuRoom& room = {});

    const GpuDriver& driver_;
    std::mutex mutex_;
    std::map<Key, Lane> lanes_;
};

}  // namespace gemmill
