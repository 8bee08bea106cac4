// SPDX-License-Identifier: Apache-2.0
// trsm block by block: each diagonal block goes to all ranks, which solve their share of the block
// of B; the rest of B is then updated by a product.
#include <algorithm>

#include "rank/call.hpp"

namespace gemmill {
namespace {

/// Edge of the diagonal blocks: a sixteenth of A, so that products make most of the flops, but not
/// so small that messages are all latency, nor so large that solving in small shares is slow.
constexpr index_t share_of_a = 16, least_block = 64, most_block = 512;

/// A temporary matrix of this rank.
struct Temporary {
    RankMatrix matrix;
    Arena memory;
};

Temporary temporary(const BlockCyclic& layout, Type type, int rank, int ranks) {
    const LocalShape shape = local_shape(layout, rank);
    Temporary x;
    x.memory = make_arena(shape.rows * shape.cols * bytes_of(type));
    x.matrix = {Distribution(layout, ranks), {{x.memory.get(), std::max<index_t>(1, shape.rows)}}};
    return x;
}

/// All of it on every rank.
BlockCyclic everywhere(index_t size, int ranks) {
    BlockCyclic x;
    x.rows = x.cols = size;
    x.row_block = x.col_block = std::max<index_t>(1, size);
    x.grid_rows = ranks;
    x.row_source = x.col_source = BlockCyclic::replicated;
    return x;
}

/// Columns (or rows) dealt out evenly.
BlockCyclic dealt(index_t rows, index_t cols, Side side, int ranks) {
    BlockCyclic x;
    x.rows = rows, x.cols = cols;
    x.row_block = std::max<index_t>(1, rows), x.col_block = std::max<index_t>(1, cols);
    const auto share = [&](index_t size) {
        return std::max<index_t>(1, (size + ranks - 1) / ranks);
    };
    if (side == Side::Left)
        x.grid_cols = ranks, x.col_block = share(cols);
    else
        x.grid_rows = ranks, x.row_block = share(rows);
    return x;
}

RankMatrix part(const RankMatrix& x, index_t row, index_t col, index_t rows, index_t cols) {
    return {x.distribution.part(row, col, rows, cols), x.at};
}

/// A diagonal block of A: what is needed to solve its lines of B and to take them out of the rest.
struct SolveStep {
    index_t first = 0, count = 0, rest = 0, rest_count = 0;
    RankMatrix lines;           ///< of B
    RankMatrix beside;          ///< of A, for the rest
    Temporary diagonal, share;  ///< the block on every rank, and this rank's lines
    PreparedUpdate update;      ///< of the rest
};

class Solver {
  public:
    Solver(Transport& transport, const DistCall& call, const DistSetup& setup)
        : transport_(transport), call_(call), setup_(setup) {}

    DistOutcome run() {
        scale();
        outcome_.work = "solve";
        if (call_.alpha.re == 0 && call_.alpha.im == 0) return outcome_;
        const index_t size = call_.a.distribution.rows();
        const index_t edge = std::clamp(size / share_of_a, least_block, most_block);
        const index_t blocks = (size + edge - 1) / edge;
        for (index_t i = 0; i < blocks; ++i) {
            const index_t block = runs_down() ? i : blocks - 1 - i;
            SolveStep step;
            step.first = block * edge, step.count = std::min(edge, size - step.first);
            const index_t last = step.first + step.count;
            step.rest = runs_down() ? last : 0;
            step.rest_count = runs_down() ? size - last : step.first;
            // A rank without memory for it ends the call on all of them.
            agree(transport_, {}, [&] { prepare(step); });
            solve_block(step);
            update(step);
        }
        return outcome_;
    }

  private:
    bool is_left() const { return call_.side == Side::Left; }
    /// Whether the first block of B is solved first.
    bool runs_down() const {
        const bool lower = (call_.uplo == Uplo::Lower) == (call_.op_a == Op::NoTrans);
        return lower == is_left();
    }
    /// Rows of B (Left) or columns that belong to indices [first, first + count) of A.
    RankMatrix lines(index_t first, index_t count) const {
        const Distribution& b = call_.c.distribution;
        return is_left() ? part(call_.c, first, 0, count, b.cols())
                         : part(call_.c, 0, first, b.rows(), count);
    }

    void scale() {
        DistUpdate x;
        x.type = call_.type;
        x.m = call_.c.distribution.rows(), x.n = call_.c.distribution.cols();
        x.c = call_.c, x.beta = call_.alpha;
        if (x.beta.re == 1 && x.beta.im == 0) return;
        PreparedUpdate ready;
        ready.update = x;
        run_update(transport_, ready, setup_.kernels);
    }

    void prepare(SolveStep& x) const {
        const int rank = transport_.rank(), ranks = transport_.size();
        x.lines = lines(x.first, x.count);
        const Distribution& b = x.lines.distribution;
        x.diagonal = temporary(everywhere(x.count, ranks), call_.type, rank, ranks);
        x.share = temporary(dealt(b.rows(), b.cols(), call_.side, ranks), call_.type, rank, ranks);
        if (x.rest_count > 0)
            x.update = prepare_update(update_of_rest(x), setup_.policy, setup_.rates, rank, ranks,
                                      memory_for(transport_, setup_));
    }

    void solve_block(const SolveStep& x) {
        copy(part(call_.a, x.first, x.first, x.count, x.count), x.diagonal.matrix);
        copy(x.lines, x.share.matrix);
        solve_share(x.diagonal.matrix, x.share.matrix, transport_.rank());
        copy(x.share.matrix, x.lines);
    }
    void copy(const RankMatrix& from, const RankMatrix& to) {
        outcome_.sent_bytes += copy_matrix(transport_, call_.type, Op::NoTrans, from, to);
    }

    void solve_share(const RankMatrix& a, const RankMatrix& b, int rank) const {
        const Holding mine = b.distribution.holdings_of(rank).front();
        Level3Args args;
        args.routine = Routine::trsm;
        args.type = call_.type;
        args.side = call_.side, args.uplo = call_.uplo;
        args.op_a = call_.op_a, args.diag = call_.diag;
        args.m = total(mine.rows), args.n = total(mine.cols);
        if (args.m == 0 || args.n == 0) return;
        args.alpha = {1, 0};
        args.a = a.at.front().data, args.lda = a.at.front().ld;
        args.c = b.at.front().data, args.ldc = b.at.front().ld;
        setup_.kernels.level3(args);
    }

    /// What was solved is taken out of the rest of B. It refers to matrices of the step.
    DistUpdate update_of_rest(SolveStep& step) const {
        const index_t first = step.first, count = step.count;
        const bool straight = call_.op_a == Op::NoTrans;
        // op(A)[rest, first] on the left, op(A)[first, rest] on the right.
        const bool rest_down = straight == is_left();
        step.beside = rest_down ? part(call_.a, step.rest, first, step.rest_count, count)
                                : part(call_.a, first, step.rest, count, step.rest_count);
        DistUpdate x;
        x.type = call_.type;
        x.c = lines(step.rest, step.rest_count);
        x.m = x.c.distribution.rows(), x.n = x.c.distribution.cols(), x.k = count;
        x.beta = {1, 0};
        const DistFactor of_a{&step.beside, call_.op_a}, of_b{&step.lines, Op::NoTrans};
        x.terms.push_back(is_left() ? DistTerm{of_a, of_b, {-1, 0}}
                                    : DistTerm{of_b, of_a, {-1, 0}});
        return x;
    }

    void update(SolveStep& step) {
        if (step.rest_count <= 0) return;
        PreparedUpdate& ready = step.update;
        run_update(transport_, ready, setup_.kernels);
        outcome_.sent_bytes += ready.sent_bytes();
        outcome_.memory_bytes = std::max(outcome_.memory_bytes, ready.memory_bytes());
        outcome_.stages += static_cast<index_t>(ready.program.stages.size());
    }

    Transport& transport_;
    const DistCall& call_;
    const DistSetup& setup_;
    DistOutcome outcome_;
};

}  // namespace

DistOutcome run_solve(Transport& transport, const DistCall& call, const DistSetup& setup) {
    return Solver(transport, call, setup).run();
}

}  // namespace gemmill
