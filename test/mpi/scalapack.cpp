// SPDX-License-Identifier: Apache-2.0
// Random calls by the names of PBLAS on several grids: the drop-in, which the program finds first,
// against plain loops and against the ScaLAPACK behind it.
//     mpirun -n 9 gemmill_test_scalapack CASES SEED
#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "support/dist_call.hpp"

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridexit(int);
void Cblacs_pinfo(int*, int*);
}

namespace gemmill::test {
namespace {

struct PblasMatrix {
    void* data;
    int row, col;
    int descriptor[11];
};

/// The usual descriptor, or the second kind where first blocks have sizes of their own.
void write_descriptor(const BlockCyclic& b, int context, index_t ld, int (&to)[11]) {
    const auto number = [](index_t x) { return static_cast<int>(x); };
    const int head[] = {1, context, number(b.rows), number(b.cols)};
    const int tail[] = {number(b.row_block), number(b.col_block), b.row_source, b.col_source,
                        number(ld)};
    const bool second = b.first_row_block > 0 || b.first_col_block > 0;
    std::copy(std::begin(head), std::end(head), to);
    std::copy(std::begin(tail), std::end(tail), to + (second ? 6 : 4));
    if (!second) return;
    to[0] = 2;
    to[4] = number(b.first_row_block > 0 ? b.first_row_block : b.row_block);
    to[5] = number(b.first_col_block > 0 ? b.first_col_block : b.col_block);
}

template <class T>
PblasMatrix pblas_matrix(const PlacedMatrix& x, LocalMatrix<T>& local, int context) {
    std::vector<T*> data;
    std::vector<index_t> ld;
    local.addresses(data, ld);
    PblasMatrix result{data.front(), static_cast<int>(x.row) + 1, static_cast<int>(x.col) + 1, {}};
    write_descriptor(x.layout.block_cyclic, context, ld.front(), result.descriptor);
    return result;
}

std::string symbol_of(const DistProblem& p) {
    constexpr const char* names[] = {"gemm", "gemmt", "symm",  "hemm", "syrk",
                                     "herk", "syr2k", "her2k", "trmm", "trsm"};
    return fmt::format("p{}{}_", letter_of(p.type), names[static_cast<int>(p.routine)]);
}

/// Calls a routine of PBLAS, wherever it comes from.
template <class T>
void call_pblas(void* function, const DistProblem& p, PblasMatrix& a, PblasMatrix& b,
                PblasMatrix& c) {
    const auto call = [&](auto... arguments) {
        reinterpret_cast<void (*)(decltype(arguments)...)>(function)(arguments...);
    };
    const T alpha = from_scalar<T>(p.alpha), beta = from_scalar<T>(p.beta);
    const auto* side = reinterpret_cast<const char*>(&p.side);
    const auto* uplo = reinterpret_cast<const char*>(&p.uplo);
    const auto* op_a = reinterpret_cast<const char*>(&p.op_a);
    const auto* op_b = reinterpret_cast<const char*>(&p.op_b);
    const auto* diag = reinterpret_cast<const char*>(&p.diag);
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    // A real factor is the first part of a complex one.
    const void *pa = &alpha, *pb = &beta;
    if (p.routine == Routine::gemm)
        call(op_a, op_b, &m, &n, &k, pa, a.data, &a.row, &a.col, a.descriptor, b.data, &b.row,
             &b.col, b.descriptor, pb, c.data, &c.row, &c.col, c.descriptor);
    else if (p.routine == Routine::symm || p.routine == Routine::hemm)
        call(side, uplo, &m, &n, pa, a.data, &a.row, &a.col, a.descriptor, b.data, &b.row, &b.col,
             b.descriptor, pb, c.data, &c.row, &c.col, c.descriptor);
    else if (p.overwrites())
        call(side, uplo, op_a, diag, &m, &n, pa, a.data, &a.row, &a.col, a.descriptor, c.data,
             &c.row, &c.col, c.descriptor);
    else if (p.uses_b())
        call(uplo, op_a, &n, &k, pa, a.data, &a.row, &a.col, a.descriptor, b.data, &b.row, &b.col,
             b.descriptor, pb, c.data, &c.row, &c.col, c.descriptor);
    else
        call(uplo, op_a, &n, &k, pa, a.data, &a.row, &a.col, a.descriptor, pb, c.data, &c.row,
             &c.col, c.descriptor);
}

template <class T>
std::string run_problem(const DistProblem& p, int context, int rank, void* library) {
    DistOperands<T> operands(p);
    operands.judge();
    void* function = dlsym(library, symbol_of(p).c_str());
    if (function == nullptr) return "not found: " + symbol_of(p);
    return operands.run(rank, [&](const auto&, auto& local) {
        std::vector<PblasMatrix> x;
        for (std::size_t o = 0; o < 3; ++o)
            x.push_back(pblas_matrix<T>(p.matrices[o], local[o], context));
        call_pblas<T>(function, p, x[0], x[1], x[2]);
    });
}

std::string run_any(const DistProblem& p, int context, int rank, void* library) {
    if (p.type == Type::s) return run_problem<float>(p, context, rank, library);
    if (p.type == Type::c) return run_problem<std::complex<float>>(p, context, rank, library);
    if (p.type == Type::z) return run_problem<std::complex<double>>(p, context, rank, library);
    return run_problem<double>(p, context, rank, library);
}

struct Counts {
    int wrong = 0, behind_differs = 0;
};

Counts run_grid(int grid_rows, int grid_cols, int cases, unsigned seed, void* behind) {
    int rank = 0, size = 1, context = -1;
    Cblacs_pinfo(&rank, &size);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", grid_rows, grid_cols);
    Counts counts;
    if (rank >= grid_rows * grid_cols) return counts;
    Random random(seed);
    DistLimits limits;
    limits.grid_rows = grid_rows, limits.grid_cols = grid_cols;
    for (int i = 0; i < cases; ++i) {
        const DistProblem p = random_problem(random, limits);
        const std::string fault = run_any(p, context, rank, RTLD_DEFAULT);
        if (!fault.empty()) {
            std::fprintf(stderr, "case %d, rank %d: %s\n  %s\n", i, rank, fault.c_str(),
                         describe(p).c_str());
            ++counts.wrong;
        }
        if (behind != nullptr && !run_any(p, context, rank, behind).empty())
            ++counts.behind_differs;
    }
    Cblacs_gridexit(context);
    return counts;
}

int run_grids(int cases, unsigned seed) {
    constexpr int grids[][2] = {{1, 1}, {1, 7}, {3, 2}, {2, 4}, {3, 3}};
    int rank = 0, size = 1, used = 0;
    Cblacs_pinfo(&rank, &size);
    void* behind = dlopen(GEMMILL_SCALAPACK_PATH, RTLD_NOW | RTLD_LOCAL);
    Counts mine;
    for (const auto& grid : grids) {
        if (grid[0] * grid[1] > size) continue;
        const Counts counts = run_grid(grid[0], grid[1], cases, seed++, behind);
        mine.wrong += counts.wrong, mine.behind_differs += counts.behind_differs;
        ++used;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    Counts all;
    MPI_Allreduce(&mine, &all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%d calls on %d grids, %d wrong; of those of the ScaLAPACK behind %d differ\n",
                    cases * used, used, all.wrong, all.behind_differs);
    return all.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gemmill::test

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int cases = argc > 1 ? std::atoi(argv[1]) : 200;
    const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
    const int failed = gemmill::test::run_grids(cases, seed);
    MPI_Finalize();
    return failed;
}
