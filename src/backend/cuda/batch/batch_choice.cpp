// SPDX-License-Identifier: Apache-2.0
// Which kernel makes a batch of one shape, by estimates.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "backend/cuda/batch/batch_table.hpp"
#include "backend/cuda/batch_table_data.hpp"
#include "batch/estimate.hpp"

namespace gemmill {
namespace {

using Kernels = std::vector<std::pair<const batch::Kernel*, BatchCosts>>;
using Calls = std::map<std::string, BatchCosts>;  // of cuBLAS, by what their costs are called
struct CostsOfType {
    Kernels few, strided, pointers;
    Calls calls;
};
using CostsOfTypes = std::array<CostsOfType, type_count>;

/// Takes it off a name that ends in it.
bool take_ending(std::string& name, std::string_view ending) {
    if (!name.ends_with(ending)) return false;
    name.resize(name.size() - ending.size());
    return true;
}

CostsOfTypes costs_of(const char* text) {
    CostsOfTypes all;
    for (const BatchCosts& costs : parse_all_costs(text)) {
        CostsOfType& of = all[static_cast<std::size_t>(costs.type)];
        std::string name = costs.kernel;
        const bool few = take_ending(name, few_ending),
                   pointers = take_ending(name, pointers_ending);
        if (const batch::Kernel* kernel = batch_kernel_named(costs.type, name))
            (few ? of.few : pointers ? of.pointers : of.strided).emplace_back(kernel, costs);
        else
            of.calls[costs.kernel] = costs;
    }
    return all;
}

/// What a device has; where it does not say, a device like the one that was measured.
BatchGpu look_at(int device) {
    constexpr double of_peak = 0.87;  // a copy, on an H200
    BatchGpu gpu;
    int processors = 0, kilohertz = 0, bits = 0, cache = 0;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess)
        gpu.processors = processors;
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) == cudaSuccess &&
        kilohertz > 0 && bits > 0)
        gpu.memory = of_peak * 2e3 * kilohertz * bits / 8;
    if (cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device) == cudaSuccess && cache > 0)
        gpu.cache = cache / 2.0;
    return gpu;
}
const BatchGpu& gpu_of(int device) {
    thread_local std::map<int, BatchGpu> known;
    const auto found = known.find(device);
    return found != known.end() ? found->second
                                : known.emplace(device, look_at(device)).first->second;
}

/// Squares without gaps, and those with k = 8, of more than a cache holds: what the table is of.
bool is_in_table(const Batch& x, const BatchGpu& gpu) {
    constexpr index_t thin = 8;
    const index_t n = x.n.all;
    return x.m.all == n && (x.k.all == n || x.k.all == thin) && x.c.ld.all == n &&
           x.a.ld.all == (x.op_a.all == Op::NoTrans ? n : x.k.all) &&
           x.b.ld.all == (x.op_b.all == Op::NoTrans ? x.k.all : n) && traffic_of(x) > 2 * gpu.cache;
}

BatchChoice choice_by_estimate(const Batch& x, bool cublas_may, const BatchGpu& gpu) {
    static const CostsOfTypes all = costs_of(batch_costs_sm90);
    const CostsOfType& of_type = all[static_cast<std::size_t>(x.type)];
    const bool is_strided = x.c.array == nullptr;
    const Kernels& kernels = is_few(x, gpu) ? of_type.few
                             : is_strided   ? of_type.strided
                                            : of_type.pointers;
    BatchChoice best{batch_kernel_named(x.type, "far")};
    double least = 0;
    const auto offer = [&](const BatchChoice& choice, double seconds) {
        if (least == 0 || seconds < least) least = seconds, best = choice;
    };
    // False: nothing is known of it.
    const auto offer_cublas = [&](bool by_pointers) {
        const auto found =
            of_type.calls.find(costs_name(x, by_pointers ? "cublas:pointers" : "cublas", gpu));
        if (found == of_type.calls.end()) return false;
        const double call = seconds_of(cublas_work(x, gpu.processors), found->second, gpu);
        offer({nullptr, by_pointers}, seconds_as_offered(x, by_pointers, call, gpu));
        return true;
    };
    for (const auto& [kernel, costs] : kernels)
        if (can_make(*kernel, x))
            offer({kernel}, seconds_of(kernel->work(x, gpu.processors), costs, gpu));
    if (!cublas_may) return best;
    // Pointers are made only where it is known what they save.
    if (!is_strided || offer_cublas(false)) offer_cublas(true);
    return best;
}

/// All that a choice depends on.
struct Key {
    int device = -1;
    Type type = Type::d;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    bool cublas_may = false, reads = false;
    std::array<index_t, 10> sizes{};
    std::array<bool, 3> pointers{};
    std::array<unsigned, 3> behind{};  // a multiple of 16 bytes
    bool operator==(const Key&) const = default;
};
Key key_of(int device, const Batch& x, bool cublas_may) {
    const auto behind = [](const BatchMatrix& of) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(of.data) % 16);
    };
    return {device,
            x.type,
            x.op_a.all,
            x.op_b.all,
            cublas_may,
            x.beta.all != Scalar{},
            {x.m.all, x.n.all, x.k.all, x.count, x.a.ld.all, x.b.ld.all, x.c.ld.all, x.a.stride,
             x.b.stride, x.c.stride},
            {x.a.array != nullptr, x.b.array != nullptr, x.c.array != nullptr},
            {behind(x.a), behind(x.b), behind(x.c)}};
}
std::size_t place_of(const Key& key, std::size_t places) {
    std::uint64_t h = static_cast<std::uint64_t>(key.type) + 14695981039346656037U;
    for (const index_t size : key.sizes)
        h = (h ^ static_cast<std::uint64_t>(size)) * 1099511628211U;
    return (h >> 32) % places;
}

}  // namespace

BatchChoice batch_choice(int device, const Batch& x, bool cublas_may) {
    struct Known {
        Key key;
        BatchChoice choice;
    };
    constexpr std::size_t places = 256;
    thread_local std::array<Known, places> memory{};
    const Key key = key_of(device, x, cublas_may);
    Known& known = memory[place_of(key, places)];
    if (known.key == key) return known.choice;
    const BatchGpu& gpu = gpu_of(device);
    std::optional<BatchChoice> choice;
    if (is_in_table(x, gpu)) choice = choice_by_table(x, cublas_may);
    if (!choice) choice = choice_by_estimate(x, cublas_may, gpu);
    known = {key, *choice};
    return *choice;
}

}  // namespace gemmill
