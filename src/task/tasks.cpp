// SPDX-License-Identifier: Apache-2.0
#include "task/tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmill/error.hpp"
#include "matrix/tiling.hpp"
#include "task/describe.hpp"
#include "task/grids.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

/// The last lines are cut by themselves.
std::vector<Part> cut_with_strip(index_t whole, index_t size, index_t strip) {
    std::vector<Part> parts = cut_by_size({0, whole - strip}, size);
    for (const Part& part : cut_by_size({whole - strip, strip}, size)) parts.push_back(part);
    return parts;
}

/// Lines of the strip along one side.
index_t strip_along(const Problem& p, const TaskTiles& tiles, bool rows) {
    const bool both = writes_triangle(p.routine);
    return both || is_strip_of_rows(p) == rows ? tiles.strip : 0;
}

/// Rows of a factor of a rank update that come together.
std::vector<Part> panels_of(const Problem& p, const TaskTiles& tiles) {
    return cut_with_strip(p.n > 0 ? p.m : 0, tiles.together ? p.m : tiles.rows, tiles.strip);
}

class Lister {
  public:
    Lister(const Problem& p, const TaskTiles& tiles)
        : p_(p),
          // Nothing of one side is nothing at all, however long the other one is.
          rows_(cut_with_strip(p.n > 0 ? p.m : 0, tiles.rows, strip_along(p, tiles, true))),
          cols_(cut_with_strip(p.m > 0 ? p.n : 0, tiles.cols, strip_along(p, tiles, false))),
          ks_(cut_by_size({0, is_read(p, operand::A) ? p.k : 0}, tiles.depth)),
          a_(operand::A, {}, {}),
          b_(operand::B, {}, {}),
          c_(operand::C, rows_, cols_),
          columns_(tiles.together && reads_triangle(p.routine) ? ks_.size() : 0, -1) {
        describe(p, plan_);
        all_.together = tiles.together;
        if (tiles.strip > 0) {
            all_.strip_rows = is_strip_of_rows(p);
            const index_t lines = all_.strip_rows ? p.m : p.n;
            const index_t size = all_.strip_rows ? tiles.rows : tiles.cols;
            all_.strip = (lines - tiles.strip + size - 1) / size;
        }
        reads_ = is_read(p, operand::A);
        if (writes_triangle(p.routine))
            for (const OperandId factor : {operand::A, operand::B})
                panels_.emplace_back(factor, p.op_a, panels_of(p, tiles), cols_, ks_);
        if (!reads_) return;
        if (reads_triangle(p.routine))
            a_ = TileGrid(operand::A, ks_, ks_);
        else if (!writes_triangle(p.routine))
            a_ = turned_grid(operand::A, p.op_a, rows_, ks_);
        if (mirrors(p.routine))
            b_ = TileGrid(operand::B, left() ? ks_ : rows_, left() ? cols_ : ks_);
        else if (has_b(p.routine) && !is_rank_2(p.routine))
            b_ = turned_grid(operand::B, p.op_b, ks_, cols_);
    }

    Tasks list() {
        for (index_t j = 0; j < std::ssize(cols_); ++j)
            if (writes_triangle(p_.routine))
                add_column_of_triangle(j);
            else
                for (index_t i = 0; i < std::ssize(rows_); ++i) add_task(i, j);
        if (reads_ && is_in_place(p_.routine)) add_others();
        all_.operands = std::move(plan_.operands);
        all_.goal = std::move(plan_.goal);
        all_.tiles = std::move(plan_.tiles);
        all_.whole.resize(all_.tiles.size(), -1);
        for (std::size_t t = 0; t < all_.whole.size(); ++t)
            if (all_.whole[t] < 0) all_.whole[t] = static_cast<TileId>(t);
        return std::move(all_);
    }

  private:
    bool left() const { return p_.side == Side::Left; }

    void begin_task(TileId target, index_t i, index_t j) {
        const auto next = static_cast<std::int32_t>(all_.terms.size());
        all_.tasks.push_back({target, i, j, {next, 0}, {}, {}});
    }
    void add_task(index_t i, index_t j) {
        begin_task(c_.tile(plan_.tiles, i, j), i, j);
        if (!reads_)
            add_term(-1, -1);
        else if (mirrors(p_.routine))
            add_mirrored_terms(i, j);
        else if (is_in_place(p_.routine))
            add_triangular_terms(i, j);
        else
            for (index_t l = 0; l < std::ssize(ks_); ++l) add_term(a_tile(i, l), b_tile(l, j));
    }

    /// The first of a task keeps the old target; trmm has it among its terms.
    void add_term(TileId first, TileId second) {
        Tasks::Task& task = all_.tasks.back();
        const Keep begin = p_.routine == Routine::trmm && reads_ ? Keep::zero : Keep::old;
        const Keep keep = task.terms.count == 0 ? begin : Keep::sum;
        ++task.terms.count;
        all_.terms.push_back(compute_step(plan_, p_, -1, {task.target, Ref::home}, keep,
                                          {first, Ref::home}, {second, Ref::home}));
    }

    // --- tiles of op(A) and op(B) ---------------------------------------------------------------

    TileId a_tile(index_t i, index_t l) {
        return p_.op_a == Op::NoTrans ? a_.tile(plan_.tiles, i, l) : a_.tile(plan_.tiles, l, i);
    }
    TileId b_tile(index_t l, index_t j) {
        return p_.op_b == Op::NoTrans ? b_.tile(plan_.tiles, l, j) : b_.tile(plan_.tiles, j, l);
    }

    // --- families -------------------------------------------------------------------------------

    /// The square at the diagonal, and the rows of all panels below or above it.
    void add_column_of_triangle(index_t j) {
        const Part& square = cols_[at(j)];
        const bool lower = p_.uplo == Uplo::Lower;
        const auto around = std::ranges::upper_bound(rows_, square.first, {}, &Part::first);
        const index_t own = around - rows_.begin() - 1;
        const auto end = [](const Part& part) { return part.first + part.count; };
        if (lower) add_rank_task(square, j);
        for (index_t i = lower ? own : 0; i < (lower ? std::ssize(rows_) : own + 1); ++i) {
            const index_t first =
                lower ? std::max(rows_[at(i)].first, end(square)) : rows_[at(i)].first;
            const index_t last =
                lower ? end(rows_[at(i)]) : std::min(end(rows_[at(i)]), square.first);
            if (first < last) add_rank_task({first, last - first}, j);
        }
        if (!lower) add_rank_task(square, j);
    }

    /// Rows of a panel in column j.
    void add_rank_task(const Part& rows, index_t j) {
        const Part& cols = cols_[at(j)];
        plan_.tiles.push_back({operand::C, rows.first, cols.first, rows.count, cols.count});
        const auto row = std::ranges::lower_bound(cols_, rows.first, {}, &Part::first);
        const index_t block = row - cols_.begin();
        begin_task(static_cast<TileId>(plan_.tiles.size()) - 1, block, j);
        if (!reads_) add_term(-1, -1);
        for (index_t l = 0; reads_ && l < std::ssize(ks_); ++l) add_rank_terms(rows, block, j, l);
    }

    /// `i` is the first block of the rows.
    void add_rank_terms(const Part& rows, index_t i, index_t j, index_t l) {
        const bool diagonal = i == j;
        const auto left = [&](Panels& of) {
            return noted(rows == cols_[at(i)] ? of.block(plan_.tiles, i, l)
                                              : of.rows(plan_.tiles, rows, of.panel_of(i), l));
        };
        const auto right = [&](Panels& of) { return noted(of.block(plan_.tiles, j, l)); };
        Panels &a = panels_.front(), &b = panels_.back();
        if (p_.routine == Routine::gemmt) {
            add_term(left(a), b_tile(l, j));
        } else if (!is_rank_2(p_.routine)) {
            add_term(left(a), diagonal ? -1 : right(a));
        } else {
            add_term(left(a), right(b));
            if (!diagonal) add_term(left(b), right(a));
        }
    }
    TileId noted(const Piece& piece) {
        if (all_.whole.size() < plan_.tiles.size()) all_.whole.resize(plan_.tiles.size(), -1);
        all_.whole[at(piece.tile)] = piece.whole;
        return piece.tile;
    }

    /// Of A what is stored stands for its image.
    void add_mirrored_terms(index_t i, index_t j) {
        for (index_t l = 0; l < std::ssize(ks_); ++l) {
            const index_t row = left() ? i : l, col = left() ? l : j;
            const bool stored = p_.uplo == Uplo::Lower ? row >= col : row <= col;
            const TileId a = a_.tile(plan_.tiles, stored ? row : col, stored ? col : row);
            const TileId b = left() ? b_.tile(plan_.tiles, l, j) : b_.tile(plan_.tiles, i, l);
            add_term(left() ? a : b, left() ? b : a);
        }
    }

    /// Parts of k from the first to the block's own, or from the last. trmm multiplies a block that
    /// has no others before it where it is.
    void add_triangular_terms(index_t i, index_t j) {
        const bool forward = goes_forward(p_);
        const index_t own = left() ? i : j, last = std::ssize(ks_) - 1;
        for (index_t l = forward ? 0 : last; l != own; l += forward ? 1 : -1)
            add_product(l, own, i, j);
        const TileId square = triangle_tile(own, own);
        if (p_.routine == Routine::trsm || own == (forward ? 0 : last))
            add_term(square, -1);
        else
            add_product(own, own, i, j);
    }
    /// A's tile of part l of k and block `own`, and the target's block l of the same line.
    void add_product(index_t l, index_t own, index_t i, index_t j) {
        const TileId a = triangle_tile(own, l);
        const TileId c = left() ? c_.tile(plan_.tiles, l, j) : c_.tile(plan_.tiles, i, l);
        add_term(left() ? a : c, left() ? c : a);
    }

    /// Of A, from part l of k to block `own`; it may come with all that is from l, which are
    /// columns.
    TileId triangle_tile(index_t own, index_t l) {
        const bool as_is = (p_.op_a == Op::NoTrans) == left();
        const TileId tile = a_.tile(plan_.tiles, as_is ? own : l, as_is ? l : own);
        if (columns_.empty()) return tile;
        if (columns_[at(l)] < 0) {
            const Part& k = ks_[at(l)];
            const index_t first = goes_forward(p_) ? k.first : 0;
            const index_t last = goes_forward(p_) ? p_.k : k.first + k.count;
            columns_[at(l)] = static_cast<TileId>(plan_.tiles.size());
            plan_.tiles.push_back({operand::A, first, k.first, last - first, k.count});
        }
        return noted({tile, columns_[at(l)]});
    }

    /// A block of trsm comes after those before it in its line, one of trmm is read by those
    /// behind.
    void add_others() {
        const bool forward = goes_forward(p_), solves = p_.routine == Routine::trsm;
        const bool upwards = forward == solves;
        const index_t last = std::ssize(ks_) - 1;
        for (Tasks::Task& task : all_.tasks) {
            Tasks::Range& range = solves ? task.after : task.readers;
            const index_t own = left() ? task.row : task.col;
            range.begin = static_cast<std::int32_t>(all_.others.size());
            for (index_t l = upwards ? 0 : last; l != own; l += upwards ? 1 : -1)
                all_.others.push_back(task_at(left() ? l : task.row, left() ? task.col : l));
            range.count = static_cast<std::int32_t>(all_.others.size()) - range.begin;
        }
    }
    TaskId task_at(index_t i, index_t j) const {
        return static_cast<TaskId>(j * std::ssize(rows_) + i);
    }

    const Problem& p_;
    const std::vector<Part> rows_, cols_, ks_;
    TileGrid a_, b_, c_;
    std::vector<Panels> panels_;   // of A and B of a rank update
    std::vector<TileId> columns_;  // by part of k: all that comes of a triangle together
    Plan plan_;                    // operands, goal and tiles, for instructions
    Tasks all_;
    bool reads_ = false;
};

}  // namespace

bool is_strip_of_rows(const Problem& p) {
    return writes_triangle(p.routine) ? p.uplo == Uplo::Lower : p.m > p.n;
}

bool can_come_together(const Problem& p) {
    const bool plain = p.op_a == Op::NoTrans;
    if (p.routine == Routine::trsm) return plain == (p.side == Side::Left);
    return writes_triangle(p.routine) && plain;
}

bool has_strip(const Problem& p) {
    return !reads_triangle(p.routine) && !is_rank_2(p.routine) && p.m > 0 && p.n > 0;
}

namespace {

/// A multiple of the columns, or all rows where less than another column would be left.
index_t rows_of_panels(const Problem& p, const TaskTiles& t) {
    const index_t whole = std::max<index_t>(1, t.rows / t.cols) * t.cols;
    return whole > t.cols && whole + t.cols >= p.m ? p.m : whole;
}

}  // namespace

TaskTiles fitted(const Problem& p, TaskTiles t) {
    t.rows = std::clamp<index_t>(t.rows, 1, std::max<index_t>(1, p.m));
    t.cols = std::clamp<index_t>(t.cols, 1, std::max<index_t>(1, p.n));
    t.depth = std::clamp<index_t>(t.depth, 1, std::max<index_t>(1, p.k));
    if (writes_triangle(p.routine)) t.cols = std::min(t.cols, t.rows);
    if (writes_triangle(p.routine)) t.rows = rows_of_panels(p, t);
    if (reads_triangle(p.routine)) t.depth = p.side == Side::Left ? t.rows : t.cols;
    const index_t lines = has_strip(p) ? (is_strip_of_rows(p) ? p.m : p.n) : 0;
    t.strip = std::clamp<index_t>(t.strip, 0, lines);
    t.together = t.together && can_come_together(p);
    return t;
}

double count_terms(const Problem& p, const TaskTiles& given) {
    const TaskTiles t = fitted(p, given);
    const auto parts = [](index_t whole, index_t size) {
        const index_t full = std::max<index_t>(0, whole - 1) / size;
        return whole > 0 ? static_cast<double>(full + 1) : 0.0;
    };
    const double targets = parts(p.m, t.rows) * parts(p.n, t.cols);
    const double depth = is_read(p, operand::A) ? parts(p.k, t.depth) : 1;
    const bool half = writes_triangle(p.routine) || is_in_place(p.routine);
    const bool twice = is_rank_2(p.routine) && is_read(p, operand::A);
    // Squares at the diagonal are targets of their own, also where the others are taller.
    const double squares = writes_triangle(p.routine) && t.rows > t.cols ? parts(p.n, t.cols) : 0;
    return (targets + squares) * depth * (half && !twice ? 0.5 : 1) + targets + squares;
}

Tasks tasks_of(const Problem& problem, const TaskTiles& tiles) {
    constexpr double most = 3e6;  // what a plan can list
    if (count_terms(problem, tiles) > most)
        throw Error(
            Code::out_of_memory,
            fmt::format("tiles of {} x {} x {} are too small", tiles.rows, tiles.cols, tiles.depth),
            "three million products of tiles at most");
    return Lister(problem, fitted(problem, tiles)).list();
}

}  // namespace gemmill
