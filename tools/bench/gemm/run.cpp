// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/product_error.hpp"
#include "command/console.hpp"
#include "command/values.hpp"
#include "gemmill/gemm.hpp"

namespace gemmill::command {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double long_call = 1;  // seconds: peers that take longer are called less often
constexpr std::size_t least_samples = 2;
constexpr index_t call_size = 256;

Options options_of(const std::string& devices, const BenchCase& one) {
    Options options = Options::from_environment();
    options.devices = one.shares > 1 ? fmt::format("{}x{}", devices, one.shares) : devices;
    if (one.cap > 0) options.device_memory = one.cap;
    options.pin = 0;  // pageable memory stays so, for the peers too
    return options;
}

BenchCase on_gpu(Type type, index_t n) {
    BenchCase one;
    one.type = type;
    one.m = one.n = one.k = n;
    one.at = "000";
    return one;
}

/// A square on the GPU for each type of the cases, large enough for full speed.
std::vector<BenchCase> rate_cases(const BenchSetup& setup) {
    std::vector<BenchCase> all;
    for (const BenchCase& one : setup.cases) {
        const index_t n = setup.quick ? 1024 : is_complex(one.type) ? 8192 : 16384;
        if (std::ranges::find(all, one.type, &BenchCase::type) == all.end())
            all.push_back(on_gpu(one.type, n));
    }
    return all;
}

std::vector<BenchCase> joined(std::vector<BenchCase> all, const std::vector<BenchCase>& more,
                              const BenchCase& last) {
    all.insert(all.end(), more.begin(), more.end());
    all.push_back(last);
    return all;
}

void multiply(Context& context, const GemmArgs& g) {
    with_type(g.type, [&]<class T>() {
        gemm<T>(context, Layout::ColMajor, g.op_a, g.op_b, g.m, g.n, g.k,
                from_scalar<scalar_t<T>>(g.alpha), static_cast<const T*>(g.a), g.lda,
                static_cast<const T*>(g.b), g.ldb, from_scalar<scalar_t<T>>(g.beta),
                static_cast<T*>(g.c), g.ldc);
    });
}

Problem problem_of(const Context& context, const GemmArgs& g) {
    Problem p;
    p.type = g.type;
    p.m = g.m, p.n = g.n, p.k = g.k;
    p.alpha = p.beta = Factor::general;
    p.home = {context.locate(g.a), context.locate(g.b), context.locate(g.c)};
    return p;
}

bool is_peer(const Timing& timing) { return timing.who != Who::ours && timing.who != Who::plain; }

bool wants_more(const Timing& timing) {
    if (!timing.fault.empty()) return false;
    return !is_peer(timing) || timing.samples.size() < least_samples ||
           timing.samples.front() <= long_call;
}

}  // namespace

double BenchResult::seconds(Who who) const { return fastest(timings, who); }

double BenchResult::seconds_of_block(int block) const {
    const auto found = std::ranges::find_if(
        timings, [&](const Timing& t) { return t.who == Who::xt && t.block == block; });
    return found == timings.end() ? nan : found->seconds();
}

double BenchResult::found() const {
    const double ours = seconds(Who::ours);
    switch (one.rule) {
        case Rule::best_block:
            return seconds(Who::xt) / ours;
        case Rule::uncapped:
            return seconds(Who::plain) / ours;
        case Rule::in_core:
            return seconds(Who::in_core) / ours;
        case Rule::bound:
            return bound.seconds() / ours;
        case Rule::one_device:
            return ours / seconds(Who::plain);
        case Rule::none:
            break;
    }
    return nan;
}

bool BenchResult::right() const { return all_right(timings); }

Bench::Bench(BenchSetup setup, const Peers& (*table)(), int gpu)
    : setup_(std::move(setup)),
      context_(named("--devices", [&] { return Context(options_of(setup_.devices, {})); })),
      peers_(table(), gpu),
      default_block_(peers_.default_block()),
      rate_cases_(rate_cases(setup_)),
      call_case_(on_gpu(Type::d, call_size)),
      data_(context_, joined(setup_.cases, rate_cases_, call_case_)) {}

// --- rates --------------------------------------------------------------------------------------

/// Bytes a second of the fastest of several copies.
double Bench::copy_rate(void* to, const void* from, std::size_t bytes) const {
    constexpr int copies = 3;
    const auto copy = [&] { peers_.copy(to, from, bytes); };
    copy();
    double least = seconds_of(copy);
    for (int i = 1; i < copies; ++i) least = std::min(least, seconds_of(copy));
    return static_cast<double>(bytes) / least;
}

/// Flops a second of the fastest of several calls.
double Bench::in_core_rate(const BenchCase& one) {
    const GemmArgs args = data_.place(one);
    data_.reset(one);
    const auto call = [&] { peers_.in_core(args); };
    call();
    double least = seconds_of(call);
    for (int i = 1; i < setup_.repeats; ++i) least = std::min(least, seconds_of(call));
    return flops_of(one) / least;
}

Rates Bench::measure_rates() {
    const Progress progress("measuring rates");
    Rates rates;
    const std::size_t bytes = std::size_t{1} << (setup_.quick ? 26 : 30);
    const auto memory = [&](void* data) {
        return std::unique_ptr<void, std::function<void(void*)>>(
            data, [&](void* p) { context_.release(p); });
    };
    const auto host = memory(context_.allocate_host(bytes));
    const auto device = memory(context_.allocate(0, bytes));
    fill_random(Type::d, host.get(), static_cast<index_t>(bytes) / bytes_of(Type::d), 4);
    rates.h2d = copy_rate(device.get(), host.get(), bytes);
    rates.d2h = copy_rate(host.get(), device.get(), bytes);
    for (const BenchCase& one : rate_cases_)
        rates.in_core[static_cast<std::size_t>(one.type)] = in_core_rate(one);
    return rates;
}

CallTime Bench::measure_call() {
    const Progress progress("measuring small calls");
    const int calls = setup_.quick ? 20 : 200;
    const GemmArgs args = data_.place(call_case_);
    data_.reset(call_case_);
    const auto ours = [&] { multiply(context_, args); };
    const auto in_core = [&] { peers_.in_core(args); };
    return time_calls(ours, in_core, calls);
}

// --- cases --------------------------------------------------------------------------------------

Context& Bench::context_of(const BenchCase& one) {
    if (is_plain(one)) return context_;
    if (!other_ || other_case_.cap != one.cap || other_case_.shares != one.shares) {
        other_.reset();  // first: both may not have room
        other_ = std::make_unique<Context>(options_of(setup_.devices, one));
        other_case_ = one;
    }
    return *other_;
}

/// Block sizes of cuBLASXt: its own, and those that are not larger than the matrices.
std::vector<int> Bench::blocks(const BenchCase& one) const {
    std::vector<int> all{default_block_};
    for (const int block : {1024, 2048, 4096, 8192})
        if (block != default_block_ && block <= std::max({one.m, one.n, one.k}))
            all.push_back(block);
    return all;
}

void Bench::add_peers(const BenchCase& one, const GemmArgs& args, std::vector<Contender>& all) {
    for (const int block : blocks(one))
        all.push_back({{Who::xt, block},
                       [this, args, block, pins = !one.pinned] { peers_.xt(args, block, pins); }});
    all.push_back({{Who::copy_all}, [this, args] { peers_.copy_all(args); }});
}

std::vector<Contender> Bench::contenders(const BenchCase& one, const GemmArgs& args) {
    std::vector<Contender> all;
    all.push_back({{Who::ours}, [args, &context = context_of(one)] { multiply(context, args); }});
    if (!is_plain(one))
        all.push_back({{Who::plain}, [this, args] { multiply(context_, args); }});
    else if (all_on_device(one))
        all.push_back({{Who::in_core}, [this, args] { peers_.in_core(args); }});
    else if (setup_.peers)
        add_peers(one, args, all);
    return all;
}

/// The first call, which is not timed, from a fresh C.
void Bench::check(const BenchCase& one, Contender& contender) {
    try {
        data_.reset(one);
        contender.call();
        contender.timing.error = product_error(data_.on_host(one), seeds[2]);
    } catch (const Error& error) {
        contender.timing.fault = error.text();
    }
}

/// All in turn in every round; the order turns, too: nobody is always the first.
void Bench::time(std::vector<Contender>& all) const {
    for (int round = 0; round < setup_.repeats; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) {
            Contender& one = all[(i + static_cast<std::size_t>(round)) % all.size()];
            if (wants_more(one.timing)) take_warm_sample(one);
        }
}

BenchResult Bench::run(const BenchCase& one, const Rates& rates) {
    BenchResult result{one, bound_of(one, rates)};
    const Progress progress(name_of(one));
    try {
        const GemmArgs args = data_.place(one);
        Context& context = context_of(one);
        const Problem problem = problem_of(context, args);
        result.plan_seconds = seconds_of([&] { context.plan(problem); });
        std::vector<Contender> all = contenders(one, args);
        for (Contender& contender : all) check(one, contender);
        time(all);
        for (Contender& contender : all) result.timings.push_back(std::move(contender.timing));
        const auto plan = context.plan(problem);  // the one that ran
        result.predicted = plan->prediction.seconds;
        result.steps = plan->steps.size();
    } catch (const Error& error) {
        result.timings.insert(result.timings.begin(),
                              Timing{.who = Who::ours, .fault = error.text()});
    }
    return result;
}

}  // namespace gemmill::command
