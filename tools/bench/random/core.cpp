// SPDX-License-Identifier: Apache-2.0
// What a call in core costs beyond cuBLAS, and calls of several threads at once.
#include <future>
#include <latch>

#include "api/call.hpp"
#include "bench/random/run.hpp"
#include "command/stopwatch.hpp"

namespace gemmill::command {
namespace {

/// Seconds until each of so many threads has made its call: the median of several rounds, after one
/// that is not counted.
double at_once(int threads, const std::function<void(int)>& call) {
    constexpr int rounds = 9;  // of milliseconds
    std::vector<double> samples;
    for (int round = 0; round <= rounds; ++round) {
        rest();
        std::latch start(threads + 1);
        std::vector<std::future<void>> all;
        for (int t = 0; t < threads; ++t)
            all.push_back(std::async(std::launch::async, [&, t] {
                start.arrive_and_wait();
                call(t);
            }));
        start.arrive_and_wait();
        const Stopwatch watch;
        for (std::future<void>& one : all) one.get();
        if (round > 0) samples.push_back(watch.seconds());
    }
    return median(std::move(samples));
}

}  // namespace

CallTime RandomBench::measure_call(index_t n, int calls) {
    const RandomCase one = core_case(n);
    prepare(one);
    reset(one);
    const Level3Args args = args_of(one, one.where);
    return time_calls([&] { call_level3(context_, Layout::ColMajor, args); },
                      [&] { peers_->in_core(args); }, calls);
}

ThreadTime RandomBench::measure_threads() {
    const index_t n = setup_.thread_size;
    RandomCase one = core_case(n);
    one.where = Where::pinned;
    one.problem.beta = Factor::zero;
    prepare(one);
    const auto call = [&](int thread) {
        Level3Args args = args_of(one, one.where);
        const auto mine = [&](const void* all) {
            return static_cast<const double*>(all) + thread * n * n;
        };
        args.a = mine(args.a), args.b = mine(args.b);
        args.c = static_cast<double*>(args.c) + thread * n * n;
        call_level3(context_, Layout::ColMajor, args);
    };
    ThreadTime time{setup_.threads, n};
    time.alone = at_once(1, call);
    time.together = at_once(setup_.threads, call);
    return time;
}

}  // namespace gemmill::command
