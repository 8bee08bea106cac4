// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/brick_sizes.hpp"

#include <gtest/gtest.h>

#include "support/all_bricks.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(BrickKinds, have_all_products_and_touch_what_they_must) {
    const Product x(70, 50, 30, 2, 4);
    const ProductOwners owners = product_owners(x.update, x.ranks);
    for_all_trees(x.ranks, [&](const Bricks& bricks) {
        double count = 0, products = 0;
        const auto kinds = brick_kinds(BrickTree(bricks), owners);
        for (const BrickKind& kind : kinds) {
            count += kind.count;
            products += kind.count * kind.size[0] * kind.size[1] * kind.size[2];
        }
        EXPECT_EQ(count, 8);
        EXPECT_EQ(products, 70 * 50 * 30);
    });
    // 2 x 4 bricks: each element of A is in four of them, of B in two, of C in one.
    EXPECT_EQ(touched_by(brick_kinds(BrickTree({2, 1, 8, true}), owners)),
              4 * 70 * 30 + 2 * 30 * 50 + 70 * 50);
}

}  // namespace
}  // namespace gemmill::test
