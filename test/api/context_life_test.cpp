// SPDX-License-Identifier: Apache-2.0
// The end of a context: moved away, in a forked child, while others still use it.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "api/calls.hpp"
#include "api/state.hpp"
#include "support/batch_case.hpp"
#include "support/forked.hpp"

namespace gemmill::test {
namespace {

Options devices(const char* text) {
    Options options;
    options.devices = text;
    options.tile = 6;
    options.threads = 2;
    return options;
}

GemmCase square(index_t size) {
    GemmCase c;
    c.m = c.n = c.k = size;
    c.beta = {1, 0};
    return c;
}

/// The code of the error that f throws.
template <class F>
Code code_of(F f) {
    try {
        f();
    } catch (const Error& error) {
        return error.code();
    }
    return Code::ok;
}

void multiply(Context& context, index_t size = 20) {
    Random random(1);
    Operands x(square(size), random);
    call_gemm(context, x);
    if (!x.check()) throw std::runtime_error("wrong");
}

void multiply_batch(Context& context) {
    Random random(2);
    BatchCase batch(std::vector(200, square(9)), random);
    gemm_batch(context, batch.layout(), batch.uniform());
    if (!batch.check()) throw std::runtime_error("wrong");
}

TEST(MovedFrom, everything_is_an_error_but_the_end) {
    for (const char* text : {"cpu", "cpu:2"}) {
        Context first(devices(text));
        Context second(std::move(first));
        int here = 0;
        const auto refused = [](auto f) { return code_of(f) == Code::bad_argument; };
        EXPECT_TRUE(refused([&] { multiply(first); }));
        EXPECT_TRUE(refused([&] { multiply(first, 0); }));
        EXPECT_TRUE(refused([&] { multiply_batch(first); }));
        EXPECT_TRUE(refused([&] { (void)first.options(); }));
        EXPECT_TRUE(refused([&] { (void)first.machine(); }));
        EXPECT_TRUE(refused([&] { first.allocate(0, 8); }));
        EXPECT_TRUE(refused([&] { first.allocate_host(8); }));
        EXPECT_TRUE(refused([&] { first.copy(&here, &here, 4); }));
        EXPECT_TRUE(refused([&] { (void)first.locate(&here); }));
        EXPECT_TRUE(refused([&] { first.plan({}); }));
        EXPECT_TRUE(refused([&] { first.adopt({}); }));
        EXPECT_TRUE(refused([&] { (void)first.cached_plans(); }));
        EXPECT_TRUE(refused([&] { first.observe({}); }));
        EXPECT_TRUE(refused([&] { first.log({}); }));
        first.release(&here);
        multiply(second);
        first = std::move(second);
        multiply(first);
        EXPECT_TRUE(refused([&] { multiply(second); }));
        Context& same = first;
        first = std::move(same);
        multiply(first);
    }
}

TEST(Forked, a_child_cannot_use_its_parents_devices) {
    Context context(devices("cpu:2"));
    void* const block = context.allocate(1, 64);
    multiply(context);
    EXPECT_TRUE(in_child([&] {
        const auto refused = [](auto f) { return code_of(f) == Code::no_device; };
        char here[8] = {};
        const bool all =
            refused([&] { multiply(context); }) && refused([&] { multiply_batch(context); }) &&
            refused([&] { context.allocate(0, 8); }) &&
            refused([&] { context.copy(block, here, 8); }) &&
            refused([&] { (void)context.locate(block); }) && refused([&] { context.plan({}); });
        context.release(block);
        Context gone(std::move(context));  // and ends here
        return all;
    }));
    multiply(context);
    context.release(block);
}

TEST(Forked, a_child_may_make_its_own) {
    if (!children_may_have_threads) GTEST_SKIP() << "the thread sanitizer";
    Context context(devices("cpu:2"));
    multiply(context);
    EXPECT_TRUE(in_child([&] {
        Context own(devices("cpu:2"));
        multiply(own);
        return true;
    }));
}

TEST(Forked, the_host_path_goes_on) {
    Context context(devices("cpu"));
    multiply(context);
    multiply_batch(context);
    EXPECT_TRUE(in_child([&] {
        multiply(context);
        multiply_batch(context);
        void* const block = context.allocate_host(64);
        context.release(block);
        Context gone(std::move(context));
        return true;
    }));
    multiply_batch(context);
}

/// A call is under way, which an observer holds up until the end has begun.
TEST(Ended, waits_for_a_call_of_another_thread) {
    auto context = std::make_unique<Context>(devices("cpu:2"));
    std::promise<void> inside, go_on;
    std::atomic<bool> over = false;
    context->observe([&](const Report&) {
        inside.set_value();
        go_on.get_future().wait();
        over = true;
    });
    std::thread caller([&used = *context] { multiply(used); });
    inside.get_future().wait();
    std::thread ender([&] {
        context.reset();
        EXPECT_TRUE(over) << "the context ended before the call";
    });
    std::this_thread::yield();
    go_on.set_value();
    ender.join();
    caller.join();
}

/// Products with the state that a call has taken hold of.
void multiply_with(Context::State& state, bool batch) {
    Random random(3);
    if (batch) {
        BatchCase x(std::vector(100, square(9)), random);
        run_batch(state, x.layout(), x.uniform(), {});
        EXPECT_TRUE(x.check());
        return;
    }
    Problem p;
    p.m = p.n = p.k = 40;
    p.beta = Factor::one;
    Operands x(square(40), random);
    run_problem(state, p, x.binding());
    EXPECT_TRUE(x.check());
}

TEST(Ended, while_calls_run) {
    for (int round = 0; round < affordable(50); ++round) {
        auto context = std::make_unique<Context>(devices("cpu:2"));
        std::atomic<int> started = 0, ended = 0;
        std::vector<std::thread> callers;
        for (int i = 0; i < 3; ++i)
            callers.emplace_back([&, i, held = context->use()]() mutable {
                ++started;
                multiply_with(*held, i == 0);
                ++ended;
                held.reset();
            });
        while (started < 3) std::this_thread::yield();
        if (round % 2 == 0)
            context.reset();
        else
            *context = Context(devices("cpu"));
        EXPECT_EQ(ended, 3);
        for (std::thread& caller : callers) caller.join();
    }
}

}  // namespace
}  // namespace gemmill::test
