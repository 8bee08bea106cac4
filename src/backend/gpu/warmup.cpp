// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/warmup.hpp"

#include <exception>

namespace gemmill {
namespace {

constexpr index_t edge = 256;  // a shape for which products have no kernels of their own

GemmArgs product_in(double* memory) {
    GemmArgs args;
    args.type = Type::d;
    args.m = args.n = args.k = edge;
    args.a = memory, args.b = memory + edge * edge, args.c = memory + 2 * edge * edge;
    args.lda = args.ldb = args.ldc = edge;
    return args;
}

void multiply(const GpuDriver& driver, int device, GpuStream* stream, GpuBlas* blas,
              double* memory) {
    GpuEvent* done = nullptr;
    if (driver.open_event(device, GpuEventKind::sleeping, &done) != 0) return;
    if (driver.gemm(blas, product_in(memory)) == 0 && driver.record(done, stream) == 0)
        driver.synchronize(done);
    driver.close_event(done);
}

void warm(const GpuDriver& driver, int device) {
    void* memory = nullptr;
    GpuStream* stream = nullptr;
    GpuBlas* blas = nullptr;
    const bool ready = driver.allocate(device, 3 * edge * edge * sizeof(double), &memory) == 0 &&
                       driver.open_stream(device, false, &stream) == 0 &&
                       driver.open_blas(stream, &blas) == 0;
    if (ready) multiply(driver, device, stream, blas, static_cast<double*>(memory));
    if (blas != nullptr) driver.close_blas(blas);
    if (stream != nullptr) driver.close_stream(stream);
    if (memory != nullptr) driver.release(device, memory);
}

}  // namespace

Warmup::Warmup(const GpuDriver& driver, const std::vector<int>& devices) {
    threads_.reserve(devices.size());
    try {
        for (const int device : devices)
            threads_.emplace_back([&driver, device] { warm(driver, device); });
    } catch (const std::exception&) {  // no thread: the first product waits
    }
}

Warmup::~Warmup() {
    for (std::thread& thread : threads_) thread.join();
}

}  // namespace gemmill
