// SPDX-License-Identifier: Apache-2.0
#include "rank/message/patience.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

class Waiting : public ::testing::Test {
  protected:
    std::string words(double patience, const std::function<bool()>& is_over,
                      const std::function<bool()>& progress) {
        ThreadTransport transport(boxes_, 0, 2, patience);
        try {
            wait_until(transport, is_over, progress, [] { return "rank 1 sent nothing"; });
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::failed_step);
            return error.what();
        }
    }
    Mailboxes boxes_;
};

TEST_F(Waiting, ends_when_it_is_over) {
    int left = 1000;
    EXPECT_EQ(words(
                  0, [&] { return left == 0; }, [&] { return --left % 2 == 0; }),
              "");
    EXPECT_EQ(left, 0);
    EXPECT_EQ(words(
                  0, [] { return true; }, [] { return false; }),
              "");
}

TEST_F(Waiting, names_who_is_awaited_when_nothing_happens) {
    const std::string text = words(
        1e-3, [] { return false; }, [] { return false; });
    EXPECT_NE(text.find("rank 1 sent nothing"), std::string::npos) << text;
}

TEST_F(Waiting, is_patient_while_something_happens) {
    // Patience is over at once when nothing happens; something always does.
    int left = 100000;
    EXPECT_EQ(words(
                  1e-9, [&] { return left == 0; }, [&] { return --left >= 0; }),
              "");
}

}  // namespace
}  // namespace gemmill::test
