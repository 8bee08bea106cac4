// SPDX-License-Identifier: Apache-2.0
#include "bench/dynamic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gemmill::command {
namespace {

DynamicResult some_result() {
    return {{Routine::syrk, 1000, std::int64_t{4} << 30},
            {1, 2, 3},
            {4, 2.5, 1},
            0.1,
            0.1,
            {7, 6, 5},
            true};
}

TEST(BenchDynamic, has_all_cases_that_are_asked_for) {
    const std::vector<DynamicCase> all = dynamic_cases(32768);
    const auto has = [&](Routine routine, index_t n, std::int64_t cap) {
        return std::ranges::any_of(all, [&](const DynamicCase& one) {
            return one.routine == routine && one.n == n && one.cap == cap;
        });
    };
    for (const index_t n : {8192, 16384, 32768}) EXPECT_TRUE(has(Routine::gemm, n, 0));
    EXPECT_TRUE(has(Routine::gemm, 16384, std::int64_t{4} << 30));
    EXPECT_TRUE(has(Routine::gemm, 32768, std::int64_t{16} << 30));
    EXPECT_TRUE(has(Routine::syrk, 16384, 0));
    EXPECT_TRUE(has(Routine::trsm, 16384, 0));
}

TEST(BenchDynamic, the_table_says_what_is_wrong) {
    DynamicResult result = some_result();
    EXPECT_DOUBLE_EQ(result.share(), 0.8);
    EXPECT_TRUE(result.right());
    EXPECT_NE(to_text({result}).find("same bits"), std::string::npos);
    EXPECT_NE(to_text({result}).find(" 6 s"), std::string::npos) << to_text({result});
    result.replayed = false;
    EXPECT_FALSE(result.right());
    EXPECT_NE(to_text({result}).find("OTHER BITS"), std::string::npos);
    result = some_result();
    result.dynamic_error = 2;
    EXPECT_FALSE(result.right());
    EXPECT_NE(to_text({result}).find("WRONG"), std::string::npos);
    EXPECT_FALSE(to_json({result})["runs"][0]["right"].get<bool>());
}

}  // namespace
}  // namespace gemmill::command
