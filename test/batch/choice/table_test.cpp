// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"

namespace gemmill {
namespace {

const std::filesystem::path kernels = GEMMILL_TEST_DATA "/../src/kernel/cuda";

TEST(BatchTable, rows_are_read) {
    const BatchTable table = parse_batch_table(
        "# a comment\n"
        "\n"
        "d any 1 1 tiny1\n"
        "  z   pointers:tn  32\t*  pipe_16_8   # behind a row\n"
        "s strided * * cublas");
    ASSERT_TRUE(table.faults.empty()) << table.faults[0];
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[0], (BatchRow{Type::d, true, true, "", 1, 1, "tiny1"}));
    EXPECT_EQ(table.rows[1].type, Type::z);
    EXPECT_FALSE(table.rows[1].strided);
    EXPECT_EQ(table.rows[1].ops, "tn");
    EXPECT_EQ(table.rows[1].kernel, "pipe_16_8");
    EXPECT_FALSE(table.rows[2].pointers);
    EXPECT_EQ(to_text(table.rows[1]), "z pointers:tn 32 * pipe_16_8");
    for (const BatchRow& row : table.rows)
        EXPECT_EQ(parse_batch_table(to_text(row)).rows.at(0), row);
}

TEST(BatchTable, bad_lines_are_named_and_the_others_kept) {
    const BatchTable table = parse_batch_table(
        "d any 8 8 good\n"
        "q any 8 8 pack8\n"
        "dd any 8 8 pack8\n"
        "d some 8 8 pack8\n"
        "d any:xx 8 8 pack8\n"
        "d any 8x 8 pack8\n"
        "d any 8 -1 pack8\n"
        "d any 8 8\n"
        "d any 8 8 pack8 more\n"
        "d any 9 9 good\n");
    const std::vector<std::string> wanted{"line 2: type is 'q', not s, d, c, z, h or b",
                                          "line 3: type is 'dd', not s, d, c, z, h or b",
                                          "line 4: arrays is 'some', not strided, pointers or any",
                                          "line 5: ops is 'xx', not nn, nt, tn or tt",
                                          "line 6: edge is '8x', not a number or *",
                                          "line 7: k is '-1', not a number or *",
                                          "line 8: 4 words, not type, arrays, edge, k and kernel",
                                          "line 9: 6 words, not type, arrays, edge, k and kernel"};
    EXPECT_EQ(table.faults, wanted);
    EXPECT_EQ(table.rows.size(), 2U);
}

TEST(BatchTable, which_row_fits) {
    const void* array[1] = {};
    Batch x;
    x.m = {8}, x.n = {16}, x.k = {4};
    x.op_b = {Op::ConjTrans};
    const auto fits_row = [&](const char* line) {
        return fits(parse_batch_table(line).rows.at(0), x);
    };
    EXPECT_TRUE(fits_row("d any 16 4 k"));
    EXPECT_FALSE(fits_row("s any 16 4 k"));
    EXPECT_FALSE(fits_row("d any 15 4 k"));
    EXPECT_FALSE(fits_row("d any 16 3 k"));
    EXPECT_TRUE(fits_row("d strided * * k"));
    EXPECT_FALSE(fits_row("d pointers * * k"));
    EXPECT_TRUE(fits_row("d any:nt * * k"));
    EXPECT_FALSE(fits_row("d any:nn * * k"));
    x.c.array = array;
    EXPECT_TRUE(fits_row("d pointers * * k"));
    EXPECT_FALSE(fits_row("d strided * * k"));
}

/// The table that is compiled in: no bad line, an end for every type, and no kernel that is not
/// there.
TEST(BatchTable, the_one_that_is_compiled_in) {
    const BatchTable table = parse_batch_table(read_file(kernels / "tuned/sm90.table"));
    EXPECT_TRUE(table.faults.empty()) << table.faults[0];
    Batch large;
    large.m = large.n = large.k = {1000000};
    for (int type = 0; type < type_count; ++type) {
        large.type = static_cast<Type>(type);
        EXPECT_TRUE(std::ranges::any_of(table.rows, [&](const BatchRow& row) {
            return fits(row, large);
        })) << letter_of(large.type);
    }
    std::string sources;
    for (const char* folder : {"compiled", "tuned"})
        for (const auto& entry : std::filesystem::directory_iterator(kernels / folder))
            if (entry.path().extension() != ".table") sources += read_file(entry.path().string());
    for (const BatchRow& row : table.rows)
        EXPECT_TRUE(row.kernel == "cublas" ||
                    sources.find("\"" + row.kernel + "\"") != std::string::npos)
            << to_text(row);
}

}  // namespace
}  // namespace gemmill
