// SPDX-License-Identifier: Apache-2.0
// What all measurements of a GPU use.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "backend/gpu_driver.hpp"
#include "gemmill/error.hpp"

namespace gemmill::command {

inline constexpr std::size_t mebi = std::size_t{1} << 20;
inline constexpr std::size_t copy_bytes = 512 * mebi;
inline constexpr std::size_t least_operand = 1024 * mebi;  // 8192 x 8192 of the widest type

/// The GPU's memory, streams and events that all measurements use.
class GpuBench {
  public:
    GpuBench(const GpuDriver& driver, int gpu, const GpuRoom& room) : driver_(driver), gpu_(gpu) {
        for (GpuStream*& stream : streams_) require_ok(driver_.open_stream(gpu, false, &stream));
        for (GpuEvent*& event : events_)
            require_ok(driver_.open_event(gpu, GpuEventKind::timed, &event));
        require_ok(driver_.open_blas(streams_[0], room, &blas_));
        std::size_t free = 0;
        require_ok(driver_.free_memory(gpu, &free));
        operand_bytes_ = free > 8 * least_operand ? 2 * least_operand : least_operand;
        for (void*& block : device_) require_ok(driver_.allocate(gpu, operand_bytes_, &block));
        for (auto& block : host_) {
            block.reset(static_cast<std::byte*>(std::aligned_alloc(4096, copy_bytes)));
            require_ok(driver_.pin(block.get(), copy_bytes));
        }
        fill();
    }
    ~GpuBench() {
        for (auto& block : host_) driver_.unpin(block.get());
        for (void* block : device_) driver_.release(gpu_, block);
        driver_.close_blas(blas_);
        for (GpuEvent* event : events_) driver_.close_event(event);
        for (GpuStream* stream : streams_) driver_.close_stream(stream);
    }
    GpuBench(const GpuBench&) = delete;
    GpuBench& operator=(const GpuBench&) = delete;

    const GpuDriver& driver() const { return driver_; }
    GpuStream* stream(std::size_t i) const { return streams_[i]; }
    GpuBlas* blas() const { return blas_; }
    void* device(std::size_t i) const { return device_[i]; }
    std::size_t operand_bytes() const { return operand_bytes_; }
    void* host(std::size_t i) const { return host_[i].get(); }

    void require_ok(int fault) const {
        require(fault == 0, Code::failed_step, "a working GPU",
                fmt::format("calibration: {}: {}", driver_.name, driver_.words(fault)));
    }

    /// Seconds of one call of f in stream 0: calls back to back for `least` seconds, since GPUs
    /// slow down as they warm up; the best of three.
    template <class F>
    double seconds(F f, double least = 0.02) {
        int calls = 1;
        double best = once(f, calls);
        while (best * calls < least) best = once(f, calls *= 2);
        for (int i = 0; i < 2; ++i) best = std::min(best, once(f, calls));
        return best;
    }

    template <class F>
    double once(F f, int calls) {
        double passed = 0;
        require_ok(driver_.record(events_[0], streams_[0]));
        for (int i = 0; i < calls; ++i) f();
        require_ok(driver_.record(events_[1], streams_[0]));
        require_ok(driver_.synchronize(events_[1]));
        require_ok(driver_.elapsed(events_[0], events_[1], &passed));
        return passed / calls;
    }

    void wait(std::size_t stream) {
        require_ok(driver_.record(events_[2], streams_[stream]));
        require_ok(driver_.synchronize(events_[2]));
    }

    /// Stream `after` goes on when what is in `before` now is done.
    void join(std::size_t before, std::size_t after) {
        require_ok(driver_.record(events_[2], streams_[before]));
        require_ok(driver_.wait(streams_[after], events_[2]));
    }

  private:
    /// Zeros are multiplied faster than numbers. These are numbers of every type.
    void fill() {
        std::uint64_t state = 88172645463325252U;
        auto* words = reinterpret_cast<std::uint16_t*>(host_[0].get());
        for (std::size_t i = 0; i < copy_bytes / 2; ++i) {
            state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
            words[i] = static_cast<std::uint16_t>(0x3c00U | (state & 0x83ffU));
        }
        for (void* block : device_)
            for (std::size_t at = 0; at < operand_bytes_; at += copy_bytes)
                require_ok(driver_.copy_now(static_cast<std::byte*>(block) + at, host_[0].get(),
                                            copy_bytes));
    }

    struct Free {
        void operator()(std::byte* p) const { std::free(p); }
    };

    const GpuDriver& driver_;
    const int gpu_;
    std::array<GpuStream*, 3> streams_{};
    std::array<GpuEvent*, 3> events_{};
    GpuBlas* blas_ = nullptr;
    std::size_t operand_bytes_ = 0;
    std::array<void*, 3> device_{};
    std::array<std::unique_ptr<std::byte, Free>, 2> host_;
};

}  // namespace gemmill::command
