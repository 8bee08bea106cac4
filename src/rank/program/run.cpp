// SPDX-License-Identifier: Apache-2.0
#include "rank/program/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gemmill/error.hpp"
#include "rank/message/patience.hpp"
#include "rank/program/sums.hpp"

namespace gemmill {
namespace {

/// Columns of a product that are made between two looks at the network: at least so many, so that
/// A is not packed too often for the kernel's liking.
constexpr index_t least_slab = 256;
/// A slab of a triangle makes up to half its width too many rows: of a sixteenth of the columns
/// this is some percent of the whole; a narrow one is slow.
constexpr index_t triangle_slabs = 16, least_triangle_slab = 64;

class Walker {
  public:
    Walker(Transport& transport, const RankProgram& program, const DistUpdate& update,
           const LocalKernels& kernels, const Arena& arena)
        : transport_(transport),
          program_(program),
          update_(update),
          kernels_(kernels),
          arena_(arena),
          missing_(program.fetches.size()) {
        for (std::size_t i = 0; i < missing_.size(); ++i) missing_[i] = program.fetches[i].bytes;
    }

    void run() {
        try {
            for (const RankStep& step : program_.steps) perform(step);
        } catch (const Error&) {
            transport_.give_up(arena_);
            throw;
        }
    }

  private:
    /// Bytes of a fetch that are under way, from or to another rank.
    struct Pending {
        Transport::Request request;
        int fetch;
        int to;
        std::int64_t first, bytes;
    };

    void perform(const RankStep& step) {
        switch (step.op) {
            case RankOp::receive:
                return receive(step.index);
            case RankOp::send:
                return send(step.index);
            case RankOp::keep:
                return keep(stage(step.index));
            case RankOp::unpack:
                return unpack(step.index);
            case RankOp::mask:
                return mask(stage(step.index));
            case RankOp::clear:
                std::memset(arena_.get(), 0, static_cast<std::size_t>(program_.sums_bytes));
                return;
            case RankOp::product:
                return product(stage(step.index));
            case RankOp::write:
                return write_block(update_, block(step.index), arena_.get(), program_.sums_ld,
                                   update_.c.at.empty() ? Address{} : update_.c.at.front());
            case RankOp::drain:
                return drain(step.index);
        }
    }

    const Stage& stage(int index) const { return program_.stages[static_cast<std::size_t>(index)]; }
    const CBlock& block(int index) const {
        return program_.blocks[static_cast<std::size_t>(index)];
    }
    const Fetch& fetch(int index) const {
        return program_.fetches[static_cast<std::size_t>(index)];
    }
    const DistFactor& factor(const Stage& x, int operand) const {
        const DistTerm& term = update_.terms[static_cast<std::size_t>(x.term)];
        return operand == 0 ? term.a : term.b;
    }
    std::byte* at(std::int64_t offset) const { return arena_.get() + offset; }

    void receive(int index) {
        const Fetch& x = fetch(index);
        for (std::int64_t first = 0; first < x.bytes; first += x.piece) {
            const std::int64_t bytes = std::min(x.piece, x.bytes - first);
            receives_.push_back({transport_.receive(x.from, x.tag, at(x.offset + first), bytes),
                                 index, -1, first, bytes});
        }
    }

    void send(int index) {
        const Fetch& x = fetch(index);
        const RankMatrix& from = *factor(stage(x.stage), x.operand).matrix;
        pack_box(update_.type, x.box, from.at.front(), at(x.offset));
        for (std::int64_t first = 0; first < x.bytes; first += x.piece)
            pass_on(index, first, std::min(x.piece, x.bytes - first));
        progress();
    }

    void pass_on(int index, std::int64_t first, std::int64_t bytes) {
        const Fetch& x = fetch(index);
        for (const int to : x.to)
            sends_.push_back(
                {transport_.send(to, x.tag, at(x.offset + first), bytes), index, to, first, bytes});
    }

    /// Takes note of what has come and gone.
    bool progress() {
        const auto gone =
            std::erase_if(sends_, [&](const Pending& x) { return transport_.is_done(x.request); });
        // Pieces are passed on in their order, which alone tells one from another.
        int waiting = -1;
        const auto came = std::erase_if(receives_, [&](const Pending& x) {
            if (x.fetch == waiting) return false;
            if (!transport_.is_done(x.request)) {
                waiting = x.fetch;
                return false;
            }
            missing_[static_cast<std::size_t>(x.fetch)] -= x.bytes;
            pass_on(x.fetch, x.first, x.bytes);
            return true;
        });
        return gone + came > 0;
    }

    void keep(const Stage& x) {
        for (int operand = 0; operand < 2; ++operand) {
            const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
            if (panel.at_home || panel.own.is_empty()) continue;
            move_box(update_.type, panel.own, factor(x, operand).matrix->at.front(),
                     address(panel));
        }
    }
    Address address(const Panel& panel) const { return {at(panel.offset), panel.ld}; }

    void unpack(int index) {
        const Fetch& x = fetch(index);
        wait_until(
            transport_, [&] { return missing_[static_cast<std::size_t>(index)] == 0; },
            [&] { return progress(); },
            [&] { return fmt::format("rank {} sent nothing of {}", x.from, "AB"[x.operand]); });
        unpack_box(update_.type, x.box, at(x.offset),
                   address(stage(x.stage).panels[static_cast<std::size_t>(x.operand)]));
    }

    void drain(int stage_index) {
        const auto waiting = [&](const Pending& x) { return fetch(x.fetch).stage == stage_index; };
        wait_until(
            transport_, [&] { return std::ranges::none_of(sends_, waiting); },
            [&] { return progress(); },
            [&] {
                return fmt::format("rank {} took nothing",
                                   std::ranges::find_if(sends_, waiting)->to);
            });
    }

    void mask(const Stage& x) {
        for (int operand = 0; operand < 2; ++operand) {
            const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
            if (factor(x, operand).fill != Fill::all && panel.rows > 0)
                mask_panel(update_.type, factor(x, operand), panel, at(panel.offset));
        }
    }

    std::byte* data_of(const Stage& x, int operand) const {
        const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
        if (!panel.at_home) return at(panel.offset);
        return factor(x, operand).matrix->at.front().data + panel.offset * bytes_of(update_.type);
    }

    GemmArgs arguments(const Stage& x) const {
        GemmArgs args;
        args.type = update_.type;
        args.op_a = factor(x, 0).op, args.op_b = factor(x, 1).op;
        args.m = x.rows, args.n = x.cols, args.k = x.depth;
        args.alpha = update_.terms[static_cast<std::size_t>(x.term)].alpha;
        args.a = data_of(x, 0), args.lda = x.panels[0].ld;
        args.b = data_of(x, 1), args.ldb = x.panels[1].ld;
        args.beta = program_.direct ? update_.beta : Scalar{x.overwrites ? 0.0 : 1.0, 0};
        args.c = arena_.get(), args.ldc = program_.sums_ld;
        if (program_.direct) {
            const CBlock& c = block(x.block);
            const Address& home = update_.c.at.front();
            args.c = home.data + (c.rows.front().offset + c.cols.front().offset * home.ld) *
                                     bytes_of(update_.type);
            args.ldc = home.ld;
        }
        args.c =
            static_cast<std::byte*>(args.c) + (x.row + x.col * args.ldc) * bytes_of(update_.type);
        return args;
    }

    index_t slab_of(const Stage& x) const {
        if (update_.fill != Fill::all)
            return std::max(least_triangle_slab, x.cols / triangle_slabs);
        const bool quiet = sends_.empty() && receives_.empty();
        return quiet ? x.cols : std::max(least_slab, x.cols / 4);
    }

    void product(const Stage& x) {
        const GemmArgs whole = arguments(x);
        const index_t width = slab_of(x);
        for (index_t col = 0; col < x.cols; col += width) {
            progress();
            slab(x, whole, col, std::min(width, x.cols - col));
        }
    }

    /// Columns [col, col + cols) of a stage's product, and of a triangle the rows that it has
    /// there.
    void slab(const Stage& x, const GemmArgs& whole, index_t col, index_t cols) {
        const index_t size = bytes_of(update_.type);
        GemmArgs args = whole;
        const IndexSet made = positions(block(x.block).cols, x.col + col, cols);
        const RowRange rows = rows_in(update_.fill, block(x.block).rows, made.front().begin,
                                      made.back().begin + made.back().count);
        const index_t first = std::max<index_t>(0, rows.first - x.row);
        args.m = std::min(x.rows, rows.last - x.row) - first;
        if (args.m <= 0) return;
        args.n = cols;
        const auto shift = [&](const void* data, index_t elements) {
            return static_cast<const std::byte*>(data) + elements * size;
        };
        args.a = shift(whole.a, args.op_a == Op::NoTrans ? first : first * whole.lda);
        args.b = shift(whole.b, args.op_b == Op::NoTrans ? col * whole.ldb : col);
        args.c = static_cast<std::byte*>(whole.c) + (first + col * whole.ldc) * size;
        kernels_.gemm(args);
    }

    Transport& transport_;
    const RankProgram& program_;
    const DistUpdate& update_;
    const LocalKernels& kernels_;
    Arena arena_;
    std::vector<std::int64_t> missing_;  // bytes, by fetch
    std::vector<Pending> sends_, receives_;
};

}  // namespace

Arena make_arena(std::int64_t bytes) {
    return std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

void run_program(Transport& transport, const RankProgram& program, const DistUpdate& update,
                 const LocalKernels& kernels, const Arena& arena) {
    Walker(transport, program, update, kernels, arena).run();
}

}  // namespace gemmill
