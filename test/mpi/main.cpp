// SPDX-License-Identifier: Apache-2.0
// Random distributed calls over real ranks. All ranks make the same cases; rank 0 reports.
//     mpirun -n 6 gemmill_test_mpi CASES SEED [messages]
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>

#include "gemmill/dist.hpp"
#include "support/dist_call.hpp"

namespace gemmill::test {
namespace {

template <class T>
DistMatrix<T> dist_matrix_of(const PlacedMatrix& x, LocalMatrix<T>& local) {
    DistMatrix<T> result;
    if (x.layout.cyclic)
        result.layout = x.layout.block_cyclic;
    else
        result.layout = x.layout.block_grid;
    local.addresses(result.data, result.ld);
    return result.part(x.row, x.col, x.rows, x.cols);
}

/// Local arrays of a matrix in the memory of a rank's device, until they are fetched.
template <class T>
class OnDevice {
  public:
    OnDevice(Context& context, LocalMatrix<T>& local, DistMatrix<T>& matrix)
        : context_(context), local_(local), addresses_(matrix.data) {
        for (std::size_t i = 0; i < addresses_.size(); ++i) {
            const std::size_t bytes = local.arrays()[i].size() * sizeof(T);
            addresses_[i] = static_cast<T*>(context.allocate(0, bytes));
            context.copy(addresses_[i], local.arrays()[i].data(), bytes);
        }
        matrix.data = addresses_;
    }
    ~OnDevice() {
        for (T* address : addresses_) context_.release(address);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    void fetch() const {
        for (std::size_t i = 0; i < addresses_.size(); ++i) {
            std::vector<T>& array = local_.arrays()[i];
            context_.copy(array.data(), addresses_[i], array.size() * sizeof(T));
        }
    }

  private:
    Context& context_;
    LocalMatrix<T>& local_;
    std::vector<T*> addresses_;
};

bool has_device(const Context& context) {
    const Machine& machine = context.machine();
    const auto memory = static_cast<std::size_t>(machine.devices.front().memory);
    return machine.memories[memory].kind == MemoryKind::device;
}

template <class T>
RankReport run_routine(Ranks& ranks, const DistProblem& p, const DistMatrix<T>& a,
                       const DistMatrix<T>& b, const DistMatrix<T>& c) {
    const T alpha = from_scalar<T>(p.alpha), beta = from_scalar<T>(p.beta);
    if constexpr (is_complex(type_of<T>)) {
        if (p.routine == Routine::hemm) return hemm(ranks, p.side, p.uplo, alpha, a, b, beta, c);
        if (p.routine == Routine::herk)
            return herk(ranks, p.uplo, p.op_a, alpha.real(), a, beta.real(), c);
        if (p.routine == Routine::her2k)
            return her2k(ranks, p.uplo, p.op_a, alpha, a, b, beta.real(), c);
    }
    switch (p.routine) {
        case Routine::symm:
            return symm(ranks, p.side, p.uplo, alpha, a, b, beta, c);
        case Routine::syrk:
            return syrk(ranks, p.uplo, p.op_a, alpha, a, beta, c);
        case Routine::syr2k:
            return syr2k(ranks, p.uplo, p.op_a, alpha, a, b, beta, c);
        case Routine::trmm:
            return trmm(ranks, p.side, p.uplo, p.op_a, p.diag, alpha, a, c);
        case Routine::trsm:
            return trsm(ranks, p.side, p.uplo, p.op_a, p.diag, alpha, a, c);
        default:
            return gemm(ranks, p.op_a, p.op_b, alpha, a, b, beta, c);
    }
}

template <class T>
std::string run_problem(Ranks& ranks, const DistProblem& p) {
    DistOperands<T> operands(p);
    operands.judge();
    return operands.run(ranks.rank(), [&](const auto&, auto& local) {
        std::array<DistMatrix<T>, 3> x;
        for (std::size_t o = 0; o < 3; ++o) x[o] = dist_matrix_of<T>(p.matrices[o], local[o]);
        // On devices, where there are some, lies what the seed says.
        std::vector<std::unique_ptr<OnDevice<T>>> moved;
        for (std::size_t o = 0; o < 3 && has_device(ranks.context()); ++o)
            if ((p.seed >> (o + static_cast<std::size_t>(ranks.rank())) & 1) != 0)
                moved.push_back(std::make_unique<OnDevice<T>>(ranks.context(), local[o], x[o]));
        run_routine<T>(ranks, p, x[0], x[1], x[2]);
        for (const auto& matrix : moved) matrix->fetch();
    });
}

std::string run_any(Ranks& ranks, const DistProblem& p) {
    try {
        if (p.type == Type::s) return run_problem<float>(ranks, p);
        if (p.type == Type::c) return run_problem<std::complex<float>>(ranks, p);
        if (p.type == Type::z) return run_problem<std::complex<double>>(ranks, p);
        return run_problem<double>(ranks, p);
    } catch (const std::exception& error) {
        return error.what();
    }
}

/// All cases, each on the first so many ranks.
int run_cases(int cases, unsigned seed, bool messages) {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    RankOptions options = RankOptions::from_environment();
    options.node_memory = !messages;
    Ranks ranks(MPI_COMM_WORLD, options);
    Random random(seed);
    DistLimits limits;
    limits.ranks = size;
    int failed = 0;
    for (int i = 0; i < cases && failed == 0; ++i) {
        DistProblem p = random_problem(random, limits);
        p.ranks = size;
        const std::string fault = run_any(ranks, p);
        if (!fault.empty())
            std::fprintf(stderr, "case %d, rank %d: %s\n  %s\n", i, rank, fault.c_str(),
                         describe(p).c_str());
        const int mine = fault.empty() ? 0 : 1;
        MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0 && failed == 0) std::printf("%d cases on %d ranks are right\n", cases, size);
    return failed;
}

}  // namespace
}  // namespace gemmill::test

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int cases = argc > 1 ? std::atoi(argv[1]) : 500;
    const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
    const bool messages = argc > 3 && std::string_view(argv[3]) == "messages";
    const int failed = gemmill::test::run_cases(cases, seed, messages);
    MPI_Finalize();
    return failed;
}
