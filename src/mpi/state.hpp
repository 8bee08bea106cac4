// SPDX-License-Identifier: Apache-2.0
// What is kept for a communicator, and how calls of src/rank are made on it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "gemmill/dist.hpp"
#include "mpi/devices.hpp"
#include "mpi/node_memory.hpp"
#include "mpi/transport.hpp"
#include "rank/call.hpp"

namespace gemmill {

/// Memory that calls use one after the other: pages that were touched once need not be again.
class ArenaPool {
  public:
    /// Where there is not enough it comes from `make`.
    Arena take(std::int64_t bytes, const Allocate& make);

  private:
    Arena kept_;
    std::int64_t size_ = 0;
};

struct Ranks::State {
    State(MPI_Comm own, double timeout);
    MpiTransport transport;
    std::shared_ptr<ArenaPool> pool = std::make_shared<ArenaPool>();
    NodePlace place;                      ///< among the ranks that share this one's cores
    std::shared_ptr<SegmentMemory> node;  ///< null: not all ranks see the same memory
    /// Bytes for sums that the device of every rank has; -1: not yet asked for. The first Ranks on
    /// the communicator asks.
    std::int64_t device_memory = -1;
    /// All ranks compute with one GPU, and see one another's memory there.
    bool one_device = false;
    Context* shared = nullptr;  ///< that of ranks without one of their own, once it is made
    std::atomic_flag busy;      ///< a call is under way
};

/// Of the calls of a communicator one is made at a time. Throws Error(bad_argument) where another
/// thread's is under way.
class OneCall {
  public:
    explicit OneCall(Ranks::State& state);
    ~OneCall() { state_.busy.clear(); }
    OneCall(const OneCall&) = delete;
    OneCall& operator=(const OneCall&) = delete;

  private:
    Ranks::State& state_;
};

/// The state of a communicator, which keeps it as an attribute; made by all its ranks together when
/// it is not there.
std::shared_ptr<Ranks::State> state_of(MPI_Comm comm, double timeout);

/// What src/rank needs besides a call, for which all ranks are needed, and what it says after it.
DistSetup setup_of(const Ranks& ranks);
RankReport report_of(const DistOutcome& outcome);

/// A matrix as src/rank has it. Throws Error(bad_argument) naming what does not fit.
RankMatrix rank_matrix(const Ranks& ranks, const std::variant<BlockCyclic, BlockGrid>& layout,
                       const std::vector<std::byte*>& data, const std::vector<index_t>& ld,
                       const std::array<index_t, 4>& part);

}  // namespace gemmill
