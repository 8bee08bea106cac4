// SPDX-License-Identifier: Apache-2.0
// Files are read whole and written whole or not at all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class File : public testing::Test {
  protected:
    File()
        : folder_(fs::temp_directory_path() /
                  ("gemmill_file_test_" + std::to_string(::getpid()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name())) {
        fs::create_directories(folder_);
    }
    ~File() override {
        std::error_code ignored;
        fs::permissions(folder_, fs::perms::owner_all, ignored);
        fs::remove_all(folder_, ignored);
    }
    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

  private:
    fs::path folder_;
};

template <class F>
void expect_io_error(F f, const std::string& path) {
    try {
        f();
        ADD_FAILURE() << path << " gave no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::io);
        EXPECT_NE(error.text().find(path), std::string::npos) << error.text();
    }
}

TEST_F(File, ReadsWhatWasWritten) {
    std::string text(200000, 'x');
    text[77] = '\0';
    text[78] = '\r';
    write_file(path("a"), text);
    EXPECT_EQ(read_file(path("a")), text);
    write_file(path("a"), "");
    EXPECT_EQ(read_file(path("a")), "");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(File, MissingFileIsNamed) {
    expect_io_error([&] { (void)read_file(path("none")); }, path("none"));
    expect_io_error([&] { (void)read_file(path("")); }, path(""));
}

TEST_F(File, UnwritablePathIsNamedAndLeavesNothing) {
    expect_io_error([&] { write_file(path("no/such/folder"), "x"); }, path("no/such/folder"));
    fs::create_directory(path("folder"));
    expect_io_error([&] { write_file(path("folder"), "x"); }, path("folder"));
    EXPECT_EQ(entries(), 1U);
}

TEST_F(File, AFullDeviceIsAnError) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    for (const std::size_t size : {std::size_t{5}, std::size_t{1} << 20})
        expect_io_error([&] { write_file("/dev/full", std::string(size, 'x')); },
                        "'/dev/full': No space left on device");
}

TEST_F(File, DevicesAreWrittenInPlace) {
    write_file("/dev/null", "x");
    EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

TEST_F(File, ALinkBesideItIsNotFollowed) {
    write_file(path("precious"), "old");
    for (const char* number : {"", ".0", ".1"})
        fs::create_symlink(path("precious"),
                           path("a") + "." + std::to_string(::getpid()) + number + ".tmp");
    write_file(path("a"), "new");
    EXPECT_EQ(read_file(path("precious")), "old");
    EXPECT_EQ(read_file(path("a")), "new");
}

TEST_F(File, APipeIsWrittenIntoAndStaysOne) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    write_file(pipe, "hello");
    char got[8] = {};
    EXPECT_EQ(::read(reader, got, sizeof got), 5);
    EXPECT_STREQ(got, "hello");
    ::close(reader);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_EQ(entries(), 1U);
}

TEST_F(File, WhatIsTooLargeIsNotRead) {
    write_file(path("large"), "");
    fs::resize_file(path("large"), (std::uintmax_t{1} << 30) + 1);  // without blocks on the disk
    expect_io_error([&] { (void)read_file(path("large")); }, "large': it is too large");
}

/// What somebody else may have put where this process is about to write.
TEST_F(File, ALinkInTheWayIsNotFollowed) {
    write_file(path("victim"), "mine");
    const std::string beside = path("a") + "." + std::to_string(::getpid()) + ".tmp";
    fs::create_symlink(path("victim"), beside);
    write_file(path("a"), "new");
    EXPECT_EQ(read_file(path("a")), "new");
    fs::create_symlink(path("victim"), path("b"));
    write_file(path("b"), "new");
    EXPECT_FALSE(fs::is_symlink(path("b")));
    EXPECT_EQ(read_file(path("victim")), "mine");
}

TEST_F(File, IsAddedToWhereItIsARegularOneOrADevice) {
    append_file(path("a"), "one ");
    append_file(path("a"), "two");
    EXPECT_EQ(read_file(path("a")), "one two");
    append_file("/dev/null", "nothing");
    fs::create_symlink(path("a"), path("link"));
    expect_io_error([&] { append_file(path("link"), "x"); }, path("link"));
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    expect_io_error([&] { append_file(path("pipe"), "x"); }, path("pipe"));
    expect_io_error([&] { append_file(path(""), "x"); }, path(""));
    EXPECT_EQ(read_file(path("a")), "one two");
}

}  // namespace
}  // namespace gemmill
