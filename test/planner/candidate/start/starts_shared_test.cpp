// SPDX-License-Identifier: Apache-2.0
// Where the search for plans begins in which each of several devices holds all of A.
#include <gtest/gtest.h>

#include "planner/candidate/rough.hpp"
#include "planner/candidate/sizes.hpp"
#include "planner/candidate/start/starts.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

constexpr index_t n = 16384;

Draft frame_with(Routine routine, const Machine& machine) {
    Problem p = problem_of(n, n, {0, 0, 0});
    p.routine = routine;
    return frame_of(machine, p);
}
Draft frame_with(Routine routine, const char* machine) {
    return frame_with(routine, synthetic_machine(machine));
}

Candidate start_on(const Draft& frame, double steps = 1e9) {
    return shared_starts(frame, start_for(frame), steps).front();
}

TEST(SharedStarts, are_there_where_several_devices_read_a) {
    const Draft several = frame_with(Routine::syrk, load_machine("hgx-a100-8"));
    Draft one = several;
    one.devices = {0};
    EXPECT_TRUE(shared_starts(one, start_for(one), 1e9).empty());
    const Draft gemm = frame_with(Routine::gemm, several.machine);
    EXPECT_TRUE(shared_starts(gemm, start_for(gemm), 1e9).empty());
    Candidate fixed = start_for(several);
    fixed.choice.fixed_tile = true;
    EXPECT_TRUE(shared_starts(several, fixed, 1e9).empty());
    const std::vector<Candidate> all = shared_starts(several, start_for(several), 1e9);
    ASSERT_EQ(all.size(), 2u);
    for (const Candidate& c : all) EXPECT_TRUE(c.choice.tall);
    EXPECT_LT(rough_steps(several, all[1]), rough_steps(several, all[0])) << "a coarse one";
}

TEST(SharedStarts, more_of_k_goes_over_all_of_c_where_a_takes_longer) {
    const Candidate fast =
        start_on(frame_with(Routine::syrk, "gpu:4(d=9T) nvswitch:300GB/s pcie:50GB/s"));
    const Candidate slow =
        start_on(frame_with(Routine::syrk, "gpu:4(d=9T) nvswitch:300GB/s pcie:8GB/s"));
    const Candidate passed =
        start_on(frame_with(Routine::syrk, "gpu:4(d=9T) nvswitch:12GB/s pcie:50GB/s"));
    EXPECT_GT(slow.choice.outer, fast.choice.outer) << "it comes from the host";
    EXPECT_GT(passed.choice.outer, fast.choice.outer) << "it goes from device to device";
}

TEST(SharedStarts, the_front_is_all_lines_where_its_blocks_go_home_one_by_one) {
    const Machine machine = load_machine("hgx-a100-8");
    EXPECT_EQ(start_on(frame_with(Routine::trmm, machine)).choice.outer, 1);
    EXPECT_EQ(start_on(frame_with(Routine::trsm, machine)).choice.outer, 1);
    EXPECT_LT(start_on(frame_with(Routine::symm, machine)).choice.outer, 1);
}

/// The host needs the time of a run for the steps; without that all devices' links bring A.
TEST(SharedStarts, is_coarser_where_the_host_issues_slowly) {
    Machine machine = synthetic_machine("gpu:8(d=50T) nvswitch:300GB/s pcie:20GB/s");
    for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trmm}) {
        machine.issue = 1e-6;
        const Draft quick = frame_with(routine, machine);
        machine.issue = 200e-6;
        const Draft slow = frame_with(routine, machine);
        const Candidate few = start_on(slow), many = start_on(quick);
        EXPECT_LT(rough_steps(slow, few), rough_steps(quick, many));
        EXPECT_EQ(few.policy.pieces, many.policy.pieces);
    }
}

TEST(SharedStarts, has_about_as_many_steps_as_may_be) {
    for (const Routine routine : {Routine::syr2k, Routine::gemmt, Routine::symm, Routine::trsm}) {
        const Draft frame = frame_with(routine, load_machine("dgx-h100-8"));
        EXPECT_LE(rough_steps(frame, start_on(frame, 400)), 400) << name_of(routine);
    }
}

}  // namespace
}  // namespace gemmill::test
