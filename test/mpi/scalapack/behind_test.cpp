// SPDX-License-Identifier: Apache-2.0
#include "mpi/scalapack/behind.hpp"

#include <gtest/gtest.h>

namespace gemmill::scalapack::test {
namespace {

TEST(Behind, is_the_next_definition_of_a_name) {
    EXPECT_NE(behind("malloc"), nullptr);
    EXPECT_EQ(behind("pdgemm_"), nullptr);
}

TEST(Behind, passing_on_calls_it_or_names_what_is_missing) {
    EXPECT_THROW(pass_on("pdgemm_", 1), std::string);
    pass_on("srand", 1U);
}

TEST(GridOf, is_not_usable_without_blacs) { EXPECT_FALSE(grid_of(0).is_usable()); }

}  // namespace
}  // namespace gemmill::scalapack::test
