// SPDX-License-Identifier: Apache-2.0
#include "batch/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "gemmill/error.hpp"
#include "kernel/batch_part.hpp"

namespace gemmill {
namespace {

constexpr BatchArgument matrices[] = {BatchArgument::a, BatchArgument::b, BatchArgument::c};

const BatchMatrix& matrix_in(const Batch& x, BatchArgument matrix) {
    return matrix == BatchArgument::a ? x.a : matrix == BatchArgument::b ? x.b : x.c;
}

/// Bytes that a product reads, or writes when they are C's.
struct Span {
    std::uintptr_t begin, end;
    index_t product;
    BatchArgument matrix;

    bool written() const { return matrix == BatchArgument::c; }
};

void add(std::vector<Span>& spans, const Reach& reach, index_t i, BatchArgument matrix,
         bool by_columns) {
    if (reach.columns == 0) return;
    if (!by_columns || reach.dense()) return spans.push_back({reach.begin, reach.end(), i, matrix});
    for (index_t j = 0; j < reach.columns; ++j) {
        const std::uintptr_t begin = reach.begin + static_cast<std::uintptr_t>(j * reach.distance);
        spans.push_back({begin, begin + static_cast<std::uintptr_t>(reach.length), i, matrix});
    }
}

/// Of all products; what all of one shape share comes once.
std::vector<Span> spans_of(const Batch& x, bool by_columns) {
    std::vector<Span> spans;
    for (const BatchArgument matrix : matrices) {
        const BatchMatrix& of = matrix_in(x, matrix);
        const bool shared = of.array == nullptr && of.stride == 0 && is_uniform(x) &&
                            x.alpha.each == nullptr && matrix != BatchArgument::c;
        for (index_t i = 0; i < (shared ? 1 : x.count); ++i)
            add(spans, reach_of(x, matrix, i), i, matrix, by_columns);
    }
    return spans;
}

/// Two of them that share a byte, of which one is written.
struct Clash {
    const Span* one = nullptr;
    const Span* other = nullptr;
};
Clash clash_in(std::vector<Span>& spans) {
    std::ranges::sort(spans, {}, [](const Span& s) { return std::pair(s.begin, s.product); });
    const Span* read = nullptr;  // those that reach farthest so far
    const Span* write = nullptr;
    for (const Span& now : spans) {
        if (write != nullptr && now.begin < write->end) return {write, &now};
        if (now.written() && read != nullptr && now.begin < read->end) return {read, &now};
        const Span*& last = now.written() ? write : read;
        if (last == nullptr || now.end > last->end) last = &now;
    }
    return {};
}

/// Whether equal distances alone show that nothing clashes.
bool is_far_apart(const Batch& x) {
    if (has_arrays(x)) return false;
    const Reach c = reach_of(x, BatchArgument::c, 0), all = reach_of_all(x, BatchArgument::c);
    if (x.count > 1 && std::abs(x.c.stride) * bytes_of(x.type) < c.bytes()) return false;
    return std::ranges::all_of(std::span(matrices).first(2), [&](BatchArgument matrix) {
        const Reach read = reach_of_all(x, matrix);
        return read.columns == 0 || read.end() <= all.begin || all.end() <= read.begin;
    });
}

const char* name_in(Layout layout, BatchArgument matrix) {
    return name_of(layout == Layout::RowMajor ? transposed(matrix) : matrix);
}

[[noreturn]] void refuse(Layout layout, const Clash& clash) {
    const auto& [one, other] = clash;
    throw Error(
        Code::bad_argument,
        fmt::format("gemm_batch: product {}: {} overlaps {} of product {}", other->product,
                    name_in(layout, other->matrix), name_in(layout, one->matrix), one->product),
        "what a product writes for itself alone");
}

}  // namespace

Reach reach_of(const Batch& x, BatchArgument matrix, index_t i) {
    const ProductShape p = shape_of(x, i);
    const bool reads = p.k > 0 && factor_of(x.alpha, x.type, i) != Scalar{};
    if (p.m == 0 || p.n == 0 || (matrix != BatchArgument::c && !reads)) return {};
    const BatchMatrix& of = matrix_in(x, matrix);
    const StoredSize size = stored_size(p, matrix);
    const index_t bytes = bytes_of(x.type);
    return {reinterpret_cast<std::uintptr_t>(matrix_of(of, x.type, i)), size.cols,
            size.rows * bytes, of.ld[i] * bytes};
}

Reach reach_of_all(const Batch& x, BatchArgument matrix) {
    Reach first = reach_of(x, matrix, 0);
    const Reach last = reach_of(x, matrix, x.count - 1);
    if (first.columns == 0) return first;
    const std::uintptr_t end = std::max(first.end(), last.end());
    first.begin = std::min(first.begin, last.begin);
    return {first.begin, 1, static_cast<index_t>(end - first.begin), 0};
}

void check_overlap(Layout layout, const Batch& x) {
    if (x.count == 0 || is_far_apart(x)) return;
    // Matrices whose columns lie between those of others are looked at column by column.
    std::vector<Span> spans = spans_of(x, false);
    if (clash_in(spans).one == nullptr) return;
    spans = spans_of(x, true);
    if (const Clash clash = clash_in(spans); clash.one != nullptr) refuse(layout, clash);
}

}  // namespace gemmill
