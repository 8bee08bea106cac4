// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/batch/batch.hpp"

namespace gemmill::command {
namespace {

const char* name_of(BatchKind kind) {
    return kind == BatchKind::strided    ? "strided"
           : kind == BatchKind::pointers ? "pointers"
                                         : "variable";
}

const char* word_of(BatchSpread spread) {
    constexpr const char* words[] = {"", " gauss", " skewed", " tiny"};
    return words[static_cast<int>(spread)];
}

struct Asked {
    index_t n;
    double ratio;
};

void add_squares(std::vector<BatchBenchCase>& all, BatchKind kind, Type type,
                 const std::vector<Asked>& sizes) {
    for (const auto& [n, ratio] : sizes)
        all.push_back({kind, type, Op::NoTrans, Op::NoTrans, n, n, n, BatchSpread::even, ratio});
}

/// All ops.
void add_sweep(std::vector<BatchBenchCase>& all, Type type, double ratio,
               const std::vector<index_t>& sizes) {
    constexpr Op ops[] = {Op::NoTrans, Op::Trans};
    for (const Op op_a : ops)
        for (const Op op_b : ops)
            for (const index_t n : sizes)
                all.push_back(
                    {BatchKind::strided, type, op_a, op_b, n, n, n, BatchSpread::even, ratio});
}

/// What is asked of square ones, NN.
void ask(std::vector<BatchBenchCase>& all, const std::vector<Asked>& sizes) {
    for (const auto& [n, ratio] : sizes)
        for (BatchBenchCase& one : all)
            if (one.m == n && one.op_a == Op::NoTrans && one.op_b == Op::NoTrans) one.asked = ratio;
}

void add_variable(std::vector<BatchBenchCase>& all, Type type, const std::vector<Asked>& sizes,
                  BatchSpread spread = BatchSpread::even) {
    for (const auto& [n, ratio] : sizes)
        all.push_back(
            {BatchKind::variable, type, Op::NoTrans, Op::NoTrans, n, n, n, spread, ratio});
}

/// Those of one precision follow each other: matrices are filled anew for another.
std::vector<BatchBenchCase> gpu_cases() {
    using Kind = BatchKind;
    std::vector<BatchBenchCase> all;
    constexpr double not_slower = 0.98;  // than cuBLAS
    add_sweep(all, Type::d, not_slower,
              {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,  13,  15,  16,
               17, 19, 20, 23, 24, 25, 28, 31, 32, 33, 36, 40,  41,  47,  48,
               49, 56, 63, 64, 65, 72, 73, 80, 88, 96, 97, 100, 112, 127, 128});
    ask(all, {{4, 20}, {8, 6}, {16, 1.9}});
    add_squares(all, Kind::pointers, Type::d,
                {{4, 20},
                 {8, 7},
                 {12, 0.98},
                 {16, 2.3},
                 {24, 1.4},
                 {32, 0.98},
                 {40, 0.98},
                 {48, 1.2},
                 {64, 0.98},
                 {80, 0.98},
                 {96, 1.1},
                 {128, 0.98}});
    for (const Kind kind : {Kind::strided, Kind::pointers})
        for (const auto& [n, ratio] : {Asked{16, 3}, {32, 1.4}, {64, 1.25}, {128, 1.25}})
            all.push_back({kind, Type::d, Op::NoTrans, Op::NoTrans, n, n, 8, BatchSpread::even,
                           kind == Kind::strided ? ratio : 0.98});
    const std::vector<Asked> sizes{{16, 5}, {32, 3}, {64, 1.6}, {128, 1.3}, {256, 1.2}, {512, 1.1}};
    for (const BatchSpread spread : {BatchSpread::even, BatchSpread::gaussian})
        add_variable(all, Type::d, sizes, spread);
    add_variable(all, Type::d, {{200, 1.1}}, BatchSpread::skewed);
    add_variable(all, Type::d, {{256, 3}}, BatchSpread::tiny);
    for (const index_t n : {64, 128, 256, 512})
        all.push_back(
            {Kind::variable, Type::d, Op::NoTrans, Op::NoTrans, n, n, 32, BatchSpread::even, 1});
    std::vector<index_t> small;
    for (index_t n = 4; n <= 32; ++n) small.push_back(n);
    add_sweep(all, Type::z, 0, small);
    add_squares(all, Kind::pointers, Type::z, {{4, 0}, {8, 0}, {16, 0}, {32, 0}});
    add_variable(all, Type::z, {{16, 3}, {32, 3}, {64, 3}, {128, 3}});
    add_sweep(all, Type::s, 0, small);
    add_squares(all, Kind::pointers, Type::s, {{4, 0}, {8, 0}, {16, 0}, {32, 0}});
    add_variable(all, Type::s, {{16, 1}, {32, 1}, {64, 1}, {128, 1}});
    const std::vector<Asked> of_c{{4, 0},  {5, 0},  {8, 0},  {9, 0},  {12, 0},
                                  {13, 0}, {16, 0}, {17, 0}, {20, 0}, {32, 0}};
    add_squares(all, Kind::strided, Type::c, of_c);
    add_variable(all, Type::c, {{32, 3}, {128, 3}});
    return all;
}

std::vector<BatchBenchCase> cpu_cases() {
    std::vector<BatchBenchCase> all;
    const std::vector<Asked> sizes{{2, 1},    {4, 1.5},  {8, 1.5}, {13, 1.5}, {16, 1.5},
                                   {24, 1.5}, {32, 1.5}, {64, 1},  {128, 1}};
    for (const Type type : {Type::d, Type::z, Type::s, Type::c})
        add_squares(all, BatchKind::strided, type, sizes);
    for (const index_t n : {8, 32})
        all.push_back(
            {BatchKind::strided, Type::d, Op::Trans, Op::Trans, n, n, n, BatchSpread::even, 1.5});
    all.push_back({BatchKind::variable, Type::d, Op::NoTrans, Op::NoTrans, 32, 32, 32,
                   BatchSpread::even, 1.5});
    return all;
}

}  // namespace

std::vector<index_t> batch_sizes(index_t most, index_t count, BatchSpread spread, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<index_t> even(1, most), few(1, std::min<index_t>(most, 8));
    std::uniform_real_distribution<double> part(0, 1);
    std::normal_distribution<double> around(0.5 * static_cast<double>(most),
                                            static_cast<double>(most) / 6);
    const auto size = [&](index_t i) {
        if (spread == BatchSpread::gaussian)
            return std::clamp<index_t>(std::llround(around(engine)), 1, most);
        if (spread == BatchSpread::skewed)
            return 1 +
                   static_cast<index_t>(std::pow(part(engine), 3) * static_cast<double>(most - 1));
        return spread == BatchSpread::tiny && i % 32 != 0 ? few(engine) : even(engine);
    };
    std::vector<index_t> all;
    for (index_t i = 0; i < count; ++i) all.push_back(size(i));
    return all;
}

std::string name_of(const BatchBenchCase& one) {
    const auto letter = [](Op op) { return op == Op::NoTrans ? 'n' : op == Op::Trans ? 't' : 'c'; };
    const bool square = one.m == one.n && one.m == one.k;
    const std::string size =
        square ? fmt::format("{}", one.m) : fmt::format("{}x{}x{}", one.m, one.n, one.k);
    const auto [a, b, c] = one.gaps;
    return fmt::format("{} {} {}{} {}{}{}{}", letter_of(one.type), name_of(one.kind),
                       letter(one.op_a), letter(one.op_b), size, word_of(one.spread),
                       a + b + c > 0 ? fmt::format(" gaps {},{},{}", a, b, c) : "",
                       one.count > 0 ? fmt::format(" count {}", one.count) : "");
}

std::vector<BatchBenchCase> batch_cases(bool on_cpu, bool quick) {
    std::vector<BatchBenchCase> all = on_cpu ? cpu_cases() : gpu_cases();
    if (!quick) return all;
    std::erase_if(all, [](const BatchBenchCase& one) {
        return one.m != 4 && one.m != 16 && one.m != 32 && one.m != 48;
    });
    for (BatchBenchCase& one : all) one.asked = 0;
    return all;
}

}  // namespace gemmill::command
