// SPDX-License-Identifier: Apache-2.0
#include "machines/calibrate/ops.hpp"

#include <string_view>

#include "model/cost.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

/// How the model looks an opcode up: by the edge of its triangle and by what lies along the other
/// axis, and of which product's rate it is a part.
enum class Kind { updates, multiplies, goes_through };

struct Measured {
    const char* op;
    const char* twin;  ///< the hermitian one, which is like it
    Routine routine;
    Kind kind;
    index_t k;  ///< terms of a triangle's sums that are as much work as one of a whole square's
};
constexpr std::array all{
    Measured{"gemmt", nullptr, Routine::gemmt, Kind::updates, 2},
    Measured{"syrk", "herk", Routine::syrk, Kind::updates, 2},
    Measured{"syr2k", "her2k", Routine::syr2k, Kind::updates, 1},
    Measured{"symm", "hemm", Routine::symm, Kind::multiplies, 1},
    Measured{"trmm", nullptr, Routine::trmm, Kind::goes_through, 1},
    Measured{"trmm_in_place", nullptr, Routine::trmm, Kind::goes_through, 1},
    Measured{"trsm", nullptr, Routine::trsm, Kind::goes_through, 1},
};

constexpr index_t beside = 4096;  // columns beside a symmetric matrix
constexpr index_t large = 8192;  // the product whose rate is meant where a triangle is gone through
constexpr double most_part = 1.5;  // small products may be slower; machine files allow so much
constexpr std::array types{Type::s, Type::d, Type::c, Type::z};

Problem problem_of(const Measured& one, Type type, index_t edge, index_t other) {
    Problem p;
    p.routine = one.routine;
    p.type = type;
    p.op_b = Op::Trans;
    p.diag = Diag::Unit;  // so that what is solved again and again stays as large as it is
    p.m = edge;
    p.n = one.kind == Kind::updates ? edge : one.kind == Kind::multiplies ? beside : other;
    p.k = one.kind == Kind::updates ? one.k * other : edge;
    return p;
}

Level3Args args_of(const GpuBench& bench, const Measured& one, const Problem& p) {
    Given given;
    given.alpha = {1, 0}, given.beta = {1, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        given.data[i] = bench.device(i);
        given.ld[i] = std::max<index_t>(1, stored_shape(p, static_cast<OperandId>(i)).rows);
    }
    Level3Args args = call_of(p, given);
    const bool apart = one.op == std::string_view("trmm");
    if (apart) args.b = bench.device(1), args.ldb = args.ldc, args.beta = {};
    return args;
}

/// Of the product that the model compares it with.
double product_rate(const Device& device, const Measured& one, const Problem& p, index_t other) {
    const auto rate = [&](index_t m, index_t n, index_t k) {
        return kernel_rate(device, p.type, static_cast<double>(m), static_cast<double>(n),
                           static_cast<double>(k));
    };
    if (one.kind == Kind::goes_through) return rate(large, large, large);
    return rate(p.m, p.n, one.kind == Kind::updates ? other : p.m);
}

double flops_of(const Measured& one, const Problem& p, index_t other) {
    const double square = static_cast<double>(p.m) * static_cast<double>(p.m);
    const double fma = flops_per_fma(p.type);
    if (one.kind == Kind::updates) return fma * square * static_cast<double>(other);
    return fma * square * static_cast<double>(p.n) / (one.kind == Kind::goes_through ? 2 : 1);
}

double part_of(GpuBench& bench, const Device& device, const Measured& one, Type type, index_t edge,
               index_t other) {
    constexpr double least_seconds = 0.004;
    const Problem p = problem_of(one, type, edge, other);
    const KernelArgs args = kernel_of(args_of(bench, one, p));
    const double seconds = bench.seconds(
        [&] { bench.require_ok(bench.driver().kernel(bench.blas(), args)); }, least_seconds);
    const double part = flops_of(one, p, other) / seconds / product_rate(device, one, p, other);
    return std::min(part, most_part);
}

/// What lies along the other axis. Kernels that go through a square cannot use a whole GPU for few
/// lines of C, and still gain from many to very many, for which there must be room.
std::vector<double> others_of(const GpuBench& bench, Kind kind) {
    constexpr std::size_t widest = 16, many = 16384;
    if (kind == Kind::multiplies) return {1};
    std::vector<double> others{256, 1024, 4096};
    if (kind == Kind::goes_through && bench.operand_bytes() >= large * many * widest)
        others.push_back(many);
    return others;
}

Efficiency measure(GpuBench& bench, const Device& device, const Measured& one, Type type) {
    Efficiency e;
    e.op = one.op;
    e.types = std::string(1, letter_of(type));
    e.edges = {64, 128, 256, 512, 1024, 2048, 4096, 8192};
    e.others = others_of(bench, one.kind);
    for (const double edge : e.edges)
        for (const double other : e.others)
            e.parts.push_back(part_of(bench, device, one, type, static_cast<index_t>(edge),
                                      static_cast<index_t>(other)));
    return e;
}

}  // namespace

void put_ops(Chip& chip, GpuBench& bench, const Device& device) {
    for (const Measured& one : all) {
        for (const char* op : {one.op, one.twin})
            if (op != nullptr) forget(chip, op, types);
        for (const Type type : types) {
            Efficiency e = measure(bench, device, one, type);
            chip.efficiencies.push_back(e);
            if (one.twin == nullptr) continue;
            e.op = one.twin;
            chip.efficiencies.push_back(std::move(e));
        }
    }
    chip.origin += "; opcodes other than gemm measured";
}

void forget(Chip& chip, std::string_view op, std::span<const Type> types) {
    for (Efficiency& e : chip.efficiencies)
        if (e.op == op)
            std::erase_if(e.types, [&](char letter) {
                return std::ranges::find(types, letter, letter_of) != types.end();
            });
    std::erase_if(chip.efficiencies, [](const Efficiency& e) { return e.types.empty(); });
}

}  // namespace gemmill::command
