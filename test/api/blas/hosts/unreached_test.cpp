// SPDX-License-Identifier: Apache-2.0
#include "api/blas/hosts/unreached.hpp"

#include <gtest/gtest.h>

namespace gemmill::blas {
namespace {

const LoadedBlas known{"libopenblas.so.0", BlasReach::known, ""};
const LoadedBlas renamed{"libfoo.so", BlasReach::renamed, "foo_dgemm_"};
const LoadedBlas linked{"libtorch_cpu.so", BlasReach::linked_in, ""};

std::string no_calls(const std::vector<LoadedBlas>& loaded, bool first) {
    return no_calls_text(loaded, first);
}

TEST(Unreached, names_what_cannot_be_reached_and_why) {
    EXPECT_EQ(unreached_text(std::vector{known}), "");
    EXPECT_EQ(unreached_text(std::vector{known, renamed, linked}),
              "not reached: libfoo.so has its BLAS under other names (foo_dgemm_); libtorch_cpu.so "
              "has a BLAS linked into it");
}

TEST(Unreached, the_program_that_was_run_is_always_answered) {
    EXPECT_EQ(no_calls({}, true),
              "no calls of level-3 BLAS arrived: it loaded no BLAS; one that is linked into a "
              "program or library cannot be reached");
    EXPECT_EQ(no_calls({known}, true),
              "no calls of level-3 BLAS arrived: libopenblas.so.0 is loaded, and calls by its "
              "names would have come here");
    EXPECT_NE(no_calls({known, renamed}, true).find("foo_dgemm_); libopenblas.so.0 is loaded"),
              std::string::npos);
}

TEST(Unreached, other_processes_speak_only_where_something_is_missed) {
    EXPECT_EQ(no_calls({}, false), "");
    EXPECT_EQ(no_calls({known}, false), "");
    EXPECT_NE(no_calls({linked}, false).find("libtorch_cpu.so"), std::string::npos);
}

}  // namespace
}  // namespace gemmill::blas
