// SPDX-License-Identifier: Apache-2.0
// One call of a distributed routine of level 3, as one rank sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rank/message/agree.hpp"
#include "rank/product.hpp"

namespace gemmill {

/// trmm and trsm overwrite c; m and n are the size of c. beta of herk and her2k is real.
struct DistCall {
    Routine routine = Routine::gemm;
    Type type = Type::d;
    Side side = Side::Left;
    Uplo uplo = Uplo::Lower;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    Diag diag = Diag::NonUnit;
    Scalar alpha, beta;
    RankMatrix a, b, c;
};

struct DistSetup {
    DistPolicy policy;
    RankRates rates;
    LocalKernels kernels;
    Allocate allocate = make_arena;  ///< for what the products of a call need
    bool full_check = false;         ///< every argument is compared over the ranks, and named
};

/// What a call did on this rank.
struct DistOutcome {
    std::string work;             ///< "stationary C", ...
    std::int64_t sent_bytes = 0;  ///< to other ranks
    std::int64_t memory_bytes = 0;
    double predicted_seconds = 0;
    index_t stages = 0;
    RankSeconds seconds;
    bool shared = false;     ///< panels lay in memory that all ranks see
    bool on_device = false;  ///< of the device with which they all compute
};

/// to = op(from).
struct DistCopy {
    Type type = Type::d;
    Op op = Op::NoTrans;
    RankMatrix from, to;
};

/// Throws Error(bad_argument) naming the first matrix or flag that does not fit.
void check_call(const DistCall& call);
/// The update that a routine other than trsm is. It refers to the matrices of the call.
DistUpdate update_of(const DistCall& call);
/// What all ranks must have been given alike.
CallDigest digest_of(const DistCall& call, const DistSetup& setup);
CallDigest digest_of(const DistCopy& call, const DistSetup& setup);

/// Every rank of the transport calls it; `make` gives the call, or throws why it cannot be made.
/// All return, or all throw the same Error before anything is written; a rank that is silent for
/// too long is named by those who wait for it, and C is then old or right block by block, but for
/// trsm.
GEMMILL_API DistOutcome run_call(Transport& transport, const std::function<DistCall()>& make,
                                 const DistSetup& setup);

/// A copy in the same way.
GEMMILL_API DistOutcome run_copy(Transport& transport, const std::function<DistCopy()>& make,
                                 const DistSetup& setup);

/// Memory for the program of an update: of the node where the policy shares panels there.
ProgramMemory memory_for(Transport& transport, const DistSetup& setup);

/// X of op(A) X = alpha B or X op(A) = alpha B in the place of B, which is call.c.
DistOutcome run_solve(Transport& transport, const DistCall& call, const DistSetup& setup);

}  // namespace gemmill
