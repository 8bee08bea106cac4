// SPDX-License-Identifier: Apache-2.0
// The walker of rank programs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "rank/program/program.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

/// Memory of one call, which messages under way may use.
using Arena = std::shared_ptr<std::byte[]>;
/// So many bytes as they are found: whoever uses them writes them first.
GEMMILL_API Arena make_arena(std::int64_t bytes);
/// Whoever gives memory.
using Allocate = std::function<Arena(std::int64_t)>;

/// The memory of a rank's program: `device` is as large, lies on the rank's device and is there for
/// messages that are sent from it, or null.
struct Arenas {
    Arena host, device = nullptr;
};

/// Where the seconds of a rank's program went: it copied elements into panels and messages, waited
/// for other ranks, made products or waited for a device that makes them, and wrote C.
struct RankSeconds {
    double copying = 0, waiting = 0, computing = 0, writing = 0;
};

/// Does the steps of a rank one after the other. While a product is computed, messages that came
/// are passed on between parts of it. Throws Error(failed_step) when a rank is silent for too long;
/// the arenas are then kept by the transport.
RankSeconds run_program(Transport& transport, const RankProgram& program, const DistUpdate& update,
                        const LocalKernels& kernels, const Arenas& arenas);

}  // namespace gemmill
