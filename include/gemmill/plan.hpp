// SPDX-License-Identifier: Apache-2.0
// A plan as data: what moves where, what is computed where, and in which order. It has no run().
//
// A plan names operands, never pointers, so that one plan serves every call of the same Problem.
// Steps stand in issue order. A step starts when every earlier step of its queue has ended and
// every step it waits for has ended: the rule of CUDA streams and events.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemmill/machine.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

using TileId = std::int32_t;
using BufferId = std::int32_t;
using QueueId = std::int32_t;
using StepId = std::int32_t;

/// What a plan may know of alpha and beta.
enum class Factor : std::uint8_t { zero, one, general };
enum class Operand : std::uint8_t { A, B, C };

/// One BLAS call without pointers. Column-major; a row-major call is described as its transpose.
/// gemm:  C = alpha op_a(A) op_b(B) + beta C with op_a(A) m x k and op_b(B) k x n.
/// gemmt: the same, n x n (m == n), and only the triangle `uplo` of C.
/// symm, hemm:
///        C = alpha A B + beta C or alpha B A + beta C by `side`; of A, which is k x k, only the
///        triangle `uplo` is read.
/// syrk, herk: C = alpha op_a(A) op_a(A)' + beta C; C is n x n (m == n), triangle `uplo`.
/// syr2k, her2k: the same with op_a(A) op_a(B)' + op_a(B) op_a(A)'.
/// trmm:  C = alpha op_a(A) C or alpha C op_a(A) by `side`; A is k x k, triangle `uplo`, `diag`.
/// trsm:  the same with the inverse of op_a(A). Neither has a B.
struct Problem {
    Routine routine = Routine::gemm;
    Type type = Type::d;
    Side side = Side::Left;
    Uplo uplo = Uplo::Lower;
    Diag diag = Diag::NonUnit;
    Op op_a = Op::NoTrans;
    Op op_b = Op::NoTrans;
    index_t m = 0, n = 0, k = 0;
    Factor alpha = Factor::one;
    Factor beta = Factor::zero;
    std::array<MemoryId, 3> home{0, 0, 0};  ///< where A, B and C lie
    bool operator==(const Problem&) const = default;
};

/// A block of an operand as it is stored (before op), with its true size.
struct Tile {
    Operand operand = Operand::A;
    index_t row = 0, col = 0, rows = 0, cols = 0;
    bool operator==(const Tile&) const = default;
};

/// A stay of one tile in a memory: `bytes` at `offset` of that memory's slab, columns `ld` apart.
/// Only steps first..last use it, all of it or blocks of its tile; another buffer may then take the
/// place.
struct Buffer {
    MemoryId memory = -1;
    TileId tile = -1;
    std::int64_t offset = 0, bytes = 0;
    index_t ld = 0;
    StepId first = -1, last = -1;
    bool operator==(const Buffer&) const = default;
};

enum class QueueKind : std::uint8_t { compute, transfer };

/// Steps of one queue run one after the other.
struct Queue {
    QueueKind kind = QueueKind::compute;
    std::int32_t index = -1;  ///< DeviceId of a compute queue, LinkId of a transfer queue
    bool operator==(const Queue&) const = default;
};

/// A tile and where it is taken from: a buffer, or `home`, the user's own memory.
struct Ref {
    static constexpr BufferId home = -1;
    TileId tile = -1;  ///< a block within the buffer's tile; -1: no operand
    BufferId buffer = home;
    bool operator==(const Ref&) const = default;
};

enum class StepKind : std::uint8_t {
    fetch,    ///< out = in[0], over a link; columns of `piece` of `pieces` only
    compute,  ///< out = keep * out + alpha op(in[0]) op(in[1]) or as src/plan/form.hpp says
    add,      ///< out = out + keep * in[0], both C tiles
    write,    ///< out (home) = in[0], or a triangle of it, over a link: the last step of a C tile
    mirror,   ///< of symm and hemm: out, what A does not store, from in[0], its image; one buffer
};

/// The factor of the old value: nothing (it is not read), the caller's beta (trsm: alpha), or one.
enum class Keep : std::uint8_t { zero, beta, one };

struct Step {
    StepKind kind = StepKind::fetch;
    Keep keep = Keep::zero;
    std::uint16_t piece = 0, pieces = 1;
    QueueId queue = -1;
    Ref out;
    std::array<Ref, 2> in;
    std::int32_t wait_begin = 0, wait_count = 0;  ///< range in Plan::waits
    bool operator==(const Step&) const = default;
};

/// What the model says of the plan before it runs.
struct Prediction {
    double seconds = 0;                    ///< makespan
    double bound_seconds = 0;              ///< no plan on these devices is faster
    std::vector<double> device_busy;       ///< seconds, by DeviceId
    std::vector<std::int64_t> link_bytes;  ///< by LinkId
    bool operator==(const Prediction&) const = default;
};

struct Plan {
    Machine machine;
    Problem problem;
    std::string policy;
    std::vector<DeviceId> devices;    ///< that the planner was allowed to use
    std::vector<std::int64_t> slab;   ///< bytes used of each memory: the peak, by MemoryId
    std::vector<std::int64_t> limit;  ///< bytes it may use of each memory, by MemoryId
    std::vector<Tile> tiles;
    std::vector<Buffer> buffers;
    std::vector<Queue> queues;
    std::vector<Step> steps;
    std::vector<StepId> waits;
    Prediction prediction;
    bool operator==(const Plan&) const = default;
};

inline std::span<const StepId> waits_of(const Plan& plan, const Step& step) {
    return {plan.waits.data() + step.wait_begin, static_cast<std::size_t>(step.wait_count)};
}

/// Columns [first, first + count) of a tile that a piece of a fetch moves.
struct Columns {
    index_t first = 0, count = 0;
};
inline Columns piece_columns(index_t cols, int piece, int pieces) {
    const index_t first = cols * piece / pieces;
    return {first, cols * (piece + 1) / pieces - first};
}

/// When each step ran, in seconds from the start of the call; from the model or from a real run.
struct StepTime {
    double begin = 0, end = 0;
    bool operator==(const StepTime&) const = default;
};
using Timeline = std::vector<StepTime>;  ///< by StepId

/// Faults of a plan in words, empty when it is valid: every input is there before it is used,
/// every element of C gets all of k in a fixed order and is written back once, no buffer is used
/// outside its life, no memory exceeds its limit, and no two steps can race.
GEMMILL_API std::vector<std::string> validate(const Plan& plan);

/// Text form of a plan with its machine: one record a line. parse_plan(to_text(p)) == p.
GEMMILL_API std::string to_text(const Plan& plan);
GEMMILL_API Plan parse_plan(std::string_view text);

/// Bytes by class of link.
struct Bytes {
    std::int64_t h2d = 0, d2h = 0, d2d = 0, local = 0, h2h = 0;
    bool operator==(const Bytes&) const = default;
};

struct Statistics {
    Bytes moved;  ///< what the plan moves
    Bytes bound;  ///< what any plan must move
    /// Bytes fetched from the user's own A, B and C into another memory, by Operand.
    std::array<std::int64_t, 3> read{};
    /// Bytes that go from buffers in host memory to devices: what only passes through the host.
    std::int64_t relayed = 0;
    double flops = 0;
    std::vector<double> device_flops;      ///< by DeviceId
    std::vector<std::int64_t> link_bytes;  ///< by LinkId
    std::array<index_t, 5> steps{};        ///< by StepKind
    std::int64_t waits = 0;
};
GEMMILL_API Statistics statistics(const Plan& plan);

/// Seconds that no plan for this problem on these devices can beat: the larger of the arithmetic at
/// full rate and the bytes that must cross the links between host and devices.
GEMMILL_API double bound_seconds(const Machine& machine, const Problem& problem,
                                 std::span<const DeviceId> devices);

/// Pictures of a timeline: one row a queue.
GEMMILL_API std::string draw_svg(const Plan& plan, const Timeline& timeline);
GEMMILL_API std::string draw_html(const Plan& plan, const Timeline& timeline);
/// Chrome trace JSON, which Perfetto opens: a process a device, a thread a queue.
GEMMILL_API std::string chrome_trace(const Plan& plan, const Timeline& timeline);

/// "C(0,1)" style name of a tile, by its first row and column: "C[0:2048,2048:4096]".
GEMMILL_API std::string name_of(const Plan& plan, const Tile& tile);
GEMMILL_API std::string name_of(const Plan& plan, const Queue& queue);
GEMMILL_API const char* name_of(StepKind kind) noexcept;

}  // namespace gemmill
