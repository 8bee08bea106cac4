// SPDX-License-Identifier: Apache-2.0
#include "rank/program/products.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "rank/program/needs.hpp"
#include "rank/program/sums.hpp"

namespace gemmill {
namespace {

/// Columns of a product that are made between two looks at the network: at least so many, so that
/// A is not packed too often for the kernel's liking.
constexpr index_t least_slab = 256;
/// A slab of a triangle makes up to half its width too many rows: of a sixteenth of the columns
/// this is some percent of the whole; a narrow one is slow. To a device A travels for each slab.
constexpr index_t triangle_slabs = 16, device_triangle_slabs = 4, least_triangle_slab = 64;
/// Bytes of C that one thread writes at a time: some hundred times what a copy costs to begin, and
/// many of them in a large C.
constexpr std::int64_t write_bytes = std::int64_t{8} << 20;

const std::byte* shifted(const void* data, index_t bytes) {
    return static_cast<const std::byte*>(data) + bytes;
}

}  // namespace

RankProducts::RankProducts(const RankProgram& program, const DistUpdate& update,
                           const LocalKernels& kernels, const SharedPanels& shared,
                           std::byte* arena)
    : program_(program),
      update_(update),
      kernels_(kernels),
      shared_(shared),
      arena_(arena),
      sums_(arena) {
    if (program.direct || program.sums_bytes == 0 || !kernels.device.sums) return;
    if (std::byte* there = kernels.device.sums(program.sums_bytes)) sums_ = there;
}

RankProducts::~RankProducts() {
    try {
        while (!are_done()) {
        }
    } catch (const std::exception&) {  // whoever waited for it was told
    }
}

void RankProducts::clear() {
    std::memset(arena_, 0, static_cast<std::size_t>(program_.sums_bytes));
    if (on_device()) kernels_.memory.copy(sums_, arena_, program_.sums_bytes);
}

std::byte* RankProducts::data_of(int index, int operand) const {
    const Stage& x = stage(index);
    const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
    if (panel.group >= 0) return shared_.panel(index, operand, panel.group);
    if (!panel.at_home) return arena_ + panel.offset;
    return factor_of(update_, x.term, operand).matrix->home().data +
           panel.offset * bytes_of(update_.type);
}

GemmArgs RankProducts::arguments(int index) const {
    const Stage& x = stage(index);
    GemmArgs args;
    args.type = update_.type;
    args.op_a = factor_of(update_, x.term, 0).op, args.op_b = factor_of(update_, x.term, 1).op;
    args.m = x.rows, args.n = x.cols, args.k = x.depth;
    args.alpha = update_.terms[static_cast<std::size_t>(x.term)].alpha;
    args.a = data_of(index, 0), args.lda = x.panels[0].ld;
    args.b = data_of(index, 1), args.ldb = x.panels[1].ld;
    args.beta = program_.direct ? update_.beta : Scalar{x.overwrites ? 0.0 : 1.0, 0};
    args.c = sums_, args.ldc = program_.sums_ld;
    if (program_.direct) {
        const CBlock& c = block(x.block);
        const Address& home = update_.c.home();
        args.c = home.data +
                 (c.rows.front().offset + c.cols.front().offset * home.ld) * bytes_of(update_.type);
        args.ldc = home.ld;
    }
    args.c = static_cast<std::byte*>(args.c) + (x.row + x.col * args.ldc) * bytes_of(update_.type);
    return args;
}

index_t RankProducts::slab_of(const Stage& x, bool quiet) const {
    const bool apart = static_cast<bool>(kernels_.device.begin);
    if (update_.fill != Fill::all)
        return std::max(least_triangle_slab,
                        x.cols / (apart ? device_triangle_slabs : triangle_slabs));
    return quiet || apart ? x.cols : std::max(least_slab, x.cols / 4);
}

/// Makes columns [col, col + cols) of a stage's product of all of it, and of a triangle the rows
/// that it has there; false where it has none.
bool RankProducts::cut_slab(const Stage& x, index_t col, index_t cols, GemmArgs& args) const {
    const index_t size = bytes_of(update_.type);
    const IndexSet made = positions(block(x.block).cols, x.col + col, cols);
    const RowRange rows = rows_in(update_.fill, block(x.block).rows, made.front().begin,
                                  made.back().begin + made.back().count);
    const index_t first = std::max<index_t>(0, rows.first - x.row);
    args.m = std::min(x.rows, rows.last - x.row) - first;
    args.n = cols;
    args.a = shifted(args.a, size * (args.op_a == Op::NoTrans ? first : first * args.lda));
    args.b = shifted(args.b, size * (args.op_b == Op::NoTrans ? col * args.ldb : col));
    args.c = static_cast<std::byte*>(args.c) + (first + col * args.ldc) * size;
    return args.m > 0;
}

void RankProducts::make(int index, const std::function<void()>& look, bool quiet) {
    const Stage& x = stage(index);
    const GemmArgs whole = arguments(index);
    const index_t width = slab_of(x, quiet);
    std::vector<GemmArgs> slabs;
    for (index_t col = 0; col < x.cols; col += width) {
        GemmArgs slab = whole;
        if (cut_slab(x, col, std::min(width, x.cols - col), slab)) slabs.push_back(slab);
    }
    if (kernels_.device.begin) {
        running_ = kernels_.device.begin(std::move(slabs));
    } else {
        for (const GemmArgs& slab : slabs) {
            look();
            kernels_.gemm(slab);
        }
    }
    last_ = index;
}

bool RankProducts::are_done() {
    if (!running_) return true;
    // What it throws ends it too.
    const HasEnded has_ended = std::move(running_);
    running_ = nullptr;
    if (has_ended()) return true;
    running_ = has_ended;
    return false;
}

void RankProducts::for_columns(const CBlock& block,
                               const std::function<void(index_t, index_t)>& f) const {
    const index_t cols = total(block.cols), column = program_.sums_ld * bytes_of(update_.type);
    const index_t width = std::clamp<index_t>(write_bytes / column, 1, std::max<index_t>(1, cols));
    const index_t parts = (cols + width - 1) / width;
    const auto one = [&](std::size_t i) {
        const index_t first = static_cast<index_t>(i) * width;
        f(first, std::min(width, cols - first));
    };
    if (kernels_.each) return kernels_.each(static_cast<std::size_t>(parts), one);
    for (index_t i = 0; i < parts; ++i) one(static_cast<std::size_t>(i));
}

void RankProducts::write(const CBlock& block) {
    const index_t column = program_.sums_ld * bytes_of(update_.type);
    const Address home = update_.c.at.empty() ? Address{} : update_.c.at.front();
    for_columns(block, [&](index_t first, index_t count) {
        std::byte* here = arena_ + first * column;
        if (on_device()) kernels_.memory.copy(here, sums_ + first * column, count * column);
        write_block(update_, {block.rows, positions(block.cols, first, count)}, here,
                    program_.sums_ld, home);
    });
}

void RankProducts::bring_sums() {
    if (!on_device()) return;
    const index_t column = program_.sums_ld * bytes_of(update_.type);
    for (const CBlock& block : program_.blocks)
        for_columns(block, [&](index_t first, index_t count) {
            kernels_.memory.copy(arena_ + first * column, sums_ + first * column, count * column);
        });
}

}  // namespace gemmill
