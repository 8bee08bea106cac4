// SPDX-License-Identifier: Apache-2.0
// mpirun -n 4 example_ranks_product: C = A B with matrices that are spread over all ranks.
#include <cstdio>
#include <gemmill/dist.hpp>
#include <gemmill/error.hpp>
#include <vector>

namespace {

constexpr gemmill::index_t n = 600, block = 32;

/// Each rank stores its blocks of an n x n matrix, here all with one value.
std::vector<double> local_part(const gemmill::BlockCyclic& layout, int rank, double value) {
    const gemmill::LocalShape shape = gemmill::local_shape(layout, rank);
    return std::vector<double>(static_cast<std::size_t>(shape.rows * shape.cols + 1), value);
}

int multiply() {
    gemmill::Ranks ranks(MPI_COMM_WORLD);  // options come from GEMMILL_* variables
    gemmill::BlockCyclic layout;
    layout.rows = layout.cols = n;
    layout.row_block = layout.col_block = block;
    layout.grid_cols = ranks.size();
    const gemmill::index_t ld =
        std::max<gemmill::index_t>(1, gemmill::local_shape(layout, ranks.rank()).rows);

    std::vector<double> a = local_part(layout, ranks.rank(), 1);
    std::vector<double> b = local_part(layout, ranks.rank(), 2);
    std::vector<double> c = local_part(layout, ranks.rank(), 0);
    const gemmill::RankReport report = gemmill::gemm<double>(
        ranks, gemmill::Op::NoTrans, gemmill::Op::NoTrans, 1.0,
        gemmill::dist_matrix(layout, a.data(), ld), gemmill::dist_matrix(layout, b.data(), ld), 0.0,
        gemmill::dist_matrix(layout, c.data(), ld));
    if (ranks.rank() == 0)
        std::printf("%s, rank 0 sent %lld bytes\n", report.work.c_str(),
                    static_cast<long long>(report.sent_bytes));
    c.pop_back();
    for (const double x : c)
        if (x != 2.0 * n) return 1;
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int code = 1;
    try {
        code = multiply();
    } catch (const gemmill::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    MPI_Finalize();
    return code;
}
