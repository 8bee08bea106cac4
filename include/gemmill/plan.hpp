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

using OperandId = std::int32_t;
using TileId = std::int32_t;
using BufferId = std::int32_t;
using QueueId = std::int32_t;
using StepId = std::int32_t;

// --- what a plan is about -----------------------------------------------------------------------

/// A factor by name; the caller's alpha and beta are bound when the plan runs.
enum class Scale : std::uint8_t { zero, one, minus_one, alpha, conj_alpha, beta };

/// Which elements of a square are meant: all, or those on and below or above the diagonal.
enum class Triangle : std::uint8_t { none, lower, upper };

/// What follows from the stored triangle of an operand for the other one: nothing, the same
/// elements, their conjugates, or zeros (with ones on the diagonal).
enum class Structure : std::uint8_t { general, symmetric, hermitian, triangular, unit };

/// A matrix that steps name: the caller's, bound by pointer when the plan runs.
struct Operand {
    std::string name;
    Type type = Type::d;
    index_t rows = 0, cols = 0;
    Triangle triangle = Triangle::none;  ///< that is stored, or of a target made
    Structure structure = Structure::general;
    MemoryId home = 0;
    index_t pitch = 0;  ///< its columns are multiples of so much apart; 0: as much as its rows
    bool operator==(const Operand&) const = default;
};

/// weight op_first(first) op_second(second).
struct Term {
    Scale weight = Scale::alpha;
    OperandId first = -1, second = -1;
    Op op_first = Op::NoTrans, op_second = Op::NoTrans;
    bool operator==(const Term&) const = default;
};

/// What a plan makes of its operands:
///     target = keep target + the sum of the terms
/// Where the target is hermitian so are the terms, each alone (its weight is then real) or with
/// another one, and what is kept of the old value is scaled by a real number.
/// A factor that is the target itself stands for its old value. With `solves` it stands for the new
/// one, and the triangular operand beside it for what it has off its diagonal; each block of the
/// target is then divided by the diagonal block of that operand: this is how X = A^-1 (alpha C) is
/// computed from the first block to the last. The one term is then -A C, or -C A.
struct Goal {
    OperandId target = -1;
    Scale keep = Scale::zero;
    bool solves = false;
    std::vector<Term> terms;
    bool operator==(const Goal&) const = default;
};

/// A block of an operand as it is stored (before op), with its true size.
struct Tile {
    OperandId operand = -1;
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
    /// Of a compute queue: its kernels, short ones that others wait for, go before those of other
    /// queues of the device. Copies always do.
    bool urgent = false;
    bool operator==(const Queue&) const = default;
};

/// A tile and where it is taken from: a buffer, or `home`, the user's own memory.
struct Ref {
    static constexpr BufferId home = -1;
    TileId tile = -1;  ///< a block within the buffer's tile; -1: no operand
    BufferId buffer = home;
    bool operator==(const Ref&) const = default;
};

// --- the instruction set ------------------------------------------------------------------------

/// What a step does. x and y are its inputs, in the order of a product; op is op_a or op_b.
/// src/plan/ops.hpp has the table of what each opcode takes.
enum class Opcode : std::uint8_t {
    fetch,   ///< out = x over a link into a buffer, zeros into the padding of a factor; columns of
             ///< `piece` of `pieces` only
    write,   ///< out = x over a link, or a triangle of it: the last step of a tile of the target
    gemm,    ///< out = keep out + weight op(x) op(y)
    gemmt,   ///< the same of a triangle of out
    symm,    ///< out = keep out + weight x y; of the factor on `side` only a triangle is stored
    hemm,    ///< the same, hermitian
    syrk,    ///< a triangle of out = keep out + weight op(x) op(x)'
    herk,    ///< the same with the conjugate transpose
    syr2k,   ///< a triangle of out = keep out + weight (op(x) op(y)' + op(y) op(x)')
    her2k,   ///< a triangle of out = keep out + weight op(x) op(y)' + conj(weight) op(y) op(x)'
    trmm,    ///< out = weight op(x) out, or out op(x) by `side`, x triangular; or, with both
             ///< factors given, out = keep out + weight times their product
    trsm,    ///< out = weight op(x)^-1 out, or out op(x)^-1 by `side`, x triangular
    scale,   ///< out = keep out, or a triangle of it
    add,     ///< out = out + weight x
    mirror,  ///< out, the other triangle of a symmetric or hermitian operand, = x transposed
};
inline constexpr int opcode_count = 15;

/// An instruction: it says by itself what is done to which tiles.
struct Step {
    Opcode op = Opcode::fetch;
    Scale weight = Scale::one;  ///< of what is added
    Scale keep = Scale::zero;   ///< of the old value of out; zero: it is not read
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    Side side = Side::Left;
    Triangle triangle = Triangle::none;
    Diag diag = Diag::NonUnit;
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
    std::vector<Operand> operands;  ///< by OperandId
    Goal goal;
    std::string policy;
    std::vector<DeviceId> devices;    ///< that the planner was allowed to use
    std::vector<std::int64_t> slab;   ///< bytes used of each memory: the peak, by MemoryId
    std::vector<std::int64_t> limit;  ///< bytes it may use of each memory, by MemoryId
    /// Buffers have room for multiples of it in rows and columns; products run over the padding.
    index_t grain = 1;
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
/// every element of the target gets all terms of the goal in a fixed order and is written back
/// once, no buffer is used outside its life, no memory exceeds its limit, and no two steps can
/// race.
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
    /// Bytes fetched from the user's own operands into another memory, by OperandId.
    std::vector<std::int64_t> read;
    /// Bytes that go from buffers in host memory to devices: what only passes through the host.
    std::int64_t relayed = 0;
    double flops = 0;
    std::vector<double> device_flops;           ///< by DeviceId
    std::vector<std::int64_t> link_bytes;       ///< by LinkId
    std::array<index_t, opcode_count> steps{};  ///< by Opcode
    std::int64_t waits = 0;
};
GEMMILL_API Statistics statistics(const Plan& plan);

/// Seconds that no plan for this goal on these devices can beat: the arithmetic at full rate, the
/// elements that must cross links for it, and what the host takes to issue the least there can be.
GEMMILL_API double bound_seconds(const Machine& machine, std::span<const Operand> operands,
                                 const Goal& goal, std::span<const DeviceId> devices);

/// Pictures of a timeline: one row a queue.
GEMMILL_API std::string draw_svg(const Plan& plan, const Timeline& timeline);
GEMMILL_API std::string draw_html(const Plan& plan, const Timeline& timeline);
/// Chrome trace JSON, which Perfetto opens: a process a device, a thread a queue.
GEMMILL_API std::string chrome_trace(const Plan& plan, const Timeline& timeline);

/// "C(0,1)" style name of a tile, by its first row and column: "C[0:2048,2048:4096]".
GEMMILL_API std::string name_of(const Plan& plan, const Tile& tile);
GEMMILL_API std::string name_of(const Plan& plan, const Queue& queue);
GEMMILL_API const char* name_of(Opcode op) noexcept;
/// The goal as a formula: "C = alpha A B' + beta C".
GEMMILL_API std::string formula_of(const Plan& plan);
/// A step as a line for people: "gemm C[0:8,0:4]@2 += alpha A[0:8,0:4]@0 B[0:4,0:4]@1".
GEMMILL_API std::string name_of(const Plan& plan, const Step& step);

}  // namespace gemmill
