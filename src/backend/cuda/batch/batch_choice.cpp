// SPDX-License-Identifier: Apache-2.0
// Which kernel makes a batch of one shape: by estimates, and by times of the first calls.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/batch/batch_table.hpp"
#include "backend/cuda/batch_table_data.hpp"
#include "batch/estimate.hpp"
#include "batch/trials.hpp"

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

/// Kernels and calls that are worth a trial, the fastest by estimate first. Estimates of cuBLAS are
/// off by more than those of kernels: its calls are tried though they seem to be slower.
std::vector<BatchChoice> choices_by_estimate(const Batch& x, bool cublas_may, const BatchGpu& gpu) {
    static const CostsOfTypes all = costs_of(batch_costs_sm90);
    constexpr double as_fast = 1.2, as_fast_by_cublas = 1.5;
    const CostsOfType& of_type = all[static_cast<std::size_t>(x.type)];
    const bool is_strided = x.c.array == nullptr;
    const Kernels& kernels = is_few(x, gpu) ? of_type.few
                             : is_strided   ? of_type.strided
                                            : of_type.pointers;
    std::vector<std::pair<double, BatchChoice>> offers;
    // False: nothing is known of it.
    const auto offer_cublas = [&](bool by_pointers) {
        const auto found =
            of_type.calls.find(costs_name(x, by_pointers ? "cublas:pointers" : "cublas", gpu));
        if (found == of_type.calls.end()) return false;
        const double call = seconds_of(cublas_work(x, gpu.processors), found->second, gpu);
        offers.push_back({seconds_as_offered(x, by_pointers, call, gpu), {nullptr, by_pointers}});
        return true;
    };
    for (const auto& [kernel, costs] : kernels)
        if (can_make(*kernel, x))
            offers.push_back({seconds_of(kernel->work(x, gpu.processors), costs, gpu), {kernel}});
    // Pointers are made only where it is known what they save, and where they are taken.
    if (cublas_may && (!is_strided || (offer_cublas(false) && cublas_takes_pointers(x))))
        offer_cublas(true);
    if (offers.empty()) return {{batch_kernel_named(x.type, "far")}};
    std::ranges::stable_sort(offers, {}, &std::pair<double, BatchChoice>::first);
    std::vector<BatchChoice> choices;
    for (const auto& [seconds, choice] : offers)
        if (seconds <= (choice.kernel == nullptr ? as_fast_by_cublas : as_fast) * offers[0].first)
            choices.push_back(choice);
    return choices;
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

/// Events that nobody uses at the moment, of all threads.
class TimingEvents {
  public:
    cudaEvent_t take(int device) {
        {
            const std::lock_guard lock(mutex_);
            std::vector<cudaEvent_t>& free = free_[device];
            if (!free.empty()) {
                const cudaEvent_t event = free.back();
                free.pop_back();
                return event;
            }
        }
        cudaEvent_t event = nullptr;
        return cudaEventCreate(&event) == cudaSuccess ? event : nullptr;
    }
    void give(int device, cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        if (event != nullptr) free_[device].push_back(event);
    }

  private:
    std::mutex mutex_;
    std::map<int, std::vector<cudaEvent_t>> free_;
};
/// Never destroyed: threads may end after it would be.
TimingEvents& timing_events() {
    static auto* const events = new TimingEvents;
    return *events;
}

/// A call whose time is wanted.
struct TimedCall {
    int candidate = 0;
    cudaEvent_t begin = nullptr, end = nullptr;
};

}  // namespace

/// A shape, who may make it, and what is known of them.
struct KnownShape {
    Key key;
    std::vector<BatchChoice> choices;
    BatchTrials trials;
    std::vector<TimedCall> calls;  // in streams

    KnownShape() = default;
    KnownShape(const Key& of, std::vector<BatchChoice> all)
        : key(of), choices(std::move(all)), trials(static_cast<int>(choices.size())) {}
    KnownShape(KnownShape&&) = delete;
    KnownShape& operator=(KnownShape&& other) noexcept {
        std::swap(key, other.key), std::swap(choices, other.choices);
        std::swap(trials, other.trials), std::swap(calls, other.calls);
        return *this;
    }
    ~KnownShape() {
        for (const TimedCall& call : calls) give_back(call);
    }

    /// Times of calls that have ended. A call that failed has none.
    void look() {
        std::erase_if(calls, [&](const TimedCall& call) {
            const auto state = cudaEventQuery(call.end);
            if (state != cudaSuccess) cudaGetLastError();
            if (state == cudaErrorNotReady) return false;
            float milliseconds = 0;
            if (state == cudaSuccess &&
                cudaEventElapsedTime(&milliseconds, call.begin, call.end) == cudaSuccess)
                trials.note(call.candidate, 1e-3 * milliseconds);
            give_back(call);
            return true;
        });
    }
    void give_back(const TimedCall& call) const {
        timing_events().give(key.device, call.begin);
        timing_events().give(key.device, call.end);
    }
};

namespace {

KnownShape& known_shape(const Key& key, const Batch& x) {
    constexpr std::size_t places = 256;
    thread_local std::array<KnownShape, places> memory{};
    KnownShape& known = memory[place_of(key, places)];
    if (known.key == key) return known;
    const BatchGpu& gpu = gpu_of(key.device);
    std::vector<BatchChoice> choices;
    if (is_in_table(x, gpu))
        if (const auto choice = choice_by_table(x, key.cublas_may)) choices = {*choice};
    if (choices.empty())
        choices = worth_trying(choices_by_estimate(x, key.cublas_may, gpu), is_few(x, gpu));
    KnownShape shape(key, std::move(choices));
    known = std::move(shape);
    return known;
}

/// Begins to time a call; false: it cannot be.
bool begin_timing(KnownShape& shape, int candidate, cudaStream_t stream) {
    TimedCall call{candidate, timing_events().take(shape.key.device),
                   timing_events().take(shape.key.device)};
    const bool begun = call.begin != nullptr && call.end != nullptr &&
                       cudaEventRecord(call.begin, stream) == cudaSuccess;
    if (begun)
        shape.calls.push_back(call);
    else
        shape.give_back(call);
    return begun;
}

}  // namespace

BatchCall::BatchCall(int device, cudaStream_t stream, const Batch& batch, bool cublas_may,
                     bool may_try)
    : stream_(stream) {
    KnownShape& shape = known_shape(key_of(device, batch, cublas_may), batch);
    choice_ = shape.choices.front();
    if (!may_try || shape.choices.size() == 1) return;
    const bool open = shape.trials.has_turns() || !shape.calls.empty();
    // What a graph captures is not timed, and no event is looked at meanwhile.
    const bool captured = open && batch::is_captured(stream);
    if (open && !captured) shape.look();
    const auto [candidate, timed] =
        captured ? BatchTrials::Turn{shape.trials.best(), false} : shape.trials.next();
    choice_ = shape.choices[static_cast<std::size_t>(candidate)];
    if (timed && begin_timing(shape, candidate, stream)) timed_ = &shape;
}

BatchCall::~BatchCall() {
    if (timed_ == nullptr || cudaEventRecord(timed_->calls.back().end, stream_) == cudaSuccess)
        return;
    timed_->give_back(timed_->calls.back());
    timed_->calls.pop_back();
}

}  // namespace gemmill
