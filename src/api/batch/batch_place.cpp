// SPDX-License-Identifier: Apache-2.0
#include "api/batch/batch_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "backend/gpu/gpu.hpp"
#include "batch/split.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

struct Located {
    GpuPlace place = GpuPlace::pageable;
    int gpu = -1;
};
Located locate(const GpuDriver& driver, const void* pointer) {
    Located at;
    if (pointer == nullptr || driver.locate(pointer, &at.place, &at.gpu) != 0) return {};
    if (at.place != GpuPlace::device) at.gpu = -1;
    return at;
}

/// The first matrix that is there; arrays of pointers on a GPU are taken for what they point to.
Located locate(const GpuDriver& driver, const BatchMatrix& x, index_t count) {
    if (x.array == nullptr) return locate(driver, x.data);
    const Located of_array = locate(driver, x.array);
    if (of_array.gpu >= 0) return of_array;
    const auto* end = x.array + count;
    const auto* found = std::find_if(x.array, end, [](const void* p) { return p != nullptr; });
    return found == end ? Located{} : locate(driver, *found);
}

bool arrays_on_host(const GpuDriver& driver, const Batch& x) {
    const void* arrays[] = {x.op_a.each,  x.op_b.each, x.m.each,   x.n.each,  x.k.each,
                            x.alpha.each, x.beta.each, x.a.array,  x.b.array, x.c.array,
                            x.a.ld.each,  x.b.ld.each, x.c.ld.each};
    return std::ranges::all_of(arrays, [&](const void* p) { return locate(driver, p).gpu < 0; });
}

void refuse(const char* text, const char* wanted) {
    throw Error(Code::bad_argument, fmt::format("gemm_batch: {}", text), wanted);
}

/// Whose C lies where.
std::vector<OnGpu> by_gpu(const GpuDriver& driver, const Batch& x) {
    std::map<int, std::vector<index_t>> found;
    for (index_t i = 0; i < x.count; ++i) {
        const void* c = x.c.array[i];
        const int gpu = locate(driver, c).gpu;
        if (gpu < 0 && c != nullptr && x.m[i] > 0 && x.n[i] > 0)
            throw Error(Code::bad_argument,
                        fmt::format("gemm_batch: product {}: c lies on the host, that of others "
                                    "on a GPU",
                                    i),
                        "all on GPUs or none");
        if (gpu >= 0) found[gpu].push_back(i);
    }
    std::vector<OnGpu> all;
    for (auto& [gpu, products] : found) all.push_back({gpu, std::move(products)});
    if (all.size() == 1) all[0].products.clear();
    return all;
}

/// Whether all cores are predicted to end sooner than the devices.
bool prefers_cpu(Context::State& state, const GpuBackend& gpus, const Batch& x) {
    if (!state.cpu) return false;
    const double peak = state.cpu->peak[static_cast<std::size_t>(x.type)];
    const double bandwidth =
        state.cpu->bandwidth > 0 ? state.cpu->bandwidth : std::numeric_limits<double>::infinity();
    if (peak <= 0) return false;
    double speed = 0;
    for (const BatchWorker& worker : gpus.batch_workers(x.type)) speed += 1 / seconds_of(worker, x);
    return seconds_of({peak, bandwidth, bandwidth}, x) <= gpus.machine().call + 1 / speed;
}

}  // namespace

BatchPlace place_of(Context::State& state, const Batch& x, const BatchOptions& options) {
    using Kind = BatchPlace::Kind;
    const GpuBackend* gpus = state.gpus;
    require(gpus != nullptr || !options.stream, Code::no_device, "a context with GPUs",
            "gemm_batch: a stream, and no GPU");
    if (gpus == nullptr) return {};
    const GpuDriver& driver = gpus->driver();
    const Located c = locate(driver, x.c, x.count);
    // Each look is a call of the driver, and the caller has said where a and b are.
    if (options.stream) return {Kind::gpus, {{c.gpu, {}}}};
    const Located a = locate(driver, x.a, x.count), b = locate(driver, x.b, x.count);
    if (c.gpu < 0) {
        if (a.gpu >= 0 || b.gpu >= 0)
            refuse("c lies on the host, a or b on a GPU", "all on GPUs or none");
        if (!arrays_on_host(driver, x))
            refuse("the matrices lie on the host, an array on a GPU", "arrays on the host");
        return {prefers_cpu(state, *gpus, x) ? Kind::cpu : Kind::devices, {}};
    }
    const auto is_out_of_reach = [](const BatchMatrix& of, const Located& at) {
        return (of.array != nullptr || of.data != nullptr) && at.place == GpuPlace::pageable;
    };
    const bool multiplies = x.alpha.each != nullptr || x.alpha.all != Scalar{};
    if (multiplies && (is_out_of_reach(x.a, a) || is_out_of_reach(x.b, b)))
        refuse("c lies on a GPU, a or b in pageable host memory", "what the GPU can read");
    if (gpus->gpus().size() > 1 && x.c.array != nullptr && arrays_on_host(driver, x))
        return {Kind::gpus, by_gpu(driver, x)};
    return {Kind::gpus, {{c.gpu, {}}}};
}

}  // namespace gemmill
