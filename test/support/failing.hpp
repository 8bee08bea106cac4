// SPDX-License-Identifier: Apache-2.0
// Things that break when they are told to: kernels, memory, single steps of a backend.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "gemmill/error.hpp"
#include "kernel/reference/level3.hpp"
#include "kernel/reference/reference.hpp"

namespace gemmill::test {

constexpr int never = std::numeric_limits<int>::max();

/// Calls until the kernels below throw.
inline std::atomic<int> kernel_calls_left = never;

inline void count_kernel_call() {
    if (kernel_calls_left.fetch_sub(1) == 0) throw std::runtime_error("the kernel broke");
}
inline Kernels breakable_kernels() {
    return {[](const GemmArgs& args) { count_kernel_call(), reference_gemm(args); },
            [](const AddArgs& args) { count_kernel_call(), reference_add(args); },
            [](const Level3Args& args) { count_kernel_call(), reference_level3(args); },
            [](const MirrorArgs& args) { count_kernel_call(), reference_mirror(args); }};
}

/// Host memory that counts what it hands out, and refuses the call with number `fails`.
struct CountedMemory {
    std::atomic<std::int64_t> bytes_now = 0, bytes_peak = 0;
    std::atomic<int> calls = 0, fails = never;

    std::shared_ptr<std::byte> get(const Memory& memory, std::size_t bytes) {
        require(calls++ != fails, Code::out_of_memory, "room",
                "memory " + memory.name + " is full");
        const auto inner = allocate_host(memory, bytes);
        const auto size = static_cast<std::int64_t>(bytes);
        bytes_now += size;
        bytes_peak = std::max(bytes_peak.load(), bytes_now.load());
        return {inner.get(), [this, inner, size](std::byte*) { bytes_now -= size; }};
    }
    Allocate allocate() {
        return [this](const Memory& memory, std::size_t bytes) { return get(memory, bytes); };
    }
};

/// Passes everything on but one step, which fails at once or after all that does not need it.
class FailingSession final : public Session {
  public:
    FailingSession(std::unique_ptr<Session> inner, const Plan& plan, StepId fails, bool at_once)
        : inner_(std::move(inner)), plan_(plan), fails_(fails), at_once_(at_once) {}

    void submit(StepId id) override {
        const Step& step = plan_.steps[static_cast<std::size_t>(id)];
        dropped_.resize(plan_.steps.size());
        bool dropped = id == fails_ || queue_dropped(step.queue);
        for (const StepId wait : waits_of(plan_, step))
            dropped = dropped || dropped_[static_cast<std::size_t>(wait)];
        dropped_[static_cast<std::size_t>(id)] = dropped;
        if (!dropped) inner_->submit(id);
    }

    std::optional<Completion> next() override {
        if (!at_once_ || told_)
            if (auto done = inner_->next()) return done;
        if (told_) return std::nullopt;
        told_ = true;
        return Completion{fails_, {}, Code::failed_step, "told to fail"};
    }

  private:
    bool queue_dropped(QueueId queue) const {
        for (std::size_t i = 0; i < dropped_.size(); ++i)
            if (dropped_[i] && plan_.steps[i].queue == queue) return true;
        return false;
    }

    std::unique_ptr<Session> inner_;
    const Plan& plan_;
    StepId fails_;
    bool at_once_, told_ = false;
    std::vector<bool> dropped_;
};

class FailingBackend final : public Backend {
  public:
    explicit FailingBackend(Backend& inner) : inner_(inner) {}
    StepId fails = -1;  ///< -1: none
    bool at_once = true;

    const Machine& machine() const noexcept override { return inner_.machine(); }
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override {
        auto session = inner_.open(plan, binding);
        if (fails < 0) return session;
        return std::make_unique<FailingSession>(std::move(session), plan, fails, at_once);
    }
    void* allocate(MemoryId memory, std::size_t bytes) override {
        return inner_.allocate(memory, bytes);
    }
    void release(void* pointer) noexcept override { inner_.release(pointer); }
    MemoryId locate(const void* pointer) const noexcept override { return inner_.locate(pointer); }
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept override {
        return inner_.keeps_to_blocks(pointer, bytes);
    }

  private:
    Backend& inner_;
};

}  // namespace gemmill::test
