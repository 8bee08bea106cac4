// SPDX-License-Identifier: Apache-2.0
#include "batch/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "gemmill/error.hpp"
#include "kernel/batch_part.hpp"

namespace gemmill {
namespace {

/// Value g of an array as often as group g has products.
template <class V>
void repeat(const Groups& groups, PerProduct<V>& values, std::vector<V>& all) {
    for (index_t g = 0; g < groups.count; ++g)
        all.insert(all.end(), static_cast<std::size_t>(groups.sizes[g]), values[g]);
    values = {all.empty() ? V{} : *std::ranges::max_element(all), all.data()};
}

void repeat(const Groups& groups, BatchFactor& factor, std::vector<std::byte>& all) {
    const index_t bytes = factor_bytes(groups.all.type);
    const auto* values = static_cast<const std::byte*>(factor.each);
    for (index_t g = 0; g < groups.count; ++g)
        for (index_t i = 0; i < groups.sizes[g]; ++i)
            all.insert(all.end(), values + g * bytes, values + (g + 1) * bytes);
    factor = {{}, all.data()};
}

BatchMatrix group_matrix(const BatchMatrix& x, index_t g, index_t first) {
    return {nullptr, 0, x.array + first, {x.ld[g]}};
}

void require_array(Layout layout, const void* array, BatchArgument argument) {
    const char* const name = name_of(layout == Layout::RowMajor ? transposed(argument) : argument);
    if (array == nullptr)
        throw Error(Code::bad_argument, fmt::format("gemm_groups: {} is null", name), "not null");
}

/// Whether group g has products whose C, or A and B, are touched.
bool writes(const Groups& x, index_t g) {
    return x.sizes[g] > 0 && x.all.m[g] > 0 && x.all.n[g] > 0;
}
bool reads(const Groups& x, index_t g) {
    return writes(x, g) && x.all.k[g] > 0 && factor_of(x.all.alpha, x.all.type, g) != Scalar{};
}

void check_sizes(const Groups& groups) {
    constexpr index_t most = std::numeric_limits<index_t>::max() / 32;
    index_t products = 0;
    for (index_t g = 0; g < groups.count; ++g) {
        const index_t size = std::max<index_t>(0, groups.sizes[g]);
        if (size > most - products)
            throw Error(Code::bad_argument,
                        fmt::format("gemm_groups: group {}: group_sizes is {}", g, size),
                        "arrays that memory can hold");
        products += size;
    }
}

}  // namespace

void check_groups(Layout layout, const Groups& groups) {
    using A = BatchArgument;
    if (groups.count == 0) return;
    const Batch& x = groups.all;
    const std::pair<const void*, A> arrays[] = {{groups.sizes, A::group_sizes},
                                                {x.op_a.each, A::op_a},
                                                {x.op_b.each, A::op_b},
                                                {x.m.each, A::m},
                                                {x.n.each, A::n},
                                                {x.k.each, A::k},
                                                {x.alpha.each, A::alpha},
                                                {x.a.ld.each, A::lda},
                                                {x.b.ld.each, A::ldb},
                                                {x.beta.each, A::beta},
                                                {x.c.ld.each, A::ldc}};
    for (const auto& [array, argument] : arrays) require_array(layout, array, argument);
    check_sizes(groups);
    for (index_t g = 0; g < groups.count; ++g) {
        if (reads(groups, g)) require_array(layout, x.a.array, A::a);
        if (reads(groups, g)) require_array(layout, x.b.array, A::b);
        if (writes(groups, g)) require_array(layout, x.c.array, A::c);
    }
}

BatchArgument bad_group(const Groups& groups, index_t g) {
    return groups.sizes[g] < 0 ? BatchArgument::group_sizes : bad_argument(shape_of(groups.all, g));
}

index_t report_groups(Layout layout, const Groups& groups, BatchInfo mode, std::int64_t* info) {
    index_t first_bad = -1, products = 0;
    if (mode == BatchInfo::any) info[0] = 0;
    for (index_t g = 0; g < groups.count; ++g) {
        BatchArgument bad = bad_group(groups, g);
        if (layout == Layout::RowMajor) bad = transposed(bad);
        const auto code = -static_cast<std::int64_t>(bad);
        const index_t size = std::max<index_t>(0, groups.sizes[g]);
        if (mode == BatchInfo::group) info[g] = code;
        if (mode == BatchInfo::all) std::fill_n(info + products, size, code);
        if (mode == BatchInfo::any && first_bad < 0) info[0] = code;
        if (bad != BatchArgument::none && first_bad < 0) first_bad = g;
        products += size;
    }
    return first_bad;
}

index_t product_count(const Groups& groups) {
    index_t count = 0;
    for (index_t g = 0; g < groups.count; ++g) count += groups.sizes[g];
    return count;
}

Batch group_of(const Groups& groups, index_t g, index_t first) {
    const Batch& x = groups.all;
    return {x.type,
            groups.sizes[g],
            {x.op_a[g]},
            {x.op_b[g]},
            {x.m[g]},
            {x.n[g]},
            {x.k[g]},
            {factor_of(x.alpha, x.type, g)},
            {factor_of(x.beta, x.type, g)},
            group_matrix(x.a, g, first),
            group_matrix(x.b, g, first),
            group_matrix(x.c, g, first)};
}

Expanded::Expanded(const Groups& groups) : batch_(groups.all) {
    batch_.count = product_count(groups);
    repeat(groups, batch_.op_a, op_a_);
    repeat(groups, batch_.op_b, op_b_);
    repeat(groups, batch_.m, m_);
    repeat(groups, batch_.n, n_);
    repeat(groups, batch_.k, k_);
    repeat(groups, batch_.a.ld, lda_);
    repeat(groups, batch_.b.ld, ldb_);
    repeat(groups, batch_.c.ld, ldc_);
    repeat(groups, batch_.alpha, alpha_);
    repeat(groups, batch_.beta, beta_);
}

}  // namespace gemmill
