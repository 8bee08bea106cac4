// SPDX-License-Identifier: Apache-2.0
// What happens when something is wrong on one rank: all ranks say the same, and C is as it was.
//     mpirun -n 3 gemmill_test_rank_errors
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gemmill/dist.h"
#include "gemmill/dist.hpp"
#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"
#include "mpi/state.hpp"
#include "mpi/transport.hpp"
#include "rank/call.hpp"
#include "rank_checks.hpp"

namespace gemmill::test {
namespace {

constexpr index_t size = 60, block = 7;

struct Local {
    BlockCyclic layout;
    std::vector<double> data;
    index_t ld = 1;
    DistMatrix<double> matrix() { return dist_matrix(layout, data.data(), ld); }
};

Local filled(double value, int ranks) {
    Local x;
    x.layout.rows = x.layout.cols = size;
    x.layout.row_block = x.layout.col_block = block;
    x.layout.grid_rows = ranks;
    const LocalShape shape = local_shape(x.layout, world_rank());
    x.ld = std::max<index_t>(1, shape.rows);
    x.data.assign(static_cast<std::size_t>(x.ld * shape.cols + 1), value);
    return x;
}

/// The words of the Error that a call throws; empty: none.
std::string words_of(const std::function<void()>& call) {
    try {
        call();
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

/// The same words on every rank, with these among them; C as it was.
void expect_refused(const char* name, const char* words, Local& c,
                    const std::function<void()>& call) {
    const std::vector<double> old = c.data;
    const std::string text = words_of(call);
    char first[512] = {}, mine[512] = {};
    text.copy(mine, sizeof mine - 1);
    std::memcpy(first, mine, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    expect(std::strcmp(first, mine) == 0, name);
    if (text.find(words) == std::string::npos)
        std::fprintf(stderr, "%s: '%s' says nothing of '%s'\n", name, text.c_str(), words),
            ++failures();
    expect(c.data == old, "C is as it was");
}

void refuse_bad_arguments() {
    Ranks ranks(MPI_COMM_WORLD);
    Local a = filled(1, ranks.size()), b = filled(2, ranks.size()), c = filled(3, ranks.size());
    const int last = ranks.size() - 1;
    const auto product = [&](const DistMatrix<double>& x, double alpha) {
        gemm<double>(ranks, Op::NoTrans, Op::NoTrans, alpha, x, b.matrix(), 1.0, c.matrix());
    };
    expect_refused("ld", "leading dimension", c, [&] {
        DistMatrix<double> x = a.matrix();
        if (ranks.rank() == last) x.ld[0] = 1;
        product(x, 1);
    });
    expect_refused("sizes", "size of", c, [&] { product(a.matrix().part(0, 0, size, 3), 1); });
    expect_refused("null", "null", c, [&] {
        DistMatrix<double> x = a.matrix();
        if (ranks.rank() == last) x.data[0] = nullptr;
        product(x, 1);
    });
    if (ranks.size() > 1)
        expect_refused("alpha differs", "differ", c, [&] { product(a.matrix(), ranks.rank()); });
    RankOptions options;
    options.check = true;
    Ranks careful(MPI_COMM_WORLD, options);
    if (ranks.size() > 1)
        expect_refused("alpha differs, named", "alpha differs", c, [&] {
            gemm<double>(careful, Op::NoTrans, Op::NoTrans, 1.0 + careful.rank(), a.matrix(),
                         b.matrix(), 1.0, c.matrix());
        });
    options.memory = 100;
    Ranks poor(MPI_COMM_WORLD, options);
    if (ranks.size() > 1)
        expect_refused("memory", "more than rank_memory allows", c, [&] {
            gemm<double>(poor, Op::NoTrans, Op::NoTrans, 1.0, a.matrix(), b.matrix(), 1.0,
                         c.matrix());
        });
    ranks.state().busy.test_and_set();
    expect_refused("two at a time", "under way", c, [&] { product(a.matrix(), 1); });
    ranks.state().busy.clear();
    product(a.matrix(), 1);
    expect(c.data[0] == 3 + 2.0 * size, "a call after refused ones is right");
}

void speak_c() {
    const int ranks = world_size();
    Local a = filled(1, ranks), b = filled(2, ranks), c = filled(3, ranks);
    const auto as_c = [&](Local& x) {
        return gemmill_dist_whole(size, size, block, ranks, 1, x.data.data(), x.ld);
    };
    const gemmill_dist_matrix ca = as_c(a), cb = as_c(b), cc = as_c(c);
    const double one = 1;
    expect(
        gemmill_dist_gemm(MPI_COMM_WORLD, 'd', 'n', 'T', &one, &ca, &cb, &one, &cc) == GEMMILL_OK,
        "C: gemm");
    expect(c.data[0] == 3 + 2.0 * size, "C: gemm is right");
    expect(gemmill_dist_gemm(MPI_COMM_WORLD, 'd', 'x', 'n', &one, &ca, &cb, &one, &cc) ==
               GEMMILL_BAD_ARGUMENT,
           "C: a bad flag");
    expect(gemmill_dist_copy(MPI_COMM_WORLD, 'd', 't', &ca, &cc) == GEMMILL_OK && c.data[0] == 1,
           "C: copy");
    expect(gemmill_dist_local(size, block, world_rank(), ranks) == a.ld || a.ld == 1,
           "C: local size");
}

/// A rank's messages in parts of a few bytes.
void send_in_parts() {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    constexpr std::int64_t part = 1000;
    MpiTransport transport(own, part);
    Local a = filled(1, transport.size()), b = filled(2, transport.size()),
          c = filled(3, transport.size());
    DistSetup setup;
    setup.kernels.gemm = reference_gemm;
    const auto as_rank = [&](Local& x) {
        return RankMatrix{Distribution(x.layout, transport.size()),
                          {{reinterpret_cast<std::byte*>(x.data.data()), x.ld}}};
    };
    DistCall call;
    call.alpha = call.beta = {1, 0};
    call.a = as_rank(a), call.b = as_rank(b), call.c = as_rank(c);
    run_call(
        transport, [&] { return call; }, setup);
    for (std::size_t i = 0; i + 1 < c.data.size(); ++i)
        expect(c.data[i] == 3 + 2.0 * size, "a product in parts");
    MPI_Comm_free(&own);
}

/// The last rank does not come; the others say so, and later calls do not hang.
void lose_a_rank() {
    const int last = world_size() - 1;
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    RankOptions options;
    options.timeout = 0.5;
    Ranks ranks(own, options);
    Local a = filled(1, ranks.size()), b = filled(2, ranks.size()), c = filled(3, ranks.size());
    const std::vector<double> old = c.data;
    const auto product = [&] {
        gemm<double>(ranks, Op::NoTrans, Op::NoTrans, 1.0, a.matrix(), b.matrix(), 1.0, c.matrix());
    };
    if (ranks.rank() != last) {
        const std::string text = words_of(product);
        expect(text.find("rank ") != std::string::npos &&
                   text.find("sent nothing") != std::string::npos,
               "a lost rank is named");
        expect(c.data == old, "C is as it was without the lost rank");
        expect(!words_of([&] { Ranks again(own, options); }).empty(), "later calls are refused");
    }
    // Until the others have given up.
    MPI_Barrier(MPI_COMM_WORLD);
}

void check_all() {
    refuse_bad_arguments();
    speak_c();
    send_in_parts();
    if (world_size() > 1) lose_a_rank();
}

}  // namespace
}  // namespace gemmill::test

int main(int argc, char** argv) {
    return gemmill::test::check_ranks(argc, argv, gemmill::test::check_all);
}
