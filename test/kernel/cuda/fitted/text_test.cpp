// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/fitted/text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gemmill::batch {
namespace {

constexpr const char* two_kernels =
    ".version 9.0\n.extern .shared .b8 memory[];\n"
    "\n.visible .entry first(\n.param .b64 x)\n{ mov.b32 %r1, 0x401e0; }\n"
    "\n.visible .entry second(\n.param .b64 x)\n{ .reg .b32 %r<12>; mov.b32 %r2, 0x401e12; }\n";

TEST(KernelText, has_one_kernel_and_what_is_before_all) {
    const KernelText second = kernel_text(two_kernels, 1);
    EXPECT_EQ(second.name, "second");
    EXPECT_EQ(second.text.find("first"), std::string::npos);
    EXPECT_EQ(second.text.find(".version 9.0"), 0U);
    EXPECT_NE(second.text.find("memory[]"), std::string::npos);
    EXPECT_NE(second.text.find("%r2"), std::string::npos);
    const KernelText first = kernel_text(two_kernels, 0);
    EXPECT_EQ(first.name, "first");
    EXPECT_EQ(first.text.find("second"), std::string::npos);
}

TEST(KernelText, is_empty_where_there_is_no_such_kernel) {
    EXPECT_TRUE(kernel_text(two_kernels, 2).text.empty());
    EXPECT_TRUE(kernel_text("nothing", 0).name.empty());
}

TEST(Filled, holes_become_words_and_nothing_else_changes) {
    std::vector<unsigned> words(13);
    words[0] = 4000000000U, words[12] = 7;
    EXPECT_EQ(filled("a 0x401e12; %r<12> 0x401e0;0x401e12", words), "a 7; %r<12> 4000000000;7");
    EXPECT_EQ(filled("none", words), "none");
}

TEST(Filled, a_hole_without_a_word_is_refused) {
    const std::vector<unsigned> words(3);
    EXPECT_TRUE(filled("0x401e3", words).empty());
    EXPECT_TRUE(filled("0x401e;", words).empty());
}

}  // namespace
}  // namespace gemmill::batch
