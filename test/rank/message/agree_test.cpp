// SPDX-License-Identifier: Apache-2.0
#include "rank/message/agree.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gemmill/error.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

/// What each rank throws; "" where it returns.
std::vector<std::string> words(int ranks, const std::function<void(ThreadTransport&)>& f) {
    std::vector<std::string> result;
    constexpr double patience = 20;
    for (const std::exception_ptr& error : run_ranks(ranks, patience, f)) {
        result.emplace_back();
        try {
            if (error) std::rethrow_exception(error);
        } catch (const std::exception& e) {
            result.back() = e.what();
        }
    }
    return result;
}

TEST(Agree, returns_everywhere_or_throws_the_lowest_ranks_error) {
    for (int ranks = 1; ranks <= 7; ++ranks)
        for (int bad = -1; bad < ranks; ++bad) {
            const auto said = words(ranks, [&](ThreadTransport& transport) {
                agree(transport, {}, [&] {
                    if (bad >= 0 && transport.rank() >= bad)
                        throw Error(Code::bad_argument, "no rows", "rows > 0");
                });
            });
            for (const std::string& text : said) EXPECT_EQ(text, said.front());
            const std::string name = "rank " + std::to_string(bad);
            EXPECT_EQ(said.front().empty(), bad < 0);
            EXPECT_EQ(said.front().find(name) != std::string::npos, bad >= 0) << said.front();
        }
}

TEST(Agree, differing_arguments_are_found_and_named) {
    for (const bool full : {false, true}) {
        const auto said = words(5, [&](ThreadTransport& transport) {
            CallDigest call{transport.rank() == 3 ? 7U : 8U, {}, {}};
            if (full) {
                call.fields = {1, transport.rank() == 3 ? 70U : 80U};
                call.names = {"m", "alpha"};
            }
            agree(transport, call, [] {});
        });
        for (const std::string& text : said) {
            EXPECT_EQ(text, said.front());
            EXPECT_NE(text.find(full ? "alpha differs" : "differ between ranks"), std::string::npos)
                << text;
        }
    }
}

TEST(Agree, memory_that_cannot_be_had_is_told_to_all) {
    const auto said = words(3, [](ThreadTransport& transport) {
        agree(transport, {}, [&] {
            if (transport.rank() == 2) throw std::bad_alloc();
        });
    });
    for (const std::string& text : said)
        EXPECT_NE(text.find("rank 2: no memory"), std::string::npos) << text;
}

}  // namespace
}  // namespace gemmill::test
