// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_fits.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cuda/batch/batch_estimate.hpp"
#include "backend/cuda/cuda.hpp"

namespace gemmill {

/// Of one shape; written by the thread that compiles until they are ready.
struct FittedKernels {
    std::vector<std::unique_ptr<batch::FittedKernel>> all;
    std::atomic<bool> ready{false};
};

namespace {

struct FittingJob {
    int device;
    Batch batch;
    std::shared_ptr<FittedKernels> kernels;
};

/// Compiles one kernel after the other, for all threads of the program.
class Fitter {
  public:
    /// Null: none are made for this shape, as there are many shapes or no thread.
    std::shared_ptr<const FittedKernels> ask(const BatchKey& key, const Batch& x);
    bool is_busy() {
        const std::lock_guard lock(mutex_);
        return open_ > 0;
    }
    /// What was made stays.
    void stop();

  private:
    bool start();
    void compile_all();
    void compile(const FittingJob& job) const;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::pair<BatchKey, std::shared_ptr<FittedKernels>>> made_;
    std::vector<FittingJob> jobs_;
    int open_ = 0;  // jobs that are not done
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// Never destroyed: kernels may run until CUDA ends.
Fitter& fitter() {
    static auto* const one = new Fitter;
    return *one;
}

/// At exit the thread must have ended before the driver's compiler is taken down. What belongs to
/// the main thread goes before all else then, and after that what was made last goes first.
struct EndOfFitter {
    ~EndOfFitter() { fitter().stop(); }
};
void end_with_main_thread() {
    if (::getpid() != ::gettid()) return;
    thread_local const EndOfFitter end;
}
void end_before_compiler() { static const EndOfFitter end; }

std::shared_ptr<const FittedKernels> Fitter::ask(const BatchKey& key, const Batch& x) {
    constexpr std::size_t most = 512;  // some 50 KB of device memory for each kernel
    const std::lock_guard lock(mutex_);
    for (const auto& [known, kernels] : made_)
        if (known == key) return kernels;
    if (stop_ || made_.size() >= most || !start()) return nullptr;
    const auto kernels = std::make_shared<FittedKernels>();
    made_.emplace_back(key, kernels);
    jobs_.push_back({key.device, x, kernels});
    ++open_;
    changed_.notify_all();
    return kernels;
}

bool Fitter::start() {
    try {
        if (!thread_.joinable()) thread_ = std::thread([this] { compile_all(); });
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

void Fitter::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Fitter::compile_all() {
    ignore_captures();
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
        if (stop_) return;
        // The last one asked for: who asked first may have gone on to other shapes.
        const FittingJob job = std::move(jobs_.back());
        jobs_.pop_back();
        lock.unlock();
        compile(job);
        end_before_compiler();
        lock.lock();
        --open_;
    }
}

void Fitter::compile(const FittingJob& job) const {
    const OnDevice on(job.device);
    for (const int i : fits_for(job.device, job.batch)) {
        if (stop_) return;
        if (auto kernel = batch::FittedKernel::make(job.batch, i))
            job.kernels->all.push_back(std::move(kernel));
    }
    cudaGetLastError();
    job.kernels->ready.store(true, std::memory_order_release);
}

}  // namespace

const batch::FittedKernel* ShapeFits::begin(cudaStream_t stream, const BatchKey& key,
                                            const Batch& x, double seconds) {
    switch (pace_.next(seconds)) {
        case FittingPace::Step::without:
            return nullptr;
        case FittingPace::Step::ask:
            end_with_main_thread();
            kernels_ = fitter().ask(key, x);
            if (kernels_ == nullptr) pace_.answered(false);
            return nullptr;
        case FittingPace::Step::wait:
            if (!kernels_->ready.load(std::memory_order_acquire)) return nullptr;
            pace_.answered(!kernels_->all.empty());
            trials_ = {key.device,
                       BatchTrials::against(seconds, static_cast<int>(kernels_->all.size()))};
            return nullptr;
        case FittingPace::Step::use:
            break;
    }
    const int candidate = trials_.begin(stream);
    return candidate == 0 ? nullptr : kernels_->all[static_cast<std::size_t>(candidate - 1)].get();
}

bool is_fitting() { return fitter().is_busy(); }

}  // namespace gemmill
