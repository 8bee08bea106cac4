// SPDX-License-Identifier: Apache-2.0
// The rule of queues and waits: what may start when.
#include "plan/order.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gemmill::test {
namespace {

using Ids = std::vector<StepId>;

TEST(Order, queues_are_first_in_first_out) {
    Order order(2);
    Ids ready;
    order.submit(0, 0, {}, ready);
    order.submit(1, 0, {}, ready);
    order.submit(2, 1, {}, ready);
    EXPECT_EQ(ready, (Ids{0, 2}));
    ready.clear();
    order.complete(0, ready);
    EXPECT_EQ(ready, Ids{1});
    order.complete(2, ready);
    EXPECT_EQ(ready, Ids{1});
}

TEST(Order, waits_hold_until_the_last_has_ended) {
    Order order(3);
    Ids ready;
    order.submit(0, 0, {}, ready);
    order.submit(1, 1, {}, ready);
    const StepId waits[] = {0, 1, 1};
    order.submit(2, 2, waits, ready);
    ready.clear();
    order.complete(1, ready);
    EXPECT_TRUE(ready.empty());
    order.complete(0, ready);
    EXPECT_EQ(ready, Ids{2});
}

TEST(Order, what_has_ended_holds_nothing) {
    Order order(2);
    Ids ready;
    order.submit(0, 0, {}, ready);
    order.complete(0, ready);
    ready.clear();
    const StepId waits[] = {0};
    order.submit(1, 1, waits, ready);
    order.submit(2, 0, {}, ready);
    EXPECT_EQ(ready, (Ids{1, 2}));
}

TEST(Order, a_step_never_submitted_holds_forever) {
    Order order(1);
    Ids ready;
    const StepId waits[] = {7};
    order.submit(0, 0, waits, ready);
    order.submit(1, 0, {}, ready);
    EXPECT_TRUE(ready.empty());
}

}  // namespace
}  // namespace gemmill::test
