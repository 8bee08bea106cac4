// SPDX-License-Identifier: Apache-2.0
#include "rank/call.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "gemmill/error.hpp"
#include "support/dist_call.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

DistSetup reference_setup() {
    DistSetup setup;
    setup.rates = {1e9, 1e9};
    setup.kernels = {[](const GemmArgs& x) { reference_gemm(x); },
                     [](const Level3Args& x) { reference_level3(x); }};
    return setup;
}

template <class T>
std::string run_problem(const DistProblem& p, const DistSetup& setup) {
    DistOperands<T> operands(p);
    operands.judge();
    std::mutex mutex;
    std::string faults;
    bool all_received = false;
    const auto errors = run_ranks(
        p.ranks, 10,
        [&](ThreadTransport& transport) {
            DistOperands<T> mine = operands;
            const std::string fault = mine.run(transport.rank(), [&](const auto& matrices, auto&) {
                run_call(
                    transport, [&] { return call_of(p, matrices); }, setup);
            });
            const std::lock_guard lock(mutex);
            if (!fault.empty()) faults += fmt::format("rank {}: {}; ", transport.rank(), fault);
        },
        &all_received);
    for (const std::exception_ptr& error : errors) try {
            if (error) std::rethrow_exception(error);
        } catch (const std::exception& e) {
            faults += e.what();
        }
    if (!all_received) faults += "a message was not received";
    return faults;
}

std::string run_any(const DistProblem& p, const DistSetup& setup) {
    switch (p.type) {
        case Type::s:
            return run_problem<float>(p, setup);
        case Type::c:
            return run_problem<std::complex<float>>(p, setup);
        case Type::z:
            return run_problem<std::complex<double>>(p, setup);
        default:
            return run_problem<double>(p, setup);
    }
}

DistSetup random_setup(Random& random, int ranks) {
    DistSetup setup = reference_setup();
    constexpr const char* names[] = {"best", "best", "parsec", "c", "a", "b", "bricks"};
    setup.policy.name = random.pick(names);
    if (setup.policy.name == "bricks") {
        const index_t p = random.between(1, ranks), q = random.between(1, ranks / p);
        setup.policy.name =
            fmt::format("bricks {}x{}x{}", p, q, random.between(1, ranks / (p * q)));
    }
    if (random.chance(60)) setup.policy.depth = random.between(1, 20);
    if (random.chance(40)) setup.policy.row_block = random.between(1, 20);
    if (random.chance(40)) setup.policy.col_block = random.between(1, 20);
    if (random.chance(60)) setup.policy.lookahead = static_cast<int>(random.below(4));
    setup.full_check = random.chance(30);
    return setup;
}

TEST(DistCall, every_routine_every_policy_against_plain_loops) {
    Random random(21);
    for (int i = 0; i < affordable(1200); ++i) {
        const DistProblem p = random_problem(random, {});
        const DistSetup setup = random_setup(random, p.ranks);
        const std::string faults = run_any(p, setup);
        ASSERT_EQ(faults, "") << "case " << i << ": " << describe(p) << " policy "
                              << setup.policy.name << " d " << setup.policy.depth << " b "
                              << setup.policy.row_block << " c " << setup.policy.col_block << " l "
                              << setup.policy.lookahead;
    }
}

}  // namespace
}  // namespace gemmill::test
