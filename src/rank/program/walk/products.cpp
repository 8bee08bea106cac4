// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/products.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "matrix/tiling.hpp"
#include "rank/program/walk/elements.hpp"

namespace gemmill {
namespace {

/// Columns of a product that are made between two looks at the network: at least so many, so that
/// A is not packed too often for the kernel's liking.
constexpr index_t least_stripe = 256;
/// A stripe of a triangle makes up to half its width too many rows: of a sixteenth of the columns
/// this is some percent of the whole; a narrow one is slow. To a device A travels for each stripe.
constexpr index_t triangle_stripes = 16, device_triangle_stripes = 4, least_triangle_stripe = 64;

/// Before a block is written a third of k is held back, where there is memory: C is about as large
/// as each factor, and takes as long to be written as a third of the products where the link is not
/// what limits them. Of more a device might have nothing to do until they are there.
constexpr int held_share = 3;

/// Columns of the products that are held back, made one after the other: quarters, for narrow
/// products are slow; of the last one halves of what is left, because nothing hides its way to C.
std::vector<Part> last_parts(index_t cols) {
    constexpr index_t quarters = 4, least = 1024;
    const index_t quarter = std::max(least_stripe, (cols + quarters - 1) / quarters);
    std::vector<Part> parts;
    for (index_t at = 0; at < cols;) {
        const index_t left = cols - at;
        const index_t width = left > quarter ? quarter : left > least ? left / 2 : left;
        parts.push_back({at, width});
        at += width;
    }
    return parts;
}

const std::byte* shifted(const void* data, index_t bytes) {
    return static_cast<const std::byte*>(data) + bytes;
}

}  // namespace

RankProducts::RankProducts(const RankProgram& program, const DistUpdate& update,
                           const LocalKernels& kernels, const SharedPanels& shared,
                           const SharedDevice& device, std::byte* arena)
    : program_(program),
      update_(update),
      kernels_(kernels),
      shared_(shared),
      device_(device),
      arena_(arena),
      sums_(program, update, kernels, arena) {}

void RankProducts::open() {
    if (program_.direct || program_.sums_bytes == 0) return;
    if (program_.on_device) sums_.move_to(shared_.own());
    if (program_.on_device || !kernels_.device.sums) return;
    const bool uploads = program_.uploaded[0] + program_.uploaded[1] > 0;
    std::byte* there = uploads ? kernels_.device.sums(program_.device_bytes()) : nullptr;
    if (there != nullptr)
        uploads_ = there + program_.device_bytes() -
                   uploaded_stages * (program_.uploaded[0] + program_.uploaded[1]);
    else
        there = kernels_.device.sums(program_.sums_bytes);
    if (there != nullptr) sums_.move_to(there);
}

RankProducts::~RankProducts() {
    for (Task& x : tasks_) try {
            while (!x.task.ended()) {
            }
        } catch (const std::exception&) {  // whoever waited for it was told
        }
}

std::byte* RankProducts::host_data(int index, int operand) const {
    const Stage& x = stage(index);
    const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
    if (panel.group >= 0) return shared_.panel(index, operand, panel.group);
    if (!panel.at_home) return arena_ + panel.offset;
    return factor_of(update_, x.term, operand).matrix->home().data +
           panel.offset * bytes_of(update_.type);
}

bool RankProducts::is_uploaded(int index, int operand) const {
    return uploads_ != nullptr && !stage(index).panels[static_cast<std::size_t>(operand)].at_home;
}

/// Stages take turns.
std::byte* RankProducts::device_data(int index, int operand) const {
    const auto [a, b] = program_.uploaded;
    return uploads_ + index % uploaded_stages * (a + b) + (operand == 0 ? 0 : a);
}

const void* RankProducts::data_of(int index, int operand) const {
    return is_uploaded(index, operand) ? device_data(index, operand) : host_data(index, operand);
}

std::vector<DeviceCopy> RankProducts::copies_of(int index) const {
    std::vector<DeviceCopy> copies;
    for (int operand = 0; operand < 2; ++operand) {
        const Panel& panel = stage(index).panels[static_cast<std::size_t>(operand)];
        const std::int64_t bytes = panel.ld * panel.cols * bytes_of(update_.type);
        if (is_uploaded(index, operand) && bytes > 0)
            copies.push_back({device_data(index, operand), host_data(index, operand), bytes});
    }
    return copies;
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
    args.c = sums_.data(), args.ldc = program_.sums_ld;
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

index_t RankProducts::stripe_width(const Stage& x, bool quiet) const {
    const bool apart = static_cast<bool>(kernels_.device.begin);
    if (update_.fill != Fill::all)
        return std::max(least_triangle_stripe,
                        x.cols / (apart ? device_triangle_stripes : triangle_stripes));
    return quiet || apart ? x.cols : std::max(least_stripe, x.cols / 4);
}

/// Makes columns [col, col + cols) of a stage's product of all of it, and of a triangle the rows
/// that it has there; false where it has none.
bool RankProducts::cut_stripe(const Stage& x, index_t col, index_t cols, GemmArgs& args) const {
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

std::vector<GemmArgs> RankProducts::stripes_of(int index, index_t width) const {
    const Stage& x = stage(index);
    const GemmArgs whole = arguments(index);
    std::vector<GemmArgs> stripes;
    for (index_t col = 0; col < x.cols; col += width) {
        GemmArgs stripe = whole;
        if (cut_stripe(x, col, std::min(width, x.cols - col), stripe)) stripes.push_back(stripe);
    }
    return stripes;
}

void RankProducts::make(int index, const std::function<void()>& look, bool quiet) {
    const int end = end_of_block(index);
    if (panels_are_there() && index >= first_held(end)) {
        make_held(index, end);
    } else if (kernels_.device.begin) {
        const index_t width = stripe_width(stage(index), quiet);
        tasks_.push_back({index, index, 0,
                          kernels_.device.begin({copies_of(index), stripes_of(index, width),
                                                 made_for_all(index, index)}),
                          false});
    } else {
        for (const GemmArgs& stripe : stripes_of(index, stripe_width(stage(index), quiet))) {
            look();
            kernels_.gemm(stripe);
        }
    }
    last_ = index;
}

/// Panels on a device of all ranks are waited for by whoever has the products made: this rank goes
/// on. What nobody else sees, a factor that the user has on the device, is multiplied here.
std::function<void(const std::vector<GemmArgs>&)> RankProducts::made_for_all(int first,
                                                                             int last) const {
    if (!program_.on_device) return {};
    bool is_seen = true;
    for (int s = first; s <= last; ++s)
        for (const Panel& panel : stage(s).panels) is_seen &= !panel.at_home;
    return [this, first, last, is_seen](const std::vector<GemmArgs>& products) {
        for (int s = first; s <= last; ++s) shared_.await_sources_apart(s);
        for (const GemmArgs& x : products) is_seen ? device_.make(x) : kernels_.gemm(x);
    };
}

int RankProducts::end_of_block(int index) const {
    const auto stages = static_cast<int>(program_.stages.size());
    int end = index + 1;
    while (end < stages && stage(end).block == stage(index).block) ++end;
    return end;
}

/// The first stage that is held back of the block that ends before `end`; `end`: none is.
int RankProducts::first_held(int end) const {
    const int block_at = stage(end - 1).block;
    const index_t rows = total(block(block_at).rows), cols = total(block(block_at).cols);
    int first = end;
    while (first > 0 && stage(first - 1).block == block_at) --first;
    const int most = program_.on_device ? program_.places : uploaded_stages;
    index_t all = 0;
    for (int s = first; s < end; ++s) all += stage(s).depth;
    int held = 1;
    for (index_t depth = stage(end - 1).depth;
         held < std::min(most - 1, end - first) && held_share * depth < all; ++held)
        depth += stage(end - 1 - held).depth;
    // Parts of triangles differ from stage to stage.
    const auto is_whole = [&](const Stage& x) { return x.rows == rows && x.cols == cols; };
    const auto last = program_.stages.begin() + end;
    return update_.fill == Fill::all && std::all_of(last - held, last, is_whole) ? end - held : end;
}

/// Only the last one of those that are held back begins products: all of theirs, part by part.
void RankProducts::make_held(int index, int end) {
    std::vector<DeviceCopy> copies = copies_of(index);
    if (index + 1 < end) {
        if (held_ < 0) held_ = index;
        if (!copies.empty())
            tasks_.push_back(
                {index, index, 0, kernels_.device.begin({std::move(copies), {}, {}}), false});
        return;
    }
    held_ = -1;
    const int first = first_held(end);
    for (const Part& part : last_parts(stage(index).cols)) {
        std::vector<GemmArgs> products;
        for (int s = first; s < end; ++s) {
            products.push_back(arguments(s));
            cut_stripe(stage(s), part.first, part.count, products.back());
        }
        tasks_.push_back({index, first, part.first,
                          kernels_.device.begin({std::exchange(copies, {}), std::move(products),
                                                 made_for_all(first, index)}),
                          false});
    }
}

void RankProducts::look() {
    for (Task& x : tasks_)
        if (!x.is_copied) x.is_copied = x.task.copied();
    while (!tasks_.empty() && tasks_.front().task.ended()) tasks_.pop_front();
}

bool RankProducts::has_room(int index) const {
    const int behind = panels_are_there() ? uploaded_stages - 1 : 0;
    return tasks_.empty() || tasks_.front().stage >= index - behind;
}

bool RankProducts::reads(int index) const {
    if (uploads_ != nullptr)
        return std::ranges::any_of(tasks_,
                                   [&](const Task& x) { return x.stage <= index && !x.is_copied; });
    return (held_ >= 0 && held_ <= index) ||
           std::ranges::any_of(tasks_, [&](const Task& x) { return x.first <= index; });
}

int RankProducts::last_read() const {
    int stage = last_;
    while (stage >= 0 && reads(stage)) --stage;
    return stage;
}

index_t RankProducts::columns_made(const CBlock& block) const {
    return tasks_.empty() ? total(block.cols) : tasks_.front().col;
}

}  // namespace gemmill
