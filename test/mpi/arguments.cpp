// SPDX-License-Identifier: Apache-2.0
// Bad arguments by the names of PBLAS: the drop-in says of each what ScaLAPACK says of it, and
// nothing is written.
//     mpirun -n 4 gemmill_test_scalapack_arguments
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <vector>

namespace {

int last_info = 0;

}  // namespace

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_pinfo(int*, int*);
/// In the place of ScaLAPACK's, which ends the program.
__attribute__((visibility("default"))) void PB_Cabort(int, char*, int info) { last_info = info; }
__attribute__((visibility("default"))) void PB_Cwarn(int, int, char*, char*, ...) {}
}

namespace {

constexpr int size = 40, block = 4;

struct Matrix {
    std::vector<double> data = std::vector<double>(size * size, 1.0);
    int row = 1, col = 1;
    int descriptor[9];
};

struct Call {
    char op_a = 'N', op_b = 'N';
    int m = size, n = size, k = size;
    double alpha = 1, beta = 1;
    Matrix a, b, c;
};

Call sound_call(int context) {
    Call x;
    for (Matrix* matrix : {&x.a, &x.b, &x.c}) {
        const int fields[] = {1, context, size, size, block, block, 0, 0, size};
        std::copy(std::begin(fields), std::end(fields), matrix->descriptor);
    }
    return x;
}

using Gemm = void(const char*, const char*, const int*, const int*, const int*, const double*,
                  double*, const int*, const int*, const int*, double*, const int*, const int*,
                  const int*, const double*, double*, const int*, const int*, const int*);

int info_of(Gemm* gemm, Call x) {
    last_info = 0;
    gemm(&x.op_a, &x.op_b, &x.m, &x.n, &x.k, &x.alpha, x.a.data.data(), &x.a.row, &x.a.col,
         x.a.descriptor, x.b.data.data(), &x.b.row, &x.b.col, x.b.descriptor, &x.beta,
         x.c.data.data(), &x.c.row, &x.c.col, x.c.descriptor);
    if (last_info != 0)
        for (const double value : x.c.data)
            if (value != 1.0) std::printf("C was written\n"), last_info = 1;
    return last_info;
}

struct Fault {
    const char* name;
    std::function<void(Call&)> make;
};

const std::vector<Fault>& faults() {
    static const std::vector<Fault> all{
        {"op of A", [](Call& x) { x.op_a = 'X'; }},
        {"op of B", [](Call& x) { x.op_b = '?'; }},
        {"m", [](Call& x) { x.m = -1; }},
        {"n", [](Call& x) { x.n = -3; }},
        {"k", [](Call& x) { x.k = -1; }},
        {"row of A", [](Call& x) { x.a.row = 0; }},
        {"column of B", [](Call& x) { x.b.col = -2; }},
        {"row of C", [](Call& x) { x.c.row = 0; }},
        {"kind of A", [](Call& x) { x.a.descriptor[0] = 7; }},
        {"context of B", [](Call& x) { x.b.descriptor[1] = -1; }},
        {"rows of C", [](Call& x) { x.c.descriptor[2] = -4; }},
        {"columns of A", [](Call& x) { x.a.descriptor[3] = -1; }},
        {"row block of A", [](Call& x) { x.a.descriptor[4] = 0; }},
        {"column block of C", [](Call& x) { x.c.descriptor[5] = -1; }},
        {"source of B", [](Call& x) { x.b.descriptor[6] = 9; }},
        {"source column of C", [](Call& x) { x.c.descriptor[7] = -5; }},
        {"leading dimension of A", [](Call& x) { x.a.descriptor[8] = 1; }},
        {"A too small", [](Call& x) { x.a.row = 5; }},
        {"C too small", [](Call& x) { x.c.col = 2; }},
    };
    return all;
}

int compare(Gemm* ours, Gemm* behind, int context, int rank) {
    int failures = info_of(ours, sound_call(context)) != 0;
    for (const Fault& fault : faults()) {
        Call call = sound_call(context);
        fault.make(call);
        const int theirs = info_of(behind, call), mine = info_of(ours, call);
        if (mine == theirs && mine != 0) continue;
        std::fprintf(stderr, "rank %d, %s: ScaLAPACK says %d, the drop-in %d\n", rank, fault.name,
                     theirs, mine);
        ++failures;
    }
    return failures;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0, context = -1;
    Cblacs_pinfo(&rank, &ranks);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 2, 2);
    auto* ours = reinterpret_cast<Gemm*>(dlsym(RTLD_DEFAULT, "pdgemm_"));
    auto* behind = reinterpret_cast<Gemm*>(
        dlsym(dlopen(GEMMILL_SCALAPACK_PATH, RTLD_NOW | RTLD_LOCAL), "pdgemm_"));
    int mine = ours == behind || ours == nullptr ? 1 : compare(ours, behind, context, rank);
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%zu faults, %d not as ScaLAPACK\n", faults().size(), all);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
