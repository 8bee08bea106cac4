// SPDX-License-Identifier: Apache-2.0
// What every distributed routine of level 3 is made of, but trsm:
//     C = beta C + the sum of alpha op(A) op(B)
// where of a factor only a triangle may be taken, and of C only a triangle made.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernel/kernel.hpp"
#include "rank/message/exchange.hpp"
#include "rank/message/mirror.hpp"
#include "rank/message/transport.hpp"

namespace gemmill {

/// Which elements of a matrix, as it is stored, are meant; of a factor all others count as zero.
enum class Fill : std::uint8_t { all, lower, strictly_lower, upper, strictly_upper };

struct DistFactor {
    const RankMatrix* matrix = nullptr;
    Op op = Op::NoTrans;
    Fill fill = Fill::all;
    bool unit = false;           ///< the diagonal counts as ones
    bool real_diagonal = false;  ///< imaginary parts of the diagonal count as zeros
};

struct DistTerm {
    DistFactor a, b;
    Scalar alpha;
};

struct DistUpdate {
    Type type = Type::d;
    index_t m = 0, n = 0, k = 0;
    RankMatrix c;
    Scalar beta;
    Fill fill = Fill::all;  ///< what is made of C: all, or lower or upper
    bool hermitian = false;
    bool c_is_factor = false;  ///< C must stay as it is until all products are made
    std::vector<DistTerm> terms;
};

/// Whether something that was begun has ended; throws what it threw.
using HasEnded = std::function<bool()>;

struct DeviceCopy {
    void* to = nullptr;
    const void* from = nullptr;
    std::int64_t bytes = 0;
};
/// Copies to a device, one after the other, and products behind them.
struct DeviceJob {
    std::vector<DeviceCopy> copies;
    std::vector<GemmArgs> products;
    /// Makes the products instead, in a thread of the job's own; throws what keeps it from that.
    std::function<void(const std::vector<GemmArgs>&)> make = {};
};
struct DeviceTask {
    HasEnded copied, ended;
};
/// A device with memory of its own that makes a rank's products while the rank does other things.
/// All empty: there is none.
struct DeviceWork {
    /// Begins a job; products wait for those of all jobs that were begun before.
    std::function<DeviceTask(DeviceJob)> begin;
    /// Memory of the device, until it is asked for again; null where it has not so much.
    std::function<std::byte*(std::int64_t bytes)> sums;
    /// Runs something in a thread of its own beside all jobs; what it returns waits for its end
    /// when it goes. Throws Error(out_of_memory) where there is no thread.
    std::function<std::shared_ptr<void>(std::function<void()>)> aside;
};

/// The arithmetic that a rank does by itself.
struct LocalKernels {
    std::function<void(const GemmArgs&)> gemm;
    std::function<void(const Level3Args&)> level3;
    DeviceWork device = {};
    DeviceMemory memory = {};
    /// f(0) to f(count - 1), in any order, by the threads that copies may take; empty: by one. f is
    /// also told which of the `workers` threads does it.
    std::function<void(std::size_t count,
                       const std::function<void(std::size_t, std::size_t worker)>& f)>
        each = {};
    std::size_t workers = 1;
};

/// A (operand 0) or B of a term.
inline const DistFactor& factor_of(const DistUpdate& update, int term, int operand) {
    const DistTerm& x = update.terms[static_cast<std::size_t>(term)];
    return operand == 0 ? x.a : x.b;
}

inline bool is_lower(Fill fill) { return fill == Fill::lower || fill == Fill::strictly_lower; }
/// Whether the elements of op(X) lie on and below its diagonal.
inline bool is_lower(const DistFactor& x) { return is_lower(x.fill) == (x.op == Op::NoTrans); }

}  // namespace gemmill
