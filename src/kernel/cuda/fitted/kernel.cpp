// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/fitted/kernel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "kernel/cuda/fitted/numbers.hpp"
#include "kernel/cuda/fitted/text.hpp"
#include "kernel/cuda/kernels.hpp"

// What texts.cu was compiled to.
asm(".pushsection .rodata\n"
    "gemmill_fitted_texts:\n"
    ".incbin \"" GEMMILL_FITTED_TEXTS
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char gemmill_fitted_texts[] __attribute__((visibility("hidden")));

namespace gemmill::batch {
namespace {

using Words = std::array<unsigned, fitted_words>;

KernelText text_for(const Batch& x, const StagePlan& plan, int i) {
    const auto words = std::bit_cast<Words>(fitted_numbers(x, plan));
    const auto of_type = static_cast<int>(fits_of(x.type).size());
    KernelText text = kernel_text(gemmill_fitted_texts, static_cast<int>(x.type) * of_type + i);
    text.text = filled(text.text, words);
    return text;
}

}  // namespace

std::unique_ptr<FittedKernel> FittedKernel::make(const Batch& x, int i) {
    const Fittable& fit = fits_of(x.type)[static_cast<std::size_t>(i)];
    int device = 0, processors = 0, at_once = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return nullptr;
    const StagePlan plan = fit.plan(x, processors);
    if (plan.products == 0) return nullptr;
    const KernelText text = text_for(x, plan, i);
    std::unique_ptr<FittedKernel> made(new FittedKernel);
    cudaKernel_t kernel = nullptr;
    if (cudaLibraryLoadData(&made->library_, text.text.c_str(), nullptr, nullptr, 0, nullptr,
                            nullptr, 0) != cudaSuccess ||
        cudaLibraryGetKernel(&kernel, made->library_, text.name.c_str()) != cudaSuccess)
        return nullptr;
    made->function_ = kernel;
    made->threads_ = fit.threads, made->bytes_ = plan.bytes;
    made->products_ = plan.products, made->parts_ = plan.parts();
    if (cudaFuncSetAttribute(made->function_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             plan.bytes) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, made->function_, fit.threads,
                                                      static_cast<std::size_t>(plan.bytes)) !=
            cudaSuccess)
        return nullptr;
    made->blocks_ = std::max(1, at_once * processors);
    return made;
}

FittedKernel::~FittedKernel() {
    if (library_ != nullptr) cudaLibraryUnload(library_);
}

cudaError_t FittedKernel::run(const Batch& x, Slot slot) const {
    const index_t needed = (x.count + products_ - 1) / products_ * parts_;
    if (needed == 0) return cudaSuccess;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(std::min(needed, blocks_));
    config.blockDim = static_cast<unsigned>(threads_);
    config.dynamicSmemBytes = static_cast<std::size_t>(bytes_);
    config.stream = slot.stream;
    cudaLaunchAttribute early = early_launch();
    config.attrs = &early;
    config.numAttrs = slot.early ? 1 : 0;
    Batch batch = x;
    void* args[] = {&batch, &slot.gate};
    return cudaLaunchKernelExC(&config, function_, static_cast<void**>(args));
}

}  // namespace gemmill::batch
