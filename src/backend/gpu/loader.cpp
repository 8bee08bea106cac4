// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/loader.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace gemmill {
namespace {

/// Rows and columns: BLAS libraries have kernels of their own for tiny products.
constexpr index_t edge = 256;

}  // namespace

/// Matrices, a stream and a handle of one GPU. They stay, for to release them is to wait until the
/// whole device is idle.
class Loader::Trial {
  public:
    Trial(const GpuDriver& driver, int gpu) : driver_(driver), gpu_(gpu) {}
    ~Trial() {
        if (event_ != nullptr) driver_.close_event(event_);
        if (blas_ != nullptr) driver_.close_blas(blas_);
        if (stream_ != nullptr) driver_.close_stream(stream_);
        if (memory_ != nullptr) driver_.release(gpu_, memory_);
        if (pinned_) driver_.unpin(host_.data());
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    void run(Type type) {
        const std::lock_guard lock(mutex_);
        driver_.ignore_captures();
        if (!open()) return;
        auto* const a = static_cast<std::byte*>(memory_);
        std::byte* const b = a + bytes;
        std::byte* const c = b + bytes;
        GemmArgs product;
        product.type = type, product.m = product.n = product.k = edge;
        product.alpha = product.beta = {1, 0};
        product.a = a, product.b = b, product.c = c;
        product.lda = product.ldb = product.ldc = edge;
        driver_.gemm(blas_, product);
        driver_.add(stream_, {type, edge, edge, {1, 0}, a, edge, c, edge});
        // Within the device by a kernel; to and from the host by engines, which need their first
        // copy to begin, too.
        for (const auto& [from, to] :
             {std::pair<std::byte*, std::byte*>{a, b}, {host_.data(), b}, {b, host_.data()}}) {
            CopyArgs copy;
            copy.from = from, copy.from_ld = edge, copy.to = to, copy.to_ld = edge;
            copy.rows = edge, copy.cols = edge, copy.bytes = bytes_of(type);
            driver_.copy(stream_, copy, {});
        }
        // All of it has been launched; that it ends is waited for before anything is released.
        if (driver_.record(event_, stream_) == 0) driver_.synchronize(event_);
    }

  private:
    static constexpr std::int64_t bytes = edge * edge * bytes_of(Type::z);

    bool open() {
        if (tried_) return event_ != nullptr;
        tried_ = true;
        host_.resize(static_cast<std::size_t>(bytes));
        pinned_ = driver_.pin(host_.data(), host_.size()) == 0;
        return pinned_ && driver_.allocate(gpu_, 3 * bytes, &memory_) == 0 &&
               driver_.open_stream(gpu_, false, &stream_) == 0 &&
               driver_.open_blas(stream_, {}, &blas_) == 0 &&
               driver_.open_event(gpu_, GpuEventKind::plain, &event_) == 0;
    }

    const GpuDriver& driver_;
    int gpu_;
    std::mutex mutex_;
    bool tried_ = false;
    std::vector<std::byte> host_;
    bool pinned_ = false;
    void* memory_ = nullptr;
    GpuStream* stream_ = nullptr;
    GpuBlas* blas_ = nullptr;
    GpuEvent* event_ = nullptr;  // opened last
};

Loader::Loader(const GpuDriver& driver, const std::vector<int>& gpus) : driver_(driver) {
    for (const int gpu : gpus) trials_.push_back(std::make_unique<Trial>(driver_, gpu));
}

Loader::~Loader() = default;

void Loader::load(Type type) {
    const unsigned bit = 1U << static_cast<unsigned>(type);
    if ((begun_.load(std::memory_order_relaxed) & bit) != 0 || (begun_.fetch_or(bit) & bit) != 0)
        return;
    // Never by the caller, whose captures of graphs must stay as they are.
    std::vector<std::thread> threads;
    try {
        for (const auto& trial : trials_)
            threads.emplace_back([&trial, type] { trial->run(type); });
    } catch (const std::exception&) {  // no thread: the first call waits
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace gemmill
