// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_estimate.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "backend/cuda/batch_table_data.hpp"
#include "batch/choice/estimate.hpp"
#include "batch/choice/trials.hpp"

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

/// How long a choice takes, about.
using Offers = std::vector<std::pair<double, BatchChoice>>;

const CostsOfType& costs_of_type(Type type) {
    static const CostsOfTypes all = costs_of(batch_costs_sm90);
    return all[static_cast<std::size_t>(type)];
}

Offers offers_of_kernels(const Batch& x, const BatchGpu& gpu) {
    const CostsOfType& of_type = costs_of_type(x.type);
    const Kernels& kernels = is_few(x, gpu)         ? of_type.few
                             : x.c.array == nullptr ? of_type.strided
                                                    : of_type.pointers;
    Offers offers;
    for (const auto& [kernel, costs] : kernels)
        if (can_make(*kernel, x))
            offers.push_back({seconds_of(kernel->work(x, gpu.processors), costs, gpu), {kernel}});
    return offers;
}

Offers offers_of_cublas(const Batch& x, const BatchGpu& gpu) {
    const Calls& calls = costs_of_type(x.type).calls;
    Offers offers;
    // False: nothing is known of it.
    const auto offer_cublas = [&](bool by_pointers) {
        const auto found =
            calls.find(costs_name(x, by_pointers ? "cublas:pointers" : "cublas", gpu));
        if (found == calls.end()) return false;
        const double call = seconds_of(cublas_work(x, gpu.processors), found->second, gpu);
        offers.push_back({seconds_as_offered(x, by_pointers, call, gpu), {nullptr, by_pointers}});
        return true;
    };
    // Pointers are made only where it is known what they save, and where they are taken.
    if (x.c.array != nullptr || (offer_cublas(false) && cublas_takes_pointers(x)))
        offer_cublas(true);
    return offers;
}

/// Those that are worth a trial, the fastest first. Estimates of cuBLAS are off by more than those
/// of kernels: its calls are tried though they seem to be slower.
std::vector<BatchChoice> fastest_of(Offers offers, Type type, double as_fast) {
    constexpr double as_fast_by_cublas = 1.5;
    if (offers.empty()) return {{batch_kernel_named(type, "far")}};
    std::ranges::stable_sort(offers, {}, &Offers::value_type::first);
    std::vector<BatchChoice> choices;
    for (const auto& [seconds, choice] : offers)
        if (seconds <= (choice.kernel == nullptr ? as_fast_by_cublas : as_fast) * offers[0].first)
            choices.push_back(choice);
    return choices;
}

std::vector<BatchChoice> choices_by_estimate(const Batch& x, bool cublas_may, double as_fast,
                                             const BatchGpu& gpu) {
    Offers offers = offers_of_kernels(x, gpu);
    if (cublas_may) std::ranges::copy(offers_of_cublas(x, gpu), std::back_inserter(offers));
    return fastest_of(std::move(offers), x.type, as_fast);
}

/// At most as many as can be tried, calls of cuBLAS among them. Few products take as long as the
/// host needs to begin them, which events do not tell: the first is left.
std::vector<BatchChoice> worth_trying(std::vector<BatchChoice> choices, bool few) {
    if (few) choices.resize(1);
    while (choices.size() > BatchTrials::most) {
        auto last = choices.end() - 1;
        while (last != choices.begin() && last->kernel == nullptr) --last;
        choices.erase(last);
    }
    return choices;
}

}  // namespace

bool is_few_on(int device, const Batch& x) { return is_few(x, gpu_of(device)); }

std::vector<BatchChoice> choices_for(int device, const Batch& x, bool cublas_may, double as_fast) {
    const BatchGpu& gpu = gpu_of(device);
    if (is_in_table(x, gpu))
        if (const auto choice = choice_by_table(x, cublas_may)) return {*choice};
    return worth_trying(choices_by_estimate(x, cublas_may, as_fast, gpu), is_few(x, gpu));
}

std::vector<int> fits_for(int device, const Batch& x) {
    constexpr double as_fast = 1.5;
    const Offers offers = offers_of_kernels(x, gpu_of(device));
    std::vector<int> worthwhile;
    if (offers.empty()) return worthwhile;
    const double least = std::ranges::min_element(offers, {}, &Offers::value_type::first)->first;
    const auto fits = batch::fits_of(x.type);
    for (std::size_t i = 0; i < fits.size(); ++i)
        if (std::ranges::any_of(offers, [&](const auto& offer) {
                return offer.second.kernel->name == fits[i].name && offer.first <= as_fast * least;
            }))
            worthwhile.push_back(static_cast<int>(i));
    return worthwhile;
}

}  // namespace gemmill
