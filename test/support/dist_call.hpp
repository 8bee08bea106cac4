// SPDX-License-Identifier: Apache-2.0
// Random calls of distributed routines: the same problem for every rank, and the judge of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "kernel/reference/level3.hpp"
#include "kernel/reference/reference.hpp"
#include "rank/call.hpp"
#include "support/dist_case.hpp"
#include "support/random.hpp"

namespace gemmill::test {

/// Where a matrix of a call lies: a sub-matrix at (row, col) of a distributed one.
struct PlacedMatrix {
    AnyLayout layout;
    index_t row = 0, col = 0, rows = 0, cols = 0;
    index_t gap = 0;  ///< elements between columns of local arrays
};

struct DistProblem {
    int ranks = 1;
    Routine routine = Routine::gemm;
    Type type = Type::d;
    Side side = Side::Left;
    Uplo uplo = Uplo::Lower;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    Diag diag = Diag::NonUnit;
    Scalar alpha, beta;
    index_t m = 0, n = 0, k = 0;
    std::array<PlacedMatrix, 3> matrices;
    std::uint64_t seed = 0;

    bool uses_b() const {
        return routine != Routine::syrk && routine != Routine::herk && routine != Routine::trmm &&
               routine != Routine::trsm;
    }
    bool is_sided() const {
        return routine == Routine::symm || routine == Routine::hemm || routine == Routine::trmm ||
               routine == Routine::trsm;
    }
    bool overwrites() const { return routine == Routine::trmm || routine == Routine::trsm; }
    bool is_hermitian() const {
        return routine == Routine::hemm || routine == Routine::herk || routine == Routine::her2k;
    }
    bool makes_triangle() const {
        return routine == Routine::syrk || routine == Routine::herk || routine == Routine::syr2k ||
               routine == Routine::her2k;
    }
};

inline std::string describe(const DistProblem& p) {
    constexpr const char* names[] = {"gemm", "gemmt", "symm",  "hemm", "syrk",
                                     "herk", "syr2k", "her2k", "trmm", "trsm"};
    std::string text = fmt::format(
        "{}{} side={} uplo={} diag={} op={}{} m={} n={} k={} alpha={},{} beta={},{} ranks={}",
        letter_of(p.type), names[static_cast<int>(p.routine)], static_cast<char>(p.side),
        static_cast<char>(p.uplo), static_cast<char>(p.diag), static_cast<char>(p.op_a),
        static_cast<char>(p.op_b), p.m, p.n, p.k, p.alpha.re, p.alpha.im, p.beta.re, p.beta.im,
        p.ranks);
    for (const PlacedMatrix& x : p.matrices) {
        const BlockCyclic& b = x.layout.block_cyclic;
        text +=
            x.layout.cyclic
                ? fmt::format("; {}x{} at {},{} grid {}x{}{} blocks {}x{} first {}x{} from {},{}",
                              x.rows, x.cols, x.row, x.col, b.grid_rows, b.grid_cols,
                              static_cast<char>(b.order), b.row_block, b.col_block,
                              b.first_row_block, b.first_col_block, b.row_source, b.col_source)
                : fmt::format("; {}x{} at {},{} grid of blocks", x.rows, x.cols, x.row, x.col);
    }
    return text;
}

struct DistLimits {
    int ranks = 6;
    index_t largest = 40;
    bool grids_of_blocks = true;
    /// All matrices on one grid with one order, as ScaLAPACK needs it; 0: any.
    int grid_rows = 0, grid_cols = 0;
};

inline Scalar random_factor(Random& random, bool complex) {
    if (random.chance(15)) return {};
    if (random.chance(25)) return {1, 0};
    return {random.real(), complex ? random.real() : 0};
}

inline void place(DistProblem& p, std::size_t operand, index_t rows, index_t cols, Random& random,
                  const DistLimits& limits) {
    PlacedMatrix& x = p.matrices[operand];
    x.rows = rows, x.cols = cols;
    x.row = random.chance(50) ? 0 : random.below(9),
    x.col = random.chance(50) ? 0 : random.below(9);
    x.gap = random.below(3);
    const index_t all_rows = x.row + rows + random.below(4),
                  all_cols = x.col + cols + random.below(4);
    if (limits.grid_rows > 0) {
        x.layout.block_cyclic = random_block_cyclic(random, all_rows, all_cols, limits.grid_rows,
                                                    limits.grid_cols, true);
        x.layout.block_cyclic.order = RankOrder::RowMajor;
        return;
    }
    x.layout = random_layout(random, all_rows, all_cols, p.ranks);
    if (!limits.grids_of_blocks) x.layout.cyclic = true;
}

inline DistProblem random_problem(Random& random, const DistLimits& limits) {
    constexpr Routine routines[] = {Routine::gemm,  Routine::gemm, Routine::gemm, Routine::symm,
                                    Routine::hemm,  Routine::syrk, Routine::herk, Routine::syr2k,
                                    Routine::her2k, Routine::trmm, Routine::trsm};
    constexpr Type types[] = {Type::s, Type::d, Type::c, Type::z};
    constexpr Op ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
    const auto size = [&] {
        return random.chance(5) ? 0 : random.chance(10) ? 1 : random.between(1, limits.largest);
    };
    DistProblem p;
    p.ranks = limits.grid_rows > 0 ? limits.grid_rows * limits.grid_cols
                                   : static_cast<int>(random.between(1, limits.ranks));
    p.routine = random.pick(routines);
    p.type = p.is_hermitian() ? (random.chance(50) ? Type::c : Type::z) : random.pick(types);
    p.side = random.chance(50) ? Side::Left : Side::Right;
    p.uplo = random.chance(50) ? Uplo::Lower : Uplo::Upper;
    p.diag = random.chance(50) ? Diag::NonUnit : Diag::Unit;
    p.op_a = random.pick(ops), p.op_b = random.pick(ops);
    if (p.makes_triangle() && p.op_a != Op::NoTrans)
        p.op_a = p.is_hermitian() ? Op::ConjTrans : Op::Trans;
    p.m = size(), p.n = size(), p.k = size();
    if (p.makes_triangle()) p.m = p.n;
    if (p.is_sided()) p.k = p.side == Side::Left ? p.m : p.n;
    const bool complex = is_complex(p.type);
    p.alpha = random_factor(random, complex && p.routine != Routine::herk);
    p.beta = random_factor(random, complex && !(p.is_hermitian() && p.makes_triangle()));
    p.seed = static_cast<std::uint64_t>(random.below(1 << 30));

    const auto stored = [&](Op op, index_t rows, index_t cols) {
        return op == Op::NoTrans ? std::pair(rows, cols) : std::pair(cols, rows);
    };
    std::pair<index_t, index_t> a(p.k, p.k), b(p.m, p.n);
    if (!p.is_sided()) a = stored(p.op_a, p.m, p.k);
    if (p.routine == Routine::gemm) b = stored(p.op_b, p.k, p.n);
    if (p.makes_triangle()) b = a;
    place(p, 0, a.first, a.second, random, limits);
    place(p, 1, b.first, b.second, random, limits);
    place(p, 2, p.m, p.n, random, limits);
    return p;
}

/// A number between -1 and 1 that belongs to an element.
inline double element_value(std::uint64_t seed, std::uint64_t part, index_t row, index_t col) {
    const std::uint64_t x = mixed(mixed(mixed(seed, part), static_cast<std::uint64_t>(row)),
                                  static_cast<std::uint64_t>(col));
    return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

/// The matrices of a problem as one rank has them, and whole for the judge.
template <class T>
class DistOperands {
  public:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    explicit DistOperands(const DistProblem& p) : p_(p) {}

    /// What stands in a matrix at first: NaN where it must not be read.
    T initial(std::size_t operand, index_t i, index_t j) const {
        const PlacedMatrix& x = p_.matrices[operand];
        if (i < 0 || j < 0 || i >= x.rows || j >= x.cols) return outside();
        if (operand == 0 && p_.is_sided()) {
            if (p_.uplo == Uplo::Lower ? i < j : i > j) return outside();
            if (p_.overwrites() && i == j)
                return p_.diag == Diag::Unit ? outside() : T(static_cast<real>(2 + value(0, i, j)));
            // Triangular systems stay well-conditioned.
            if (p_.routine == Routine::trsm)
                return element(operand, i, j) / T(static_cast<real>(std::max<index_t>(1, x.rows)));
        }
        if (operand == 2 && is_zero(p_.beta) && !p_.overwrites()) return outside();
        return element(operand, i, j);
    }
    static T outside() { return T(static_cast<real>(nan)); }

    /// Runs `call` with this rank's matrices; returns what is wrong, or nothing.
    template <class F>
    std::string run(int rank, F&& call) {
        std::vector<LocalMatrix<T>> local;
        std::vector<Distribution> parts;
        for (std::size_t o = 0; o < 3; ++o) {
            const PlacedMatrix& x = p_.matrices[o];
            const Distribution all = x.layout.distribution(p_.ranks);
            local.emplace_back(all, rank, x.gap);
            parts.push_back(all.part(x.row, x.col, x.rows, x.cols));
            local[o].each(
                [&](index_t i, index_t j, T& e) { e = initial(o, i - x.row, j - x.col); });
        }
        std::array<RankMatrix, 3> matrices;
        for (std::size_t o = 0; o < 3; ++o) matrices[o] = local[o].matrix(parts[o], rank);
        call(matrices, local);
        std::string faults;
        for (std::size_t o = 0; o < 3; ++o) faults += fault(o, local[o]);
        return faults;
    }

    void judge() {
        for (std::size_t o = 0; o < 3; ++o) {
            const PlacedMatrix& x = p_.matrices[o];
            lds_[o] = std::max<index_t>(1, x.rows);
            for (index_t j = 0; j < x.cols; ++j)
                for (index_t i = 0; i < lds_[o]; ++i) whole_[o].push_back(initial(o, i, j));
            if (whole_[o].empty()) whole_[o].push_back(T(0));
        }
        Level3Args x;
        x.routine = p_.routine, x.type = p_.type, x.side = p_.side, x.uplo = p_.uplo;
        x.op_a = p_.op_a, x.op_b = p_.op_b, x.diag = p_.diag;
        x.m = p_.m, x.n = p_.n, x.k = p_.k, x.alpha = p_.alpha, x.beta = p_.beta;
        x.a = whole_[0].data(), x.lda = lds_[0];
        x.b = p_.uses_b() ? whole_[1].data() : nullptr, x.ldb = lds_[1];
        x.c = whole_[2].data(), x.ldc = lds_[2];
        if (p_.routine == Routine::gemm)
            reference_gemm({p_.type, p_.op_a, p_.op_b, p_.m, p_.n, p_.k, p_.alpha, x.a, x.lda, x.b,
                            x.ldb, p_.beta, x.c, x.ldc});
        else
            reference_level3(x);
    }

  private:
    using real = decltype(std::real(T()));

    static bool is_zero(Scalar x) { return x.re == 0 && x.im == 0; }
    double value(std::uint64_t part, index_t i, index_t j) const {
        return element_value(p_.seed, part, i, j);
    }
    T element(std::size_t operand, index_t i, index_t j) const {
        const std::uint64_t part = operand * 2;
        if constexpr (is_complex(type_of<T>))
            return T(static_cast<real>(value(part, i, j)),
                     static_cast<real>(value(part + 1, i, j)));
        else
            return static_cast<T>(value(part, i, j));
    }
    bool is_made(index_t i, index_t j) const {
        const PlacedMatrix& c = p_.matrices[2];
        if (i < 0 || j < 0 || i >= c.rows || j >= c.cols) return false;
        if (!p_.makes_triangle()) return true;
        return p_.uplo == Uplo::Lower ? i >= j : i <= j;
    }
    static bool same(const T& x, const T& y) {
        const auto equal = [](real a, real b) { return a == b || (a != a && b != b); };
        return equal(std::real(x), std::real(y)) && equal(std::imag(x), std::imag(y));
    }

    std::string fault(std::size_t operand, LocalMatrix<T>& local) const {
        const PlacedMatrix& x = p_.matrices[operand];
        std::string text;
        // Elements are at most 1, sums of 2 k of them and a solution of such a system not much
        // more.
        const double allowed =
            64.0 * static_cast<double>(p_.k + 4) * std::numeric_limits<real>::epsilon();
        local.each([&](index_t row, index_t col, T& e) {
            const index_t i = row - x.row, j = col - x.col;
            if (!text.empty()) return;
            if (operand != 2 || !is_made(i, j)) {
                if (!same(e, initial(operand, i, j)))
                    text = fmt::format("{}({},{}) was written", "ABC"[operand], i, j);
                return;
            }
            const T expected = whole_[2][static_cast<std::size_t>(i + j * lds_[2])];
            const bool untouched = same(e, expected);
            if (!untouched && !(std::abs(e - expected) <= static_cast<real>(allowed)))
                text = fmt::format("C({},{}) is {} {} instead of {} {}", i, j, std::real(e),
                                   std::imag(e), std::real(expected), std::imag(expected));
        });
        return text;
    }

    const DistProblem& p_;
    std::array<std::vector<T>, 3> whole_;
    std::array<index_t, 3> lds_{};
};

inline DistCall call_of(const DistProblem& p, const std::array<RankMatrix, 3>& matrices) {
    DistCall call;
    call.routine = p.routine, call.type = p.type, call.side = p.side, call.uplo = p.uplo;
    call.op_a = p.op_a, call.op_b = p.op_b, call.diag = p.diag;
    call.alpha = p.alpha, call.beta = p.beta;
    call.a = matrices[0], call.c = matrices[2];
    call.b = p.uses_b() ? matrices[1] : matrices[0];
    return call;
}

}  // namespace gemmill::test
