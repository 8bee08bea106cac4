// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "support/few_threads.hpp"

namespace gemmill::test {
namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// Memory whose pages are not there yet.
class New {
  public:
    explicit New(std::size_t pages)
        : bytes_(pages * page),
          data_(static_cast<char*>(
              mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        madvise(data_, bytes_, MADV_NOHUGEPAGE);
    }
    ~New() { munmap(data_, bytes_); }
    New(const New&) = delete;
    New& operator=(const New&) = delete;

    char* data() const { return data_; }
    /// The numbers of those that are there.
    std::vector<std::size_t> there() const {
        std::vector<unsigned char> marks(bytes_ / page);
        EXPECT_EQ(mincore(data_, bytes_, marks.data()), 0);
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < marks.size(); ++i)
            if ((marks[i] & 1U) != 0) numbers.push_back(i);
        return numbers;
    }

  private:
    std::size_t bytes_;
    char* data_;
};

class Pages : public ::testing::Test {
  protected:
    void SetUp() override {
        const New one(1);
        make_pages(one.data(), 1, 1, 1);
        if (one.there().empty()) GTEST_SKIP() << "this system makes pages at the first write only";
    }
    const index_t of_a_page = static_cast<index_t>(page);
};

using Numbers = std::vector<std::size_t>;

TEST_F(Pages, those_that_a_block_touches_are_made) {
    const New memory(12);
    make_pages(memory.data() + page - 8, 16, 1, 16);
    EXPECT_EQ(memory.there(), (Numbers{0, 1}));
    make_pages(memory.data() + 3 * page, of_a_page, 3, 3 * of_a_page);
    EXPECT_EQ(memory.there(), (Numbers{0, 1, 3, 6, 9}));
}

TEST_F(Pages, columns_close_together_are_one_range) {
    const New memory(8);
    make_pages(memory.data() + page, 100, 20, 1000);
    EXPECT_EQ(memory.there(), (Numbers{1, 2, 3, 4, 5}));
}

TEST_F(Pages, what_is_there_stays_as_it_is) {
    const New memory(3);
    std::memset(memory.data(), 7, 2 * page);
    make_pages(memory.data(), 3 * of_a_page, 1, 3 * of_a_page);
    EXPECT_EQ(memory.data()[0], 7);
    EXPECT_EQ(memory.data()[2 * page - 1], 7);
    EXPECT_EQ(memory.data()[2 * page], 0);
}

TEST_F(Pages, nothing_is_made_of_nothing) {
    const New memory(2);
    make_pages(memory.data(), 0, 5, of_a_page);
    make_pages(memory.data(), 5, 0, of_a_page);
    EXPECT_TRUE(memory.there().empty());
}

TEST_F(Pages, several_threads_make_all_of_them) {
    for (const int threads : {1, 3, 50}) {
        const New memory(17);
        make_large_pages(memory.data(), 17 * of_a_page, threads);
        EXPECT_EQ(memory.there().size(), 17U) << threads;
    }
}

TEST_F(Pages, threads_that_cannot_be_made_are_not_missed) {
    const New memory(4);
    const FewThreads few(1);
    make_large_pages(memory.data(), 4 * of_a_page, 8);
    std::memset(memory.data(), 1, 4 * page);
    EXPECT_EQ(memory.there().size(), 4U);
}

}  // namespace
}  // namespace gemmill::test
