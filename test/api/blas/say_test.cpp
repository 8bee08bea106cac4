// SPDX-License-Identifier: Apache-2.0
#include "api/blas/say.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.hpp"

namespace gemmill::blas {
namespace {

template <class F>
std::string said(F f) {
    testing::internal::CaptureStderr();
    f();
    return testing::internal::GetCapturedStderr();
}

TEST(Say, is_one_line) {
    EXPECT_EQ(said([] { say("a word"); }), "a word\n");
    EXPECT_EQ(said([] { say_to("1", "a word"); }), "a word\n");
}

TEST(Say, to_a_file_is_added_and_a_link_is_not_followed) {
    const auto folder = std::filesystem::path(testing::TempDir()) /
                        ("gemmill_say_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = folder / "report", link = folder / "link";
    EXPECT_EQ(said([&] { say_to(file, "one"); }), "");
    EXPECT_EQ(said([&] { say_to(file, "two"); }), "");
    EXPECT_EQ(read_file(file), "one\ntwo\n");
    std::filesystem::create_symlink(file, link);
    EXPECT_NE(said([&] { say_to(link, "three"); }).find("no report: cannot add to"),
              std::string::npos);
    EXPECT_EQ(read_file(file), "one\ntwo\n");
    std::filesystem::remove_all(folder);
}

TEST(Say, end_program_says_why) {
    EXPECT_DEATH(end_program("gemmill: a device failed in the middle"), "failed in the middle");
}

}  // namespace
}  // namespace gemmill::blas
