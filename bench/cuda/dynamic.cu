// SPDX-License-Identifier: Apache-2.0
// Three ways to products of many sizes, with one kernel in the first two: a kernel for each product
// that a GPU thread launches (dynamic parallelism), one grid in which blocks without a tile end at
// once, and the library. It stands alone, since device code that launches kernels needs a linker of
// its own.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "gemmill/batch.hpp"
#include "gemmill/context.hpp"
#include "gemmill/options.hpp"
#include "kernel/cuda/tile/fma.cuh"

namespace {

using namespace gemmill;
using namespace gemmill::batch;
using Tile = FmaTile<double, 2, 4, 2, 2, 8>;

void require_ok(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

__global__ void __launch_bounds__(Tile::threads)
    child(const __grid_constant__ Batch x, index_t p, int tiles_m) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int tile = static_cast<int>(blockIdx.x);
    Tile::run(product_of<double, Shapes::many>(x, p), tile % tiles_m * Tile::tile_m,
              tile / tiles_m * Tile::tile_n, *reinterpret_cast<Tile::Shared*>(memory));
}

__global__ void parent(const __grid_constant__ Batch x) {
    const index_t p = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= x.count) return;
    const int down = static_cast<int>((value_of(x.m, p) + Tile::tile_m - 1) / Tile::tile_m),
              right = static_cast<int>((value_of(x.n, p) + Tile::tile_n - 1) / Tile::tile_n);
    child<<<static_cast<unsigned>(down * right), Tile::threads, sizeof(Tile::Shared),
            cudaStreamFireAndForget>>>(x, p, down);
}

struct Problem {
    std::vector<index_t> m, n, k;
    std::vector<double> c0;
    std::vector<index_t> places;  // of C
    double flops = 0;
    double* c = nullptr;
    Batch batch;
    std::vector<void*> owned;
};

template <class V>
V* on_gpu(Problem& x, const std::vector<V>& host) {
    void* there = nullptr;
    require_ok(cudaMalloc(&there, host.size() * sizeof(V)), "cudaMalloc");
    require_ok(cudaMemcpy(there, host.data(), host.size() * sizeof(V), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    x.owned.push_back(there);
    return static_cast<V*>(there);
}

Problem problem_of(index_t count, index_t most) {
    Problem x;
    std::mt19937 engine(1);
    std::uniform_int_distribution<index_t> size(1, most);
    std::uniform_real_distribution<double> element(-1, 1);
    std::vector<index_t> of_a{0}, of_b{0};
    x.places = {0};
    for (index_t i = 0; i < count; ++i) {
        const index_t m = size(engine), n = size(engine), k = size(engine);
        x.m.push_back(m), x.n.push_back(n), x.k.push_back(k);
        of_a.push_back(of_a.back() + m * k), of_b.push_back(of_b.back() + k * n);
        x.places.push_back(x.places.back() + m * n);
        x.flops += 2.0 * static_cast<double>(m * n * k);
    }
    const auto random = [&](index_t elements) {
        std::vector<double> all(static_cast<std::size_t>(elements));
        for (double& e : all) e = element(engine);
        return all;
    };
    x.c0 = random(x.places.back());
    const double *a = on_gpu(x, random(of_a.back())), *b = on_gpu(x, random(of_b.back()));
    x.c = on_gpu(x, x.c0);
    const auto pointers = [&](const double* first, const std::vector<index_t>& places) {
        std::vector<const void*> all;
        for (index_t i = 0; i < count; ++i)
            all.push_back(first + places[static_cast<std::size_t>(i)]);
        return on_gpu(x, all);
    };
    const index_t *m = on_gpu(x, x.m), *n = on_gpu(x, x.n), *k = on_gpu(x, x.k);
    Batch& batch = x.batch;
    batch.count = count;
    batch.m = {most, m}, batch.n = {most, n}, batch.k = {most, k};
    batch.alpha.all = {1.1, 0}, batch.beta.all = {0.9, 0};
    batch.a = {nullptr, 0, pointers(a, of_a), {1, m}};
    batch.b = {nullptr, 0, pointers(b, of_b), {1, k}};
    batch.c = {nullptr, 0, pointers(x.c, x.places), {1, m}};
    return x;
}

/// C of one call; then the median seconds of several.
std::vector<double> run(Problem& x, const std::function<void()>& call, double& seconds) {
    std::vector<double> c(x.c0.size());
    require_ok(cudaMemcpy(x.c, x.c0.data(), c.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy");
    call();
    require_ok(cudaDeviceSynchronize(), "run");
    require_ok(cudaMemcpy(c.data(), x.c, c.size() * 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
    cudaEvent_t begin{}, end{};
    cudaEventCreate(&begin), cudaEventCreate(&end);
    std::vector<float> samples;
    for (int i = 0; i < 5; ++i) {
        float milliseconds = 0;
        cudaEventRecord(begin, nullptr);
        call();
        cudaEventRecord(end, nullptr);
        require_ok(cudaEventSynchronize(end), "run");
        cudaEventElapsedTime(&milliseconds, begin, end);
        samples.push_back(milliseconds);
    }
    std::ranges::sort(samples);
    seconds = 1e-3 * samples[2];
    return c;
}

bool alike(const std::vector<double>& x, const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x[i] - y[i]) < 1e-10)) return false;
    return true;
}

bool compare(Context& context, index_t count, index_t most) {
    Problem x = problem_of(count, most);
    const Batch& batch = x.batch;
    const auto parts = [](index_t whole, int part) {
        return static_cast<int>((whole + part - 1) / part);
    };
    const GridSource<Shapes::many> grid{parts(most, Tile::tile_m), parts(most, Tile::tile_n)};
    double dynamic = 0, early = 0, library = 0;
    BatchOptions in_stream;
    in_stream.stream = nullptr;
    const auto want = run(
        x, [&] { gemm_batch(context, Layout::ColMajor, batch, in_stream); }, library);
    const auto of_dynamic = run(
        x, [&] { parent<<<static_cast<unsigned>(parts(count, 128)), 128>>>(batch); }, dynamic);
    const auto of_early = run(
        x,
        [&] {
            fma_kernel<Tile, double, GridSource<Shapes::many>>
                <<<static_cast<unsigned>(count * grid.tiles_m * grid.tiles_n), Tile::threads,
                   sizeof(Tile::Shared)>>>(batch, grid);
        },
        early);
    const bool right = alike(of_dynamic, want) && alike(of_early, want);
    std::printf(
        "{\"max\": %lld, \"products\": %lld, \"dynamic_us\": %.1f, \"early_end_us\": %.1f, "
        "\"library_us\": %.1f, \"library_tflops\": %.2f, \"right\": %s}\n",
        static_cast<long long>(most), static_cast<long long>(count), 1e6 * dynamic, 1e6 * early,
        1e6 * library, 1e-12 * x.flops / library, right ? "true" : "false");
    std::fflush(stdout);
    for (void* pointer : x.owned) cudaFree(pointer);
    return right;
}

}  // namespace

int main() {
    require_ok(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384), "limit");
    Options options = Options::from_environment();
    options.devices = "cuda:0";
    Context context(options);
    bool right = true;
    for (const index_t most : {32, 64, 128, 256})
        right &= compare(context, most < 256 ? 2000 : 500, most);
    return right ? 0 : 1;
}
