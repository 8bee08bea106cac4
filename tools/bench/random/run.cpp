// SPDX-License-Identifier: Apache-2.0
#include "bench/random/run.hpp"

#include <algorithm>
#include <cmath>

#include "api/call.hpp"
#include "command/console.hpp"
#include "command/values.hpp"
#include "gemmill/error.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr Scalar alpha{1.1, 0}, beta{0.9, 0};

Options options_of(const RandomSetup& setup) {
    Options options = Options::from_environment();
    options.devices = setup.devices;
    options.pin = 0;  // pageable memory stays so, for the peers too
    return options;
}

/// Where the host has the matrices of a case.
Where host_of(const RandomCase& one) {
    return one.where == Where::pageable ? Where::pageable : Where::pinned;
}

/// Old values of trmm and trsm are those of B, so that a trmm with another result has them there.
std::size_t seed_of_c(const RandomCase& one) { return is_in_place(one.problem.routine) ? 1 : 2; }

/// Solving with a random triangle is hopeless; with a heavy diagonal it is not.
template <class T>
void set_diagonal(void* data, index_t n, bool heavy) {
    T* const a = static_cast<T*>(data);
    const T value = from_scalar<T>({4 * std::sqrt(static_cast<double>(n)), 0});
    for (index_t i = 0; i < n; ++i)
        a[i * (n + 1)] = heavy ? value : random_element<T>(seeds[0], i * (n + 1));
}

/// From pageable memory cuBLASXt takes seconds.
bool is_called_once(const RandomCase& one, const Contender& contender) {
    return one.where == Where::pageable && contender.timing.who == Who::xt;
}

/// The fastest of cuBLASXt's blocks so far; 0 when none ran.
int best_block(const std::vector<Contender>& all) {
    std::vector<Timing> timings;
    for (const Contender& one : all) timings.push_back(one.timing);
    const double least = fastest(timings, Who::xt);
    for (const Timing& t : timings)
        if (t.who == Who::xt && t.seconds() == least) return t.block;
    return 0;
}

}  // namespace

std::vector<int> xt_blocks(const Problem& p) {
    const double size =
        std::cbrt(static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k));
    std::vector<int> all;
    for (const int block : {2048, 4096, 8192, 16384}) {
        // A tile of A goes to the GPU once for each tile of C beside it: with more than six in a
        // row copies are nearly all of the time (n = 16384, block 2048: 13 times ours).
        const bool hopeless = size > 6.0 * block;
        const bool beyond = block > std::max({p.m, p.n, p.k}) && !all.empty();
        if (!hopeless && !beyond) all.push_back(block);
    }
    return all;
}

double RandomResult::ours() const { return fastest(timings, Who::ours); }

double RandomResult::peer() const {
    return fastest(timings, one.where == Where::device ? Who::in_core : Who::xt);
}

bool RandomResult::right() const { return all_right(timings); }

RandomBench::RandomBench(RandomSetup setup, const Peers& (*table)(), int gpu)
    : setup_(std::move(setup)),
      context_(named("--devices", [&] { return Context(options_of(setup_)); })),
      arrays_(context_) {
    if (table != nullptr) peers_.emplace(table(), gpu);
    for (const RandomCase& one : setup_.cases) grow(one);
    for (const index_t n : setup_.call_sizes) grow(core_case(n));
    for (std::size_t operand = 0; operand < 3; ++operand)
        arrays_.grow(Where::pinned, operand,
                     static_cast<std::size_t>(setup_.threads * setup_.thread_size *
                                              setup_.thread_size * gemmill::bytes_of(Type::d)));
}

/// Pinned ones always: they are the host's copies in core, and choose cuBLASXt's block.
void RandomBench::grow(const RandomCase& one) {
    for (std::size_t operand = 0; operand < 3; ++operand) {
        const bool copy_of_c = operand == 1 && is_in_place(one.problem.routine);
        const std::size_t bytes = bytes_of(one, copy_of_c ? 2 : operand);
        arrays_.grow(Where::pinned, operand, bytes);
        arrays_.grow(one.where, operand, bytes);
    }
}

Level3Args RandomBench::args_of(const RandomCase& one, Where where) {
    Given given;
    for (std::size_t operand = 0; operand < 3; ++operand) {
        given.data[operand] = arrays_.data(where, operand);
        const Shape shape = stored_shape(one.problem, static_cast<OperandId>(operand));
        given.ld[operand] = std::max<index_t>(1, shape.rows);
    }
    given.alpha = alpha;
    if (one.problem.beta != Factor::zero) given.beta = beta;
    return call_of(one.problem, given);
}

/// cuBLASXt's trmm does not say that it may write where it reads.
Level3Args RandomBench::peer_args(const RandomCase& one, Where where) {
    Level3Args args = args_of(one, where);
    if (one.problem.routine == Routine::trmm) args.b = arrays_.data(where, 1), args.ldb = args.ldc;
    return args;
}

void RandomBench::set_diagonal(const RandomCase& one, bool heavy) {
    if (one.problem.routine != Routine::trsm) return;
    for (const Where where : {Where::pinned, host_of(one)}) {
        void* const a = arrays_.data(where, 0);
        with_type(one.problem.type,
                  [&]<class T>() { command::set_diagonal<T>(a, one.problem.k, heavy); });
    }
}

void RandomBench::prepare(const RandomCase& one) {
    for (std::size_t operand = 0; operand < 3; ++operand)
        for (const Where where : {Where::pinned, host_of(one)})
            arrays_.fill(where, operand, one.problem.type);
    set_diagonal(one, true);
    if (one.where != Where::device) return;
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}})
        context_.copy(arrays_.data(Where::device, operand), arrays_.data(Where::pinned, operand),
                      bytes_of(one, operand));
}

/// Makes C what it was first.
void RandomBench::reset(const RandomCase& one) {
    std::byte* const c = arrays_.data(host_of(one), 2);
    const index_t count = one.problem.m * one.problem.n;
    fill_random(one.problem.type, c, count, seeds[seed_of_c(one)]);
    if (one.where == Where::device)
        context_.copy(arrays_.data(Where::device, 2), c, bytes_of(one, 2));
}

// --- contenders ---------------------------------------------------------------------------------

Contender RandomBench::xt(const RandomCase& one, Where where, int block) {
    const Level3Args args = peer_args(one, where);
    const bool pins = where == Where::pageable;
    return {{Who::xt, block}, [this, args, block, pins] { peers_->xt(args, block, pins); }};
}

/// Of cuBLASXt, by one timed call each from pinned memory: from pageable memory each takes seconds.
int RandomBench::best_pinned_block(const RandomCase& one) {
    std::vector<Contender> all;
    for (const int block : xt_blocks(one.problem)) {
        all.push_back(xt(one, Where::pinned, block));
        take_sample(all.back());
        all.back().timing.samples.clear();
        if (all.back().timing.fault.empty()) take_sample(all.back());
    }
    const int best = best_block(all);
    return best > 0 ? best : all.front().timing.block;
}

std::vector<Contender> RandomBench::contenders(const RandomCase& one) {
    const Level3Args args = args_of(one, one.where);
    std::vector<Contender> all;
    all.push_back({{Who::ours}, [this, args] { call_level3(context_, Layout::ColMajor, args); }});
    const bool xt_has_it = !is_short(one.problem.type);
    if (!peers_ || (one.where != Where::device && !xt_has_it)) return all;
    if (one.where == Where::device)
        all.push_back({{Who::in_core}, [this, args] { peers_->in_core(args); }});
    else if (one.where == Where::pageable)
        all.push_back(xt(one, Where::pageable, best_pinned_block(one)));
    else
        for (const int block : xt_blocks(one.problem)) all.push_back(xt(one, one.where, block));
    return all;
}

/// From a fresh C, and checked. It is timed for those that are called once only.
void RandomBench::first_call(const RandomCase& one, const Level3Check& check,
                             Contender& contender) {
    reset(one);
    take_sample(contender);
    if (!contender.timing.fault.empty()) return;
    if (!is_called_once(one, contender)) contender.timing.samples.clear();
    if (one.where == Where::device)
        context_.copy(arrays_.data(Where::pinned, 2), arrays_.data(Where::device, 2),
                      bytes_of(one, 2));
    contender.timing.error = check.error(args_of(one, host_of(one)));
}

/// All in turn in every round, but of cuBLASXt after the first the best block only.
void RandomBench::time(const RandomCase& one, std::vector<Contender>& all) const {
    for (int round = 0; round < setup_.repeats; ++round) {
        const int best = best_block(all);
        for (Contender& contender : all) {
            const Timing& t = contender.timing;
            const bool beaten = round > 0 && t.who == Who::xt && t.block != best;
            if (t.fault.empty() && !beaten && !is_called_once(one, contender))
                take_warm_sample(contender);
        }
    }
}

// --- measuring ----------------------------------------------------------------------------------

void RandomBench::measure(const RandomCase& one, RandomResult& result) {
    prepare(one);
    const Problem problem = describe(context_, args_of(one, one.where));
    std::vector<Contender> all = contenders(one);
    reset(one);
    const Level3Check check(args_of(one, host_of(one)));
    for (Contender& contender : all) first_call(one, check, contender);
    time(one, all);
    for (Contender& contender : all) result.timings.push_back(std::move(contender.timing));
    const auto plan = context_.plan(problem);
    result.predicted = plan->prediction.seconds;
    result.bound = plan->prediction.bound_seconds;
}

RandomResult RandomBench::run(const RandomCase& one) {
    RandomResult result{one};
    const Progress progress(name_of(one));
    try {
        measure(one, result);
    } catch (const Error& error) {
        result.timings.insert(result.timings.begin(),
                              Timing{.who = Who::ours, .fault = error.text()});
    }
    set_diagonal(one, false);
    return result;
}

}  // namespace gemmill::command
