// SPDX-License-Identifier: Apache-2.0
// Level 3 of BLAS on matrices that are spread over MPI ranks. In libgemmill_mpi, besides
// libgemmill.
//
// Every rank of the communicator makes each call, with the same arguments but for addresses. All of
// them return, or all throw the same Error before anything is written: bad arguments, arguments
// that differ between ranks, a rank without memory. A rank that stops in the middle is named by the
// others after RankOptions::timeout (Error(failed_step)); C is then old or right block by block,
// and B of trsm may be in part both. A call of a communicator on which
// another thread's is under way is refused.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "gemmill/context.hpp"
#include "gemmill/distribution.hpp"
#include "gemmill/level3.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// How calls are made. 0 and empty: chosen.
struct RankOptions {
    /// best: what moves and costs least; parsec: C stays, in blocks of row_block x col_block of
    /// each rank and stages of `depth`; c, a, b: that matrix stays where it is; "bricks PxQxR".
    std::string policy = "best";
    index_t row_block = 0, col_block = 0, depth = 0;
    int lookahead = -1;       ///< stages whose inputs are fetched ahead; -1: chosen
    std::int64_t memory = 0;  ///< bytes that a call may take of each rank; 0: no limit
    double timeout = 300;     ///< seconds without any message; 0: for ever
    bool check = false;       ///< compare each argument over the ranks, and say which one differs
    /// Whether MPI may be given memory of GPUs: 1, 0, or auto, which asks MPI. Otherwise messages
    /// of matrices that lie there pass through host memory, as do those whose elements lie apart.
    std::string gpu_aware = "auto";
    /// Ranks of one node put panels into memory that all of them see, where they can.
    bool node_memory = true;
    /// Flops that a rank makes while it gets a byte from another: what weighs messages against
    /// work.
    double flops_per_byte = 20;

    /// rank_policy, rank_memory, rank_check, gpu_aware_mpi and timeout of Options.
    GEMMILL_API static RankOptions from(const Options& options);
    GEMMILL_API static RankOptions from_environment() { return from(Options::from_environment()); }
};

/// What a call did on this rank.
struct RankReport {
    std::string work;             ///< which way was taken: "stationary C", ...
    std::int64_t sent_bytes = 0;  ///< to other ranks
    std::int64_t memory_bytes = 0;
    index_t stages = 0;
    /// Seconds in which this rank copied elements into panels and messages, waited for other ranks,
    /// made products or waited for a device that makes them, and wrote C.
    double copying = 0, waiting = 0, computing = 0, writing = 0;
    bool node_memory = false;  ///< panels lay in memory that all ranks see
    bool gpu_memory = false;   ///< which was that of the GPU they all compute with
};

/// A distributed matrix, or a part of one, as this rank sees it. Local arrays are column-major.
template <class T>
struct DistMatrix {
    std::variant<BlockCyclic, BlockGrid> layout;
    /// Addresses and leading dimensions: one; of a BlockGrid one for each block that this rank
    /// owns, in the order of BlockGrid::owners.
    std::vector<T*> data;
    std::vector<index_t> ld;
    index_t row = 0, col = 0;
    index_t rows = -1, cols = -1;  ///< -1: all of it

    DistMatrix part(index_t from_row, index_t from_col, index_t count_rows,
                    index_t count_cols) const {
        DistMatrix result = *this;
        result.row = row + from_row, result.col = col + from_col;
        result.rows = count_rows, result.cols = count_cols;
        return result;
    }
};

template <class T>
DistMatrix<T> dist_matrix(const BlockCyclic& layout, T* data, index_t ld) {
    return {layout, {data}, {ld}};
}

/// A communicator that calls are made on. The first one on a communicator duplicates it, for which
/// all its ranks are needed; what was made is kept until the communicator is freed.
class GEMMILL_API Ranks {
  public:
    explicit Ranks(MPI_Comm comm, RankOptions options = RankOptions::from_environment());
    /// With a Context for the products of a rank by itself. Without one a Context is made that
    /// shares the cores of a node among its ranks.
    Ranks(MPI_Comm comm, Context& context, RankOptions options = RankOptions::from_environment());

    int rank() const;
    int size() const;
    const RankOptions& options() const { return options_; }
    Context& context() const { return *context_; }

    // For the parts of Gemmill itself.
    struct State;
    State& state() const { return *state_; }

  private:
    std::shared_ptr<State> state_;
    Context* context_ = nullptr;
    RankOptions options_;
};

/// to = op(from): any two layouts, of the same communicator.
template <class T>
GEMMILL_API RankReport copy(Ranks& ranks, Op op, const DistMatrix<T>& from,
                            const DistMatrix<T>& to);

/// C = alpha op(A) op(B) + beta C.
template <class T>
GEMMILL_API RankReport gemm(Ranks& ranks, Op op_a, Op op_b, T alpha, const DistMatrix<T>& a,
                            const DistMatrix<T>& b, T beta, const DistMatrix<T>& c);
/// The others are as in level3.hpp.
template <class T>
GEMMILL_API RankReport symm(Ranks& ranks, Side side, Uplo uplo, T alpha, const DistMatrix<T>& a,
                            const DistMatrix<T>& b, T beta, const DistMatrix<T>& c);
template <class T>
GEMMILL_API RankReport hemm(Ranks& ranks, Side side, Uplo uplo, T alpha, const DistMatrix<T>& a,
                            const DistMatrix<T>& b, T beta, const DistMatrix<T>& c);
template <class T>
GEMMILL_API RankReport syrk(Ranks& ranks, Uplo uplo, Op op, T alpha, const DistMatrix<T>& a, T beta,
                            const DistMatrix<T>& c);
template <class T>
GEMMILL_API RankReport herk(Ranks& ranks, Uplo uplo, Op op, real_t<T> alpha, const DistMatrix<T>& a,
                            real_t<T> beta, const DistMatrix<T>& c);
template <class T>
GEMMILL_API RankReport syr2k(Ranks& ranks, Uplo uplo, Op op, T alpha, const DistMatrix<T>& a,
                             const DistMatrix<T>& b, T beta, const DistMatrix<T>& c);
template <class T>
GEMMILL_API RankReport her2k(Ranks& ranks, Uplo uplo, Op op, T alpha, const DistMatrix<T>& a,
                             const DistMatrix<T>& b, real_t<T> beta, const DistMatrix<T>& c);
template <class T>
GEMMILL_API RankReport trmm(Ranks& ranks, Side side, Uplo uplo, Op op, Diag diag, T alpha,
                            const DistMatrix<T>& a, const DistMatrix<T>& b);
template <class T>
GEMMILL_API RankReport trsm(Ranks& ranks, Side side, Uplo uplo, Op op, Diag diag, T alpha,
                            const DistMatrix<T>& a, const DistMatrix<T>& b);

}  // namespace gemmill
