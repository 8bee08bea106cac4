// SPDX-License-Identifier: Apache-2.0
#include "batch/reach.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gemmill/error.hpp"
#include "support/random.hpp"

namespace gemmill::test {
namespace {

TEST(Reach, from_the_first_byte_to_the_last) {
    const Reach x{1000, 3, 16, 40};
    EXPECT_EQ(x.bytes(), 96);
    EXPECT_EQ(x.end(), 1096U);
    EXPECT_FALSE(x.dense());
    EXPECT_TRUE((Reach{0, 3, 16, 16}).dense());
    EXPECT_TRUE((Reach{0, 1, 16, 99}).dense());
    EXPECT_EQ(Reach{}.bytes(), 0);
}

std::string refusal(const Batch& x) {
    try {
        check_overlap(Layout::ColMajor, x);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
        return error.text();
    }
    return "";
}

/// Element by element.
bool overlaps(const Batch& x) {
    std::map<std::uintptr_t, index_t> written;
    std::set<std::uintptr_t> read;
    const auto each = [&](index_t i, BatchArgument matrix, auto f) {
        const Reach reach = reach_of(x, matrix, i);
        for (index_t j = 0; j < reach.columns; ++j)
            for (index_t b = 0; b < reach.length; b += bytes_of(x.type))
                f(reach.begin + static_cast<std::uintptr_t>(j * reach.distance + b));
    };
    for (index_t i = 0; i < x.count; ++i) {
        each(i, BatchArgument::a, [&](std::uintptr_t at) { read.insert(at); });
        each(i, BatchArgument::b, [&](std::uintptr_t at) { read.insert(at); });
    }
    bool found = false;
    for (index_t i = 0; i < x.count; ++i)
        each(i, BatchArgument::c,
             [&](std::uintptr_t at) { found = found || ++written[at] > 1 || read.contains(at); });
    return found;
}

/// Small matrices at random places of a small memory, by strides and by pointers.
TEST(Overlap, is_found_where_elements_are_shared_and_nowhere_else) {
    Random random(1);
    static double memory[400];
    int with = 0, without = 0;
    for (int round = 0; round < affordable(3000); ++round) {
        Batch x;
        x.count = random.between(1, 4);
        x.m = {random.between(0, 3)}, x.n = {random.between(1, 3)}, x.k = {random.between(0, 2)};
        x.a.ld = {random.between(3, 9)}, x.b.ld = {random.between(3, 9)};
        x.c.ld = {random.between(3, 30)};
        const auto place = [&] { return memory + 100 + random.below(200); };
        std::vector<const void*> pointers[3];
        BatchMatrix* const matrices[] = {&x.a, &x.b, &x.c};
        const bool strided = random.chance(50);
        for (std::size_t i = 0; i < 3; ++i) {
            matrices[i]->data = place();
            matrices[i]->stride = random.between(-12, 12);
            for (index_t p = 0; p < x.count; ++p) pointers[i].push_back(place());
            if (!strided) matrices[i]->array = pointers[i].data();
        }
        const std::string text = refusal(x);
        ASSERT_EQ(!text.empty(), overlaps(x)) << text << " in round " << round;
        ++(text.empty() ? without : with);
    }
    EXPECT_GT(with, 20);
    EXPECT_GT(without, 20);
}

TEST(Overlap, names_both) {
    double x[20] = {};
    Batch b;
    b.count = 3;
    b.m = {2}, b.n = {2}, b.k = {2};
    b.a = {x, 0, nullptr, {2}}, b.b = {x + 4, 0, nullptr, {2}};
    b.c = {x + 8, 3, nullptr, {2}};
    EXPECT_EQ(refusal(b), "gemm_batch: product 1: c overlaps c of product 0");
    b.c.stride = 4;
    EXPECT_EQ(refusal(b), "");
    b.a.data = x + 17;
    EXPECT_EQ(refusal(b), "gemm_batch: product 0: a overlaps c of product 2");
    b.alpha.all = {};
    EXPECT_EQ(refusal(b), "");
}

}  // namespace
}  // namespace gemmill::test
