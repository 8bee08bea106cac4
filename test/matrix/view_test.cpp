// SPDX-License-Identifier: Apache-2.0
#include "matrix/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gemmill/error.hpp"
#include "matrix/placement.hpp"

namespace gemmill {
namespace {

TEST(View, elements_blocks_and_transposes) {
    std::vector<int> data(20);
    for (int i = 0; i < 20; ++i) data[static_cast<std::size_t>(i)] = i;
    const View<int> columns{data.data(), 3, 4, 5, Layout::ColMajor};
    EXPECT_EQ(columns(2, 3), 17);
    EXPECT_EQ(columns.block(1, 2, 2, 2)(1, 1), 17);
    EXPECT_EQ(columns.transposed()(3, 2), 17);
    EXPECT_EQ(columns.transposed().rows, 4);
    const View<int> rows{data.data(), 4, 3, 5, Layout::RowMajor};
    EXPECT_EQ(rows(3, 2), 17);
    EXPECT_EQ(rows.block(2, 1, 2, 2)(1, 1), 17);
}

TEST(CopyBlock, keeps_out_of_the_gaps) {
    const std::vector<std::int16_t> from{1, 2, 9, 3, 4, 9, 5, 6, 9};
    std::vector<std::int16_t> to(12, 7);
    copy_block(from.data(), 3, to.data(), 4, 2, 3, 2);
    EXPECT_EQ(to, (std::vector<std::int16_t>{1, 2, 7, 7, 3, 4, 7, 7, 5, 6, 7, 7}));
    copy_block(from.data(), 3, to.data(), 3, 3, 3, 2);
    EXPECT_EQ(to, (std::vector<std::int16_t>{1, 2, 9, 3, 4, 9, 5, 6, 9, 6, 7, 7}));
    copy_block(from.data(), 3, to.data(), 4, 2, 0, 2);
    EXPECT_EQ(to[0], 1);
}

TEST(StreamBlock, does_what_copy_block_does_at_any_address) {
    std::vector<std::byte> from(4096), copied(8192), streamed(8192);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256);
    for (const index_t rows : {0, 1, 15, 63, 64, 65, 127, 128, 200, 333})
        for (const std::size_t shift : {0, 1, 8, 16, 33, 63})
            for (const index_t gap : {0, 5}) {
                std::ranges::fill(copied, std::byte{9});
                std::ranges::fill(streamed, std::byte{9});
                copy_block(from.data() + 3, rows, copied.data() + shift, rows + gap, rows, 4, 2);
                stream_block(from.data() + 3, rows, streamed.data() + shift, rows + gap, rows, 4,
                             2);
                EXPECT_EQ(copied, streamed) << rows << " rows, " << shift << ", " << gap;
            }
}

TEST(Placement, names_numbers_and_host) {
    const Machine m = synthetic_machine("gpu:2");
    EXPECT_EQ(parse_placement(m, "h"), (Placement{0, 0, 0}));
    EXPECT_EQ(parse_placement(m, "h,0,gpu1"), (Placement{0, 1, 2}));
    EXPECT_EQ(to_text(m, {0, 1, 2}), "host,gpu0,gpu1");
    EXPECT_EQ(parse_placement(m, to_text(m, {2, 0, 1})), (Placement{2, 0, 1}));
    for (const char* bad : {"", "2", "h,h", "h,h,h,h", "h,,h", "gpu2"}) {
        try {
            parse_placement(m, bad);
            ADD_FAILURE() << bad << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::bad_argument) << error.what();
            EXPECT_NE(error.text().find("placement"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace gemmill
