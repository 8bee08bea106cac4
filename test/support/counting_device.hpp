// SPDX-License-Identifier: Apache-2.0
// A device of a rank that has memory of its own, makes products in a thread and counts what would
// travel between host and device for them.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernel/reference/level3.hpp"
#include "kernel/reference/reference.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill::test {

class CountingDevice {
  public:
    explicit CountingDevice(std::int64_t memory, bool computes = true)
        : memory_(memory), computes_(computes) {}

    std::atomic<std::int64_t> factors_in = 0;  ///< bytes of A and B
    std::atomic<std::int64_t> c_in = 0;        ///< of C, or of sums
    std::atomic<std::int64_t> out = 0;
    std::atomic<std::int64_t> within = 0;  ///< copied on the device
    std::atomic<int> products = 0;

    /// What a rank computes with; it keeps the device.
    static LocalKernels kernels(const std::shared_ptr<CountingDevice>& x) {
        LocalKernels result;
        result.gemm = [x](const GemmArgs& args) { x->make(args); };
        result.level3 = [](const Level3Args& args) { reference_level3(args); };
        result.device = {[x, last = std::make_shared<Last>()](DeviceJob job) {
                             return x->begin(*last, std::move(job));
                         },
                         [x](std::int64_t bytes) { return x->sums(bytes); },
                         [](std::function<void()> work) -> std::shared_ptr<void> {
                             return std::make_shared<std::future<void>>(
                                 std::async(std::launch::async, std::move(work)));
                         }};
        result.memory = memory(x);
        result.workers = 2;
        result.each = [](std::size_t count,
                         const std::function<void(std::size_t, std::size_t)>& f) {
            for (std::size_t i = count; i-- > 0;) f(i, i % 2);
        };
        return result;
    }

    static DeviceMemory memory(const std::shared_ptr<CountingDevice>& x) {
        return {[x](const void* data) { return x->holds(data); },
                [x](void* to, const void* from, std::int64_t bytes) { x->copy(to, from, bytes); },
                [x](void* to, const void* from, std::int64_t bytes) { x->copy(to, from, bytes); },
                [x](std::span<const BlockCopy> blocks) { x->upload(blocks); },
                [](std::int64_t bytes) {
                    return std::make_shared<std::byte[]>(static_cast<std::size_t>(bytes));
                },
                {}};
    }
    /// Memory of the device, of any content, as a caller of the library might have it. The host
    /// cannot read or write it.
    std::byte* allocate(std::int64_t bytes) {
        const std::lock_guard lock(mutex_);
        return blocks_.emplace_back(std::make_unique<Block>(bytes + 1))->address;
    }
    /// Between host and device.
    void copy(void* to, const void* from, std::int64_t bytes) {
        if (!holds(to) && !holds(from)) throw std::logic_error("a copy that does not travel");
        (!holds(to) ? out : holds(from) ? within : c_in) += bytes;
        std::memcpy(real(to), real(from), static_cast<std::size_t>(bytes));
    }
    void upload(std::span<const BlockCopy> blocks) {
        for (const BlockCopy& x : blocks)
            for (index_t col = 0; col < x.cols; ++col)
                upload({static_cast<std::byte*>(x.to) + col * x.to_ld,
                        static_cast<const std::byte*>(x.from) + col * x.from_ld, x.rows});
    }
    /// What is meant by an address, of the device or not.
    std::byte* real(const void* data) const {
        auto* at = static_cast<std::byte*>(const_cast<void*>(data));
        Block* block = block_of(data);
        return block == nullptr ? at : block->memory.data() + (at - block->address);
    }
    bool holds(const void* data) const { return block_of(data) != nullptr; }

    /// What a rank has begun last.
    using Last = std::shared_future<void>;
    DeviceTask begin(Last& last, DeviceJob job) {
        const auto copied = std::make_shared<std::promise<void>>();
        last = std::async(std::launch::async, [this, copied, before = last, job = std::move(job)] {
                   for (const DeviceCopy& x : job.copies) upload(x);
                   copied->set_value();
                   if (before.valid()) before.get();
                   if (job.make) return job.make(job.products);
                   for (const GemmArgs& args : job.products) make(args);
               }).share();
        return {end_of(copied->get_future().share()), end_of(last)};
    }

  private:
    static HasEnded end_of(const std::shared_future<void>& future) {
        return [future] {
            if (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
            future.get();
            return true;
        };
    }
    void upload(const DeviceCopy& x) {
        if (!holds(x.to) || holds(x.from)) throw std::logic_error("not from host to device");
        factors_in += x.bytes;
        std::memcpy(real(x.to), x.from, static_cast<std::size_t>(x.bytes));
    }
    /// Addresses that nobody may use, and the memory that is meant by them.
    struct Block {
        explicit Block(std::int64_t bytes)
            : size(bytes),
              address(static_cast<std::byte*>(mmap(nullptr, static_cast<std::size_t>(bytes),
                                                   PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
              memory(static_cast<std::size_t>(bytes), std::byte{0xff}) {
            if (static_cast<void*>(address) == MAP_FAILED) throw std::bad_alloc();
        }
        ~Block() { munmap(address, static_cast<std::size_t>(size)); }
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;

        std::int64_t size;
        std::byte* address;
        std::vector<std::byte> memory;
    };

    Block* block_of(const void* data) const {
        const std::lock_guard lock(mutex_);
        const auto* at = static_cast<const std::byte*>(data);
        for (const auto& x : blocks_)
            if (at >= x->address && at < x->address + x->size) return x.get();
        return nullptr;
    }
    std::byte* sums(std::int64_t bytes) { return bytes > memory_ ? nullptr : allocate(bytes); }

    void make(const GemmArgs& args) {
        ++products;
        const index_t size = bytes_of(args.type);
        if (!holds(args.a)) factors_in += size * args.k * args.m;
        if (!holds(args.b)) factors_in += size * args.k * args.n;
        if (!holds(args.c)) {
            if (args.beta.re != 0 || args.beta.im != 0) c_in += size * args.m * args.n;
            out += size * args.m * args.n;
        }
        GemmArgs here = args;
        here.a = real(args.a), here.b = real(args.b), here.c = real(args.c);
        if (computes_) reference_gemm(here);
    }

    std::int64_t memory_;
    bool computes_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace gemmill::test
