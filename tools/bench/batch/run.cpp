// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include "backend/plugin.hpp"
#include "bench/batch/layout.hpp"
#include "bench/timing.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/batch.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "random/arrays.hpp"

namespace gemmill::command {

struct BatchBench::Contender {
    std::string who;
    std::function<void()> call;
    int first_calls = 0;  // more, before the first sample
    bool fitted = false;  // when kernels have been fitted to the shape
};

namespace {

Options options_of(const std::string& devices) {
    Options options = Options::from_environment();
    options.devices = devices;
    return options;
}

/// Where each begins when they follow one another, at multiples of `unit` elements.
std::vector<index_t> places_of(const std::vector<index_t>& rows, const std::vector<index_t>& cols,
                               index_t unit) {
    std::vector<index_t> places{0};
    for (std::size_t i = 0; i < rows.size(); ++i)
        places.push_back(places.back() + (rows[i] * cols[i] + unit - 1) / unit * unit);
    return places;
}

index_t count_of(const BatchBenchCase& one, std::size_t room) {
    const bool varies = one.kind == BatchKind::variable;
    const auto [a, b, c] = one.gaps;
    const auto stored = [](Op op, index_t rows, index_t cols, index_t gap) {
        return op == Op::NoTrans ? (rows + gap) * cols : (cols + gap) * rows;
    };
    const index_t largest = std::max({stored(one.op_a, one.m, one.k, a),
                                      stored(one.op_b, one.k, one.n, b), (one.m + c) * one.n});
    const index_t most = static_cast<index_t>(room) / (bytes_of(one.type) * (largest + 16));
    if (one.count > 0) return std::min(one.count, most);
    if (one.bytes > 0)
        return std::clamp<index_t>(
            static_cast<index_t>(one.bytes) /
                (bytes_of(one.type) * (one.m * one.k + one.k * one.n + 2 * one.m * one.n)),
            1, std::min<index_t>(most, 8000000));
    // A third of the largest is what evenly spread sizes have in the mean, and a little.
    const bool is_small = one.spread == BatchSpread::skewed || one.spread == BatchSpread::tiny;
    if (varies) return is_small ? 100000 : std::min<index_t>(100000, 2 * most);
    return std::min<index_t>(most, 4000000);
}

/// The same matrices, which lie at equal distances.
Batch without_arrays(Batch x) {
    x.a.array = x.b.array = x.c.array = nullptr;
    return x;
}

}  // namespace

const BatchTiming* BatchResult::peer() const {
    const BatchTiming* best = nullptr;
    for (const BatchTiming& t :
         std::span(timings).subspan(std::min<std::size_t>(1, timings.size())))
        if (best == nullptr ||
            (t.fault.empty() && (!best->fault.empty() || t.seconds < best->seconds)))
            best = &t;
    return best;
}

bool BatchResult::right() const {
    return !timings.empty() && timings[0].fault.empty() &&
           std::ranges::all_of(timings, [](const BatchTiming& t) { return t.error <= 1; });
}

BatchBench::BatchBench(const std::string& devices, int gpu, std::size_t room, int repeats,
                       bool peers, bool fitted)
    : context_(options_of(devices)),
      gpu_(gpu),
      with_peers_(peers),
      room_(room),
      repeats_(repeats),
      fitted_(fitted) {
    if (devices != "cpu") peers_ = std::make_unique<OpenPeers>(peers_library(), gpu);
    for (std::byte** buffer : {&a_, &b_, &c_, &c0_}) *buffer = allocate(room_);
}

BatchBench::~BatchBench() {
    for (auto* all : {&owned_, &arrays_})
        for (std::byte* pointer : *all) context_.release(pointer);
}

std::byte* BatchBench::allocate(std::size_t bytes) {
    void* pointer = on_gpu() ? context_.allocate(0, bytes) : context_.allocate_host(bytes);
    owned_.push_back(static_cast<std::byte*>(pointer));
    return owned_.back();
}

std::string BatchBench::gpu_name() const { return on_gpu() ? peers_->gpu_name() : ""; }

double BatchBench::copy_rate() const {
    if (!on_gpu()) return std::nan("");
    peers_->copy(b_, a_, room_);
    std::vector<double> samples;
    for (int i = 0; i < repeats_; ++i) {
        const auto start = std::chrono::steady_clock::now();
        peers_->copy(b_, a_, room_);
        samples.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return 2 * static_cast<double>(room_) / median(samples);
}

/// Reals of the type's precision; the same bytes serve real and complex types.
void BatchBench::fill(Type type) {
    const Type real = is_short(type)                       ? type
                      : type == Type::s || type == Type::c ? Type::s
                                                           : Type::d;
    if (filled_ == real) return;
    std::unique_ptr<std::byte[]> host = std::make_unique_for_overwrite<std::byte[]>(room_);
    std::byte* const buffers[] = {a_, b_, c0_};
    for (std::size_t i = 0; i < 3; ++i) {
        fill_random(real, host.get(), static_cast<index_t>(room_) / bytes_of(real), seeds[i]);
        context_.copy(buffers[i], host.get(), room_);
    }
    filled_ = real;
}

BatchBench::Layout BatchBench::lay_out(const BatchBenchCase& one) {
    Layout x;
    x.varies = one.kind == BatchKind::variable;
    index_t count = count_of(one, room_);
    const auto sizes = [&](index_t most, unsigned seed) {
        return x.varies ? batch_sizes(most, count, one.spread, seed) : std::vector<index_t>{most};
    };
    x.m = sizes(one.m, 1), x.n = sizes(one.n, 2), x.k = sizes(one.k, 3);
    const bool a_as_is = one.op_a == Op::NoTrans, b_as_is = one.op_b == Op::NoTrans;
    const auto wider = [](std::vector<index_t> rows, index_t gap) {
        for (index_t& ld : rows) ld += gap;
        return rows;
    };
    x.lda = wider(a_as_is ? x.m : x.k, one.gaps[0]);
    x.ldb = wider(b_as_is ? x.k : x.n, one.gaps[1]);
    x.ldc = wider(x.m, one.gaps[2]);
    const index_t unit = x.varies ? 16 : 1;
    x.a = places_of(x.lda, a_as_is ? x.k : x.m, unit);
    x.b = places_of(x.ldb, b_as_is ? x.n : x.k, unit);
    x.c = places_of(x.ldc, x.n, unit);
    // As many as there is room for.
    const auto room = static_cast<index_t>(room_) / bytes_of(one.type);
    const auto fitting = [&](const std::vector<index_t>& places) {
        return std::ranges::upper_bound(places, room) - places.begin() - 1;
    };
    if (x.varies) count = std::min({count, fitting(x.a), fitting(x.b), fitting(x.c)});

    Batch& h = x.here;
    h.type = one.type;
    h.count = count;
    h.op_a = {one.op_a}, h.op_b = {one.op_b};
    h.m = {one.m}, h.n = {one.n}, h.k = {one.k};
    h.alpha.all = batch_alpha, h.beta.all = batch_beta;
    h.a = {a_, x.a[1], nullptr, {x.lda[0]}};
    h.b = {b_, x.b[1], nullptr, {x.ldb[0]}};
    h.c = {c_, x.c[1], nullptr, {x.ldc[0]}};
    x.there = h;
    const bool is_strided = one.kind == BatchKind::strided;
    if (is_strided && (!on_gpu() || !with_peers_)) return x;
    const index_t bytes = bytes_of(one.type);
    const auto list = [&](std::vector<const void*>& all, const std::byte* data,
                          const Layout::Sizes& places) {
        all.resize(static_cast<std::size_t>(count));
        for (index_t i = 0; i < count; ++i)
            all[static_cast<std::size_t>(i)] = data + x.place(places, i) * bytes;
    };
    list(x.of_a, a_, x.a), list(x.of_b, b_, x.b), list(x.of_c, c_, x.c);
    Batch pointers = h;
    pointers.a.array = x.of_a.data(), pointers.b.array = x.of_b.data();
    pointers.c.array = x.of_c.data();
    if (x.varies) {
        pointers.m.each = x.m.data(), pointers.n.each = x.n.data(), pointers.k.each = x.k.data();
        pointers.a.ld.each = x.lda.data(), pointers.b.ld.each = x.ldb.data();
        pointers.c.ld.each = x.ldc.data();
    }
    x.by_pointers = on_gpu() ? send(pointers) : pointers;
    if (is_strided) return x;
    h = pointers;
    x.there = x.by_pointers;
    return x;
}

/// With all arrays on the GPU.
Batch BatchBench::send(Batch x) {
    const auto bring = [&](auto*& array) {
        if (array == nullptr) return;
        const std::size_t size = sizeof(*array) * static_cast<std::size_t>(x.count);
        auto* there = static_cast<std::byte*>(context_.allocate(0, size));
        arrays_.push_back(there);
        context_.copy(there, array, size);
        array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(there);
    };
    for (auto* of : {&x.a, &x.b, &x.c}) bring(of->array), bring(of->ld.each);
    for (auto* of : {&x.m, &x.n, &x.k}) bring(of->each);
    return x;
}

/// Each kernel that is compiled in, and cuBLAS.
std::vector<BatchBench::Contender> BatchBench::kernels(const Layout& x) {
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    require(driver != nullptr, Code::no_device, "a GPU", why);
    std::vector<Contender> all;
    const auto add = [&](const char* name) {
        all.push_back({name, [this, driver, &x, name] {
                           const int code = driver->batch_by(gpu_, peers_->stream(), x.there, name);
                           require(code == 0, Code::failed_step, "", driver->words(code));
                       }});
    };
    const index_t edge = std::max(x.here.m.all, x.here.n.all);
    const bool is_strided = x.there.c.array == nullptr;
    GpuBatchKernel kernel{};
    for (int i = 0; driver->batch_kernel(x.here.type, i, &kernel); ++i)
        if ((kernel.edge == 0 || edge <= kernel.edge) &&
            (kernel.k == 0 || x.here.k.all <= kernel.k) && (!kernel.chains || is_strided))
            add(kernel.name);
    add("cublas");
    if (is_strided) add("cublas:pointers");
    return all;
}

std::vector<BatchBench::Contender> BatchBench::contenders(const BatchBenchCase& one,
                                                          const Layout& x) {
    BatchOptions options;
    if (on_gpu()) options.stream = peers_->stream();
    // What is measured are calls that are warm. On a GPU ours tries kernels in the first calls of a
    // shape, and of arrays of pointers; all of it is over after so many. Large batches of a program
    // that goes on get kernels that are fitted to their shape. A peer tries nothing.
    const bool tries = on_gpu() && !x.varies;
    const int first_calls = tries ? 20 : 0;
    const bool fitted = tries && fitted_ && one.count == 0;
    std::vector<Contender> all{
        {"ours",
         [this, &x, options] { gemm_batch(context_, gemmill::Layout::ColMajor, x.there, options); },
         first_calls, fitted}};
    if (!with_peers_) return all;
    if (!on_gpu()) {
        all.push_back({"host BLAS", [&x] {
                           for (index_t i = 0; i < x.here.count; ++i)
                               host_gemm(product_of(x.here, i));
                       }});
        return all;
    }
    // Of random shapes the peer is the better of both calls, also by pointers.
    if (one.kind == BatchKind::strided || (one.kind == BatchKind::pointers && one.bytes > 0))
        all.push_back({"cuBLAS strided", [this, at_strides = without_arrays(x.there)] {
                           peers_->batched(at_strides);
                       }});
    if (one.kind != BatchKind::variable) {
        all.push_back({"cuBLAS pointers", [this, &x] { peers_->batched(x.by_pointers); }});
        return all;
    }
    if (is_complex(one.type)) {
        all.push_back({"one call each", [this, &x] { peers_->one_by_one(x.here); }});
        return all;
    }
    Batch grouped = x.here;
    grouped.a.array = x.there.a.array;
    grouped.b.array = x.there.b.array;
    grouped.c.array = x.there.c.array;
    peers_->set_groups(grouped);
    all.push_back({"cuBLAS grouped", [this] { peers_->grouped(); }});
    return all;
}

void BatchBench::wait() const {
    if (on_gpu()) peers_->synchronize();
}

/// Calls until kernels are fitted to the shape, which begins when its calls have taken a while, and
/// then as often as these are tried.
void BatchBench::call_until_fitted(const std::function<double(int calls)>& seconds_of) {
    constexpr double until_asked = 0.02, most = 3;
    constexpr int some = 4, trials = 12;
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    double spent = 0;
    while (spent < until_asked || (driver->batch_is_fitting() && spent < most))
        spent += seconds_of(some);
    seconds_of(trials);
}

/// Several calls in a row, waited for together, take a multiple of one. What is slow is called less
/// often, and what is hopeless once more. What takes microseconds is called for a millisecond, so
/// that the host is as used to it as in a program that calls it often.
double BatchBench::time(const Contender& contender, double hopeless) const {
    using Clock = std::chrono::steady_clock;
    constexpr double slow = 0.01, enough = 0.15, at_least = 1e-3, most_to_warm = 0.05;
    const auto seconds_of = [&](int calls) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) contender.call();
        wait();
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const double once = seconds_of(1);
    if (once > hopeless) return once;
    const int in_a_row = once > slow ? 1 : 4;
    double warming = 0;
    for (int calls = 0; calls < contender.first_calls && warming < most_to_warm; calls += in_a_row)
        warming += seconds_of(in_a_row);
    if (contender.fitted) call_until_fitted(seconds_of);
    std::vector<double> samples;
    double spent = 0;
    const auto is_enough = [&] {
        const auto count = static_cast<int>(samples.size());
        return spent >= at_least && (count >= repeats_ || (count >= 3 && spent >= enough));
    };
    while (!is_enough()) {
        const double seconds = seconds_of(in_a_row);
        spent += seconds;
        samples.push_back(seconds / in_a_row);
    }
    return median(samples);
}

BatchResult BatchBench::run(const BatchBenchCase& one, bool each_kernel,
                            const std::vector<MoreKernel>& more) {
    fill(one.type);
    for (std::byte* pointer : arrays_) context_.release(pointer);
    arrays_.clear();
    const Layout x = lay_out(one);
    BatchResult result;
    result.one = one;
    result.count = x.here.count;
    result.batch = x.there;
    const index_t different = x.varies ? x.here.count : 1;
    const double each = x.varies ? 1 : static_cast<double>(x.here.count);
    for (index_t i = 0; i < different; ++i) {
        const auto m = static_cast<double>(x.size(x.m, i)), n = static_cast<double>(x.size(x.n, i)),
                   k = static_cast<double>(x.size(x.k, i));
        result.bytes +=
            each * static_cast<double>(bytes_of(one.type)) * (m * k + k * n + 2 * m * n);
        result.flops += each * flops_per_fma(one.type) * m * n * k;
    }
    // Of random shapes, and where every kernel runs, there are many batches to look at.
    const std::vector<Looked> looked = look_at(one, x,
                                               each_kernel                 ? 4
                                               : one.bytes > 0 && on_gpu() ? 10
                                                                           : 50);
    std::vector<Contender> all = each_kernel ? kernels(x) : contenders(one, x);
    for (const MoreKernel& kernel : more)
        all.push_back(
            {kernel.name, [this, &kernel, &x] { kernel.run(gpu_, peers_->stream(), x.there); }});
    // Where every kernel runs, most of them are out of the question.
    constexpr double never = std::numeric_limits<double>::infinity(), times_best = 4, launch = 2e-5;
    double hopeless = never;
    for (const Contender& contender : all) {
        BatchTiming timing;
        timing.who = contender.who;
        try {
            context_.copy(c_, c0_, x.bytes_of_c());
            contender.call();
            wait();
            timing.error = error_of(one, x, looked);
            timing.seconds = time(contender, hopeless);
            if (each_kernel) hopeless = std::min(hopeless, times_best * timing.seconds + launch);
        } catch (const Error& error) {
            timing.fault = error.text();
        }
        result.timings.push_back(timing);
    }
    return result;
}

}  // namespace gemmill::command
