// SPDX-License-Identifier: Apache-2.0
#include "machines/calibrate/odd.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "machines/calibrate/ops.hpp"
#include "plan/padding.hpp"

namespace gemmill::command {
namespace {

constexpr std::array edges{1000, 3000};
constexpr std::array ops{Op::NoTrans, Op::Trans};
constexpr std::array types{Type::s, Type::d, Type::c, Type::z, Type::h, Type::b};

double seconds_of(GpuBench& bench, Type type, Op op_a, Op op_b, index_t n) {
    constexpr double least_seconds = 0.004;
    const GemmArgs args{type,
                        op_a,
                        op_b,
                        n,
                        n,
                        n,
                        {1, 0},
                        bench.device(0),
                        n,
                        bench.device(1),
                        n,
                        {1, 0},
                        bench.device(2),
                        n};
    return bench.seconds([&] { bench.require_ok(bench.driver().gemm(bench.blas(), args)); },
                         least_seconds);
}

/// What is left of a product's rate near an edge where sizes have no larger divisor in common with
/// the grain than this: the time of one with the next multiples of it, over the time without.
double part_of(GpuBench& bench, Type type, Op op_a, Op op_b, index_t edge, index_t grain,
               index_t divisor) {
    constexpr index_t even = 16;
    constexpr double alike = 0.97;  // closer than this, two runs of the same product differ as much
    const index_t full = rounded(edge, std::max(even, grain)), odd = full - grain + divisor;
    const double part =
        seconds_of(bench, type, op_a, op_b, full) / seconds_of(bench, type, op_a, op_b, odd);
    return part > alike ? 1 : part;
}

Efficiency measure(GpuBench& bench, Type type, Op op_a, Op op_b, index_t grain) {
    const auto letter = [](Op op) { return op == Op::NoTrans ? 'n' : 't'; };
    Efficiency e;
    e.op = std::string("odd_") + letter(op_a) + letter(op_b);
    e.types = std::string(1, letter_of(type));
    e.edges.assign(edges.begin(), edges.end());
    for (index_t divisor = 1; divisor < grain; divisor *= 2)
        e.others.push_back(static_cast<double>(divisor));
    for (const index_t edge : edges)
        for (const double divisor : e.others)
            e.parts.push_back(
                part_of(bench, type, op_a, op_b, edge, grain, static_cast<index_t>(divisor)));
    return e;
}

}  // namespace

void put_odd(Chip& chip, GpuBench& bench) {
    if (chip.grain == 1) return;
    forget(chip, "odd", types);
    for (const Op op_a : ops)
        for (const Op op_b : ops)
            for (const Type type : types) {
                Efficiency e = measure(bench, type, op_a, op_b, chip.grain);
                forget(chip, e.op, {&type, 1});
                chip.efficiencies.push_back(std::move(e));
            }
    chip.origin += "; odd sizes measured";
}

}  // namespace gemmill::command
