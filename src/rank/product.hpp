// SPDX-License-Identifier: Apache-2.0
// A distributed update from choice to result, on one rank.
#pragma once

#include <string>

#include "rank/program/walk/run.hpp"
#include "rank/share/choose.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

/// An update that is ready to run: everything is decided, and its memory is there.
struct PreparedUpdate {
    DistUpdate update;
    DistChoice choice;
    RankProgram program;
    Exchange reduction;  ///< of sums to where C lies, where they are made elsewhere
    Arena arena;
    Arena device;    ///< for messages that are sent from the device's memory, or null
    Arena sums;      ///< the sum of what arrives, in the rank's part of C
    Arena messages;  ///< of the reduction
    std::int64_t sums_bytes = 0;
    std::int64_t sent_bytes() const { return program.sent_bytes + reduction.sent_bytes(); }
    std::int64_t memory_bytes() const;
};

/// Where the memory of a program comes from.
struct ProgramMemory {
    Allocate host = make_arena;
    std::function<void(std::int64_t bytes)> device = {};  ///< for panels that all ranks see there
};

/// Throws Error(out_of_memory) where the memory is not to be had or above the policy's limit.
/// Factors and C must be products of index sets.
PreparedUpdate prepare_update(const DistUpdate& update, const DistPolicy& policy,
                              const RankRates& rates, int rank, int ranks,
                              const ProgramMemory& memory = {});

/// Memory for messages of factors that lie on the rank's device, where they can be sent from there.
void prepare_device(PreparedUpdate& prepared, const DeviceMemory& memory, int rank);

/// Whether messages and panels of the update take elements of a factor from the host's memory.
bool reads(const PreparedUpdate& prepared, const RankMatrix& factor, int rank);

/// Every rank runs its own.
RankSeconds run_update(Transport& transport, PreparedUpdate& prepared, const LocalKernels& kernels);

}  // namespace gemmill
