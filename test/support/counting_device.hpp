// SPDX-License-Identifier: Apache-2.0
// A device of a rank that has memory of its own, makes products in a thread and counts what would
// travel between host and device for them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernel/reference/level3.hpp"
#include "kernel/reference/reference.hpp"
#include "rank/share/update.hpp"

namespace gemmill::test {

class CountingDevice {
  public:
    explicit CountingDevice(std::int64_t memory, bool computes = true)
        : memory_(memory), computes_(computes) {}

    std::atomic<std::int64_t> factors_in = 0;  ///< bytes of A and B
    std::atomic<std::int64_t> c_in = 0;        ///< of C, or of sums
    std::atomic<std::int64_t> out = 0;
    std::atomic<int> products = 0;

    /// What a rank computes with; it keeps the device.
    static LocalKernels kernels(const std::shared_ptr<CountingDevice>& x) {
        LocalKernels result;
        result.gemm = [x](const GemmArgs& args) { x->make(args); };
        result.level3 = [](const Level3Args& args) { reference_level3(args); };
        result.device = {
            [x](std::vector<GemmArgs> all) { return x->begin(std::move(all)); },
            [x](std::int64_t bytes) { return x->sums(bytes); },
            [x](void* to, const void* from, std::int64_t bytes) { x->copy(to, from, bytes); }};
        result.each = [](std::size_t count, const std::function<void(std::size_t)>& f) {
            for (std::size_t i = count; i-- > 0;) f(i);
        };
        return result;
    }

    HasEnded begin(std::vector<GemmArgs> all) {
        auto future = std::make_shared<std::future<void>>(
            std::async(std::launch::async, [this, all = std::move(all)] {
                for (const GemmArgs& args : all) make(args);
            }));
        return [future] {
            if (future->wait_for(std::chrono::seconds(0)) != std::future_status::ready)
                return false;
            future->get();
            return true;
        };
    }

  private:
    bool is_here(const void* data) const {
        const auto* at = static_cast<const std::byte*>(data);
        return !block_.empty() && at >= block_.data() && at < block_.data() + block_.size();
    }
    std::byte* sums(std::int64_t bytes) {
        if (bytes > memory_) return nullptr;
        block_.assign(static_cast<std::size_t>(bytes), std::byte{0xff});
        return block_.data();
    }
    void copy(void* to, const void* from, std::int64_t bytes) {
        if (is_here(to) == is_here(from)) throw std::logic_error("a copy that does not travel");
        (is_here(to) ? c_in : out) += bytes;
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
    void make(const GemmArgs& args) {
        ++products;
        const index_t size = bytes_of(args.type);
        factors_in += size * args.k * (args.m + args.n);
        if (!is_here(args.c)) {
            if (args.beta.re != 0 || args.beta.im != 0) c_in += size * args.m * args.n;
            out += size * args.m * args.n;
        }
        if (computes_) reference_gemm(args);
    }

    std::int64_t memory_;
    bool computes_;
    std::vector<std::byte> block_;
};

}  // namespace gemmill::test
