// SPDX-License-Identifier: Apache-2.0
#include "rank/message/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

namespace gemmill::test {
namespace {

using Complex = std::complex<double>;

/// Rows 1, 2 and 5 and columns 0 and 3 of a matrix with ld 7, which become rows 0 to 2 and columns
/// 2 and 3 of another one.
const Box box{{{2, 1, 0}, {1, 5, 2}}, {{1, 0, 2}, {1, 3, 3}}};
constexpr index_t ld = 7;

std::vector<Complex> counted() {
    std::vector<Complex> x(ld * 6);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = Complex(static_cast<double>(i), -static_cast<double>(i));
    return x;
}

Address at(std::vector<Complex>& x) { return {reinterpret_cast<std::byte*>(x.data()), ld}; }
Complex& element(std::vector<Complex>& x, index_t row, index_t col) {
    return x[static_cast<std::size_t>(row + col * ld)];
}

void expect_moved(std::vector<Complex>& from, std::vector<Complex>& to) {
    EXPECT_EQ(element(to, 0, 2), element(from, 1, 0));
    EXPECT_EQ(element(to, 1, 2), element(from, 2, 0));
    EXPECT_EQ(element(to, 2, 3), element(from, 5, 3));
    EXPECT_EQ(std::ranges::count(to, Complex(-1, 0)), ld * 6 - 6);
}

TEST(Boxes, elements_go_where_the_box_says_and_nowhere_else) {
    std::vector<Complex> from = counted(), to(ld * 6, Complex(-1, 0));
    EXPECT_EQ(box.elements(), 6);
    move_box(Type::z, box, at(from), at(to));
    expect_moved(from, to);
}

TEST(Boxes, packed_and_unpacked_is_moved) {
    std::vector<Complex> from = counted(), to(ld * 6, Complex(-1, 0)), buffer(6);
    pack_box(Type::z, box, at(from), reinterpret_cast<std::byte*>(buffer.data()));
    EXPECT_EQ(buffer[3], element(from, 1, 3));
    unpack_box(Type::z, box, reinterpret_cast<std::byte*>(buffer.data()), at(to));
    expect_moved(from, to);
}

TEST(Boxes, are_transposed_and_conjugated_on_the_way) {
    std::vector<Complex> from = counted();
    for (const Op op : {Op::Trans, Op::ConjTrans}) {
        std::vector<Complex> to(ld * 6, Complex(-1, 0));
        move_box(Type::z, box, at(from), at(to), op);
        const Complex x = element(from, 5, 3);
        EXPECT_EQ(element(to, 3, 2), op == Op::Trans ? x : std::conj(x));
        EXPECT_EQ(std::ranges::count(to, Complex(-1, 0)), ld * 6 - 6);
    }
}

TEST(Boxes, are_added_and_what_is_not_kept_is_not_read) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<Complex> buffer(6, Complex(2, 1)), to(ld * 6, Complex(nan, nan));
    const auto* bytes = reinterpret_cast<const std::byte*>(buffer.data());
    add_box(Type::z, box, bytes, at(to), {0, 0});
    EXPECT_EQ(element(to, 2, 3), Complex(2, 1));
    add_box(Type::z, box, bytes, at(to), {1, 0});
    EXPECT_EQ(element(to, 2, 3), Complex(4, 2));
    add_box(Type::z, box, bytes, at(to), {3, 0});
    EXPECT_EQ(element(to, 2, 3), Complex(14, 7));
}

TEST(Boxes, without_elements_touch_nothing) {
    const Box empty{{}, {{1, 0, 0}}};
    EXPECT_TRUE(empty.is_empty());
    move_box(Type::z, empty, {nullptr, 1}, {nullptr, 1});
    add_box(Type::z, empty, nullptr, {nullptr, 1}, {1, 0});
}

}  // namespace
}  // namespace gemmill::test
