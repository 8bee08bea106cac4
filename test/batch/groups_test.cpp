// SPDX-License-Identifier: Apache-2.0
#include "batch/groups.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

struct Three {
    std::vector<index_t> sizes{2, 0, 3}, m{4, 5, 6}, n{1, 1, 2}, k{3, 3, 3}, lda{4, 5, 6},
        ldb{3, 3, 3}, ldc{4, 5, 6};
    std::vector<Op> op_a{Op::NoTrans, Op::NoTrans, Op::NoTrans}, op_b = op_a;
    std::vector<float> alpha{1, 2, 3}, beta{4, 5, 6};
    std::vector<const void*> pointers{&m, &n, &k, &lda, &ldb};

    Groups groups() {
        Groups g{3, sizes.data(), {}};
        g.all.type = Type::h;
        g.all.op_a.each = op_a.data(), g.all.op_b.each = op_b.data();
        g.all.m.each = m.data(), g.all.n.each = n.data(), g.all.k.each = k.data();
        g.all.alpha.each = alpha.data(), g.all.beta.each = beta.data();
        for (BatchMatrix* x : {&g.all.a, &g.all.b, &g.all.c}) x->array = pointers.data();
        g.all.a.ld.each = lda.data(), g.all.b.ld.each = ldb.data(), g.all.c.ld.each = ldc.data();
        return g;
    }
};

TEST(Groups, one_of_them_as_a_batch) {
    Three three;
    const Batch b = group_of(three.groups(), 2, 2);
    EXPECT_EQ(b.count, 3);
    EXPECT_TRUE(is_uniform(b));
    EXPECT_EQ(b.m[0], 6);
    EXPECT_EQ(b.alpha.all, (Scalar{3, 0}));
    EXPECT_EQ(b.c.array[0], three.pointers[2]);
    EXPECT_EQ(b.c.ld[0], 6);
}

TEST(Groups, all_of_them_as_one_batch) {
    Three three;
    const Expanded all(three.groups());
    const Batch& b = all.batch();
    ASSERT_EQ(b.count, 5);
    EXPECT_EQ(std::vector<index_t>(b.m.each, b.m.each + 5), (std::vector<index_t>{4, 4, 6, 6, 6}));
    EXPECT_EQ(b.m.all, 6);
    const auto* beta = static_cast<const float*>(b.beta.each);
    EXPECT_EQ(std::vector<float>(beta, beta + 5), (std::vector<float>{4, 4, 6, 6, 6}));
    EXPECT_EQ(b.a.array, three.pointers.data());
}

TEST(Groups, arrays_that_are_missing) {
    const auto refusal = [](auto change, Layout layout = Layout::ColMajor) -> std::string {
        Three three;
        Groups g = three.groups();
        change(three, g);
        try {
            check_groups(layout, g);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::bad_argument);
            return error.text();
        }
        return "";
    };
    EXPECT_EQ(refusal([](Three&, Groups&) {}), "");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.sizes = nullptr; }),
              "gemm_groups: group_sizes is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.op_a.each = nullptr; }),
              "gemm_groups: op_a is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.m.each = nullptr; }), "gemm_groups: m is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.m.each = nullptr; }, Layout::RowMajor),
              "gemm_groups: n is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.alpha.each = nullptr; }),
              "gemm_groups: alpha is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.beta.each = nullptr; }),
              "gemm_groups: beta is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.c.ld.each = nullptr; }),
              "gemm_groups: ldc is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.a.array = nullptr; }),
              "gemm_groups: a is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.b.array = nullptr; }),
              "gemm_groups: b is null");
    EXPECT_EQ(refusal([](Three&, Groups& g) { g.all.c.array = nullptr; }),
              "gemm_groups: c is null");
    // No groups, no products, none that is read.
    EXPECT_EQ(refusal([](Three&, Groups& g) { g = {}; }), "");
    EXPECT_EQ(refusal([](Three& x, Groups& g) {
                  x.sizes = {0, 0, 0};
                  g.all.a.array = g.all.b.array = g.all.c.array = nullptr;
              }),
              "");
    EXPECT_EQ(refusal([](Three& x, Groups& g) {
                  x.k = {0, 0, 0}, g.all.a.array = g.all.b.array = nullptr;
              }),
              "");
    EXPECT_EQ(refusal([](Three& x, Groups&) { x.sizes[2] = std::numeric_limits<index_t>::max(); }),
              "gemm_groups: group 2: group_sizes is 9223372036854775807");
}

TEST(Groups, info_modes) {
    Three three;
    three.ldb[2] = 2;
    std::vector<std::int64_t> info(5, 77);
    const auto report = [&](Layout layout, BatchInfo mode) {
        std::ranges::fill(info, 77);
        return report_groups(layout, three.groups(), mode, info.data());
    };
    EXPECT_EQ(report(Layout::ColMajor, BatchInfo::none), 2);
    EXPECT_EQ(info, std::vector<std::int64_t>(5, 77));
    EXPECT_EQ(report(Layout::ColMajor, BatchInfo::any), 2);
    EXPECT_EQ(info, (std::vector<std::int64_t>{-12, 77, 77, 77, 77}));
    EXPECT_EQ(report(Layout::ColMajor, BatchInfo::group), 2);
    EXPECT_EQ(info, (std::vector<std::int64_t>{0, 0, -12, 77, 77}));
    EXPECT_EQ(report(Layout::RowMajor, BatchInfo::all), 2);
    EXPECT_EQ(info, (std::vector<std::int64_t>{0, 0, -10, -10, -10}));
    three.sizes[1] = -1;
    EXPECT_EQ(report(Layout::ColMajor, BatchInfo::any), 1);
    EXPECT_EQ(info[0], -2);
    three = Three();
    EXPECT_EQ(report(Layout::ColMajor, BatchInfo::all), -1);
    EXPECT_EQ(info, std::vector<std::int64_t>(5, 0));
}

}  // namespace
}  // namespace gemmill
