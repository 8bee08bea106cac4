// SPDX-License-Identifier: Apache-2.0
#include "api/rank_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <vector>

#include "api/open/devices.hpp"
#include "api/state.hpp"
#include "backend/gpu/gpu.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemm.hpp"
#include "gemmill/level3.hpp"
#include "kernel/cpu/host/host_library.hpp"
#include "kernel/cpu/team.hpp"

namespace gemmill {
namespace {

void gemm_of(Context& context, const GemmArgs& x) {
    with_type(x.type, [&]<class T>() {
        gemm<T>(context, Layout::ColMajor, x.op_a, x.op_b, x.m, x.n, x.k,
                from_scalar<scalar_t<T>>(x.alpha), static_cast<const T*>(x.a), x.lda,
                static_cast<const T*>(x.b), x.ldb, from_scalar<scalar_t<T>>(x.beta),
                static_cast<T*>(x.c), x.ldc);
    });
}

void trsm_of(Context& context, const Level3Args& x) {
    with_type(x.type, [&]<class T>() {
        if constexpr (!is_short(type_of<T>))
            trsm<T>(context, Layout::ColMajor, x.side, x.uplo, x.op_a, x.diag, x.m, x.n,
                    from_scalar<T>(x.alpha), static_cast<const T*>(x.a), x.lda,
                    static_cast<T*>(x.c), x.ldc);
    });
}

HasEnded end_of(const std::shared_future<void>& future) {
    return [future] {
        if (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        future.get();
        return true;
    };
}

/// Tasks of a device, each in a thread of its own, or at once where there is none.
class DeviceTasks {
  public:
    explicit DeviceTasks(Context& context) : context_(context) {}

    DeviceTask begin(DeviceJob job) {
        const auto copied = std::make_shared<std::promise<void>>();
        const auto work = [this, copied, before = last_, job = std::move(job)] {
            const std::exception_ptr failure = copy(job.copies, *copied);
            if (before.valid()) before.get();
            if (failure) std::rethrow_exception(failure);
            if (job.make) return job.make(job.products);
            for (const GemmArgs& x : job.products) gemm_of(context_, x);
        };
        try {
            last_ = std::async(std::launch::async, work).share();
        } catch (const std::system_error&) {
            std::packaged_task<void()> now(work);
            last_ = now.get_future().share();
            now();
        }
        return {end_of(copied->get_future().share()), end_of(last_)};
    }

  private:
    std::exception_ptr copy(const std::vector<DeviceCopy>& copies,
                            std::promise<void>& copied) const {
        try {
            for (const DeviceCopy& x : copies)
                context_.copy(x.to, x.from, static_cast<std::size_t>(x.bytes));
            copied.set_value();
            return nullptr;
        } catch (...) {
            copied.set_exception(std::current_exception());
            return std::current_exception();
        }
    }

    Context& context_;
    std::shared_future<void> last_;
};

/// One block of the device's memory, made anew where a larger one is asked for.
class DeviceBlock {
  public:
    DeviceBlock(Context& context, std::int64_t most) : context_(context), most_(most) {}
    ~DeviceBlock() { context_.release(data_); }
    DeviceBlock(const DeviceBlock&) = delete;
    DeviceBlock& operator=(const DeviceBlock&) = delete;

    std::byte* take(std::int64_t bytes) {
        if (bytes > most_) return nullptr;
        if (bytes <= size_) return static_cast<std::byte*>(data_);
        context_.release(data_);
        data_ = nullptr, size_ = 0;
        try {
            data_ = context_.allocate(0, static_cast<std::size_t>(bytes));
        } catch (const Error&) {  // sums on the host do as well
            return nullptr;
        }
        size_ = bytes;
        return static_cast<std::byte*>(data_);
    }

  private:
    Context& context_;
    std::int64_t most_, size_ = 0;
    void* data_ = nullptr;
};

/// A team whose threads are numbered while they work.
class Crew {
  public:
    explicit Crew(int threads) : team_(threads) {
        for (int i = 0; i < threads; ++i) free_.push_back(static_cast<std::size_t>(i));
    }

    using Work = std::function<void(std::size_t i, std::size_t worker)>;
    void run(std::size_t count, const Work& f) {
        team_.run(static_cast<index_t>(count), 1, [&](index_t first, index_t last) {
            const Number worker(*this);
            for (index_t i = first; i < last; ++i) f(static_cast<std::size_t>(i), worker.value);
        });
    }

  private:
    /// One that nobody else has.
    struct Number {
        explicit Number(Crew& of) : crew(of) {
            const std::lock_guard lock(crew.mutex_);
            value = crew.free_.back();
            crew.free_.pop_back();
        }
        ~Number() {
            const std::lock_guard lock(crew.mutex_);
            crew.free_.push_back(value);
        }
        Number(const Number&) = delete;
        Number& operator=(const Number&) = delete;
        Crew& crew;
        std::size_t value;
    };

    Team team_;
    std::mutex mutex_;
    std::vector<std::size_t> free_;
};

const Memory& memory_of(const Machine& machine, const Device& device) {
    return machine.memories[static_cast<std::size_t>(device.memory)];
}

bool has_device_memory(const Machine& machine) {
    return std::ranges::any_of(machine.devices, [&](const Device& x) {
        return memory_of(machine, x).kind == MemoryKind::device;
    });
}

/// Waits for the thread when it goes.
std::shared_ptr<void> aside(std::function<void()> work) {
    try {
        return std::make_shared<std::future<void>>(std::async(std::launch::async, std::move(work)));
    } catch (const std::system_error&) {
        throw Error(Code::out_of_memory, "no thread for the products of other ranks");
    }
}

DeviceWork device_work(Context& context, std::int64_t memory) {
    DeviceWork device;
    device.aside = aside;
    device.begin = [tasks = std::make_shared<DeviceTasks>(context)](DeviceJob job) {
        return tasks->begin(std::move(job));
    };
    if (memory > 0)
        device.sums = [block = std::make_shared<DeviceBlock>(context, memory)](std::int64_t bytes) {
            return block->take(bytes);
        };
    return device;
}

std::shared_ptr<std::byte[]> memory_on_device(Context& context, std::int64_t bytes) {
    try {
        void* data = context.allocate(0, static_cast<std::size_t>(bytes));
        return {static_cast<std::byte*>(data), [&context](std::byte* x) { context.release(x); }};
    } catch (const Error&) {  // messages pass through the host instead
        return nullptr;
    }
}

GpuBackend& only_gpu(Context& context) {
    GpuBackend* const gpus = context.use()->gpus;
    require(gpus != nullptr && context.machine().devices.size() == 1, Code::no_device, "one GPU",
            "ranks share the memory of one GPU each");
    return *gpus;
}

CopyArgs copy_of(const BlockCopy& x) {
    CopyArgs args;
    args.from = x.from, args.from_ld = x.from_ld, args.to = x.to, args.to_ld = x.to_ld;
    args.rows = x.rows, args.cols = x.cols, args.bytes = 1;
    return args;
}

void copy_own(Context& context, void* to, const void* from, std::int64_t bytes) {
    GpuBackend* const gpus = context.use()->gpus;
    if (gpus == nullptr) return context.copy(to, from, static_cast<std::size_t>(bytes));
    gpus->copy(0, copy_of({to, bytes, from, bytes, bytes, 1}));
}

void upload(Context& context, std::span<const BlockCopy> blocks) {
    std::vector<CopyArgs> copies;
    for (const BlockCopy& x : blocks) copies.push_back(copy_of(x));
    only_gpu(context).upload(0, copies);
}

DeviceMemory device_memory(Context& context) {
    return {[&context](const void* data) {
                const auto at = static_cast<std::size_t>(context.locate(data));
                return data != nullptr && context.machine().memories[at].kind == MemoryKind::device;
            },
            [&context](void* to, const void* from, std::int64_t bytes) {
                context.copy(to, from, static_cast<std::size_t>(bytes));
            },
            [&context](void* to, const void* from, std::int64_t bytes) {
                copy_own(context, to, from, bytes);
            },
            [&context](std::span<const BlockCopy> blocks) { upload(context, blocks); },
            [&context](std::int64_t bytes) { return pinned_memory(context, bytes); }};
}

}  // namespace

std::int64_t room_for_sums(const Context& context) {
    const Machine& machine = context.machine();
    if (machine.devices.size() != 1 || context.options().device_memory > 0) return 0;
    const Memory& memory = memory_of(machine, machine.devices.front());
    return memory.kind == MemoryKind::device ? memory.capacity / 2 : 0;
}

LocalKernels rank_kernels(Context& context, const RankRoom& room) {
    LocalKernels kernels;
    kernels.gemm = [&context, most = room.host_threads](const GemmArgs& x) {
        const FewerHostThreads fewer(most);
        gemm_of(context, x);
    };
    kernels.level3 = [&context, most = room.host_threads](const Level3Args& x) {
        const FewerHostThreads fewer(most);
        trsm_of(context, x);
    };
    // Cores that make products have no time for more copies.
    if (!has_device_memory(context.machine())) return kernels;
    kernels.device = device_work(context, room.device_memory);
    kernels.memory = device_memory(context);
    if (room.gpu_aware)
        kernels.memory.messages = [&context](std::int64_t bytes) {
            return memory_on_device(context, bytes);
        };
    if (room.threads <= 1) return kernels;
    kernels.workers = static_cast<std::size_t>(room.threads);
    kernels.each = [crew = std::make_shared<Crew>(room.threads)](
                       std::size_t count, const Crew::Work& f) { crew->run(count, f); };
    return kernels;
}

std::shared_ptr<std::byte[]> shared_device_memory(Context& context, std::int64_t bytes,
                                                  GpuSharedBlock& name) {
    return only_gpu(context).allocate_shared(0, static_cast<std::size_t>(bytes), name);
}

std::shared_ptr<std::byte[]> open_device_memory(Context& context, const GpuSharedBlock& name) {
    return only_gpu(context).open_shared(0, name);
}

std::shared_ptr<void> pinned_range(Context& context, void* data, std::int64_t bytes) {
    const auto held = context.use();
    GpuBackend* const gpus = held->gpus;
    if (gpus == nullptr) return nullptr;
    const GpuDriver& driver = gpus->driver();
    if (driver.pin(data, static_cast<std::size_t>(bytes)) != 0) return nullptr;
    return {data, [&driver](void* x) { driver.unpin(x); }};
}

std::shared_ptr<std::byte[]> pinned_memory(Context& context, std::int64_t bytes) {
    void* data = context.allocate_host(static_cast<std::size_t>(std::max<std::int64_t>(1, bytes)));
    return {static_cast<std::byte*>(data), [&context](std::byte* x) { context.release(x); }};
}

}  // namespace gemmill
