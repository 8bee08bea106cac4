// SPDX-License-Identifier: Apache-2.0
#include "backend/perform.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "base/routine.hpp"
#include "matrix/view.hpp"
#include "plan/access.hpp"
#include "plan/ops.hpp"
#include "plan/padding.hpp"

namespace gemmill {
namespace {

struct Located {
    std::byte* data = nullptr;
    index_t ld = 1;
};

class Locator {
  public:
    Locator(const Plan& plan, const Binding& binding, std::span<std::byte* const> slabs)
        : plan_(plan), binding_(binding), slabs_(slabs) {}

    Located operator()(const Ref& ref) const {
        if (ref.tile < 0) return {};
        return ref.buffer == Ref::home ? user(tile(ref)) : buffered(tile(ref), ref.buffer);
    }
    const Tile& tile(const Ref& ref) const { return tile_of(plan_, ref); }

  private:
    Located user(const Tile& tile) const {
        const auto i = static_cast<std::size_t>(tile.operand);
        // The target is the only operand that is written, and the caller gave it as writable.
        auto* data = static_cast<std::byte*>(const_cast<void*>(binding_.data[i]));
        const index_t ld = binding_.ld[i];
        return {data + (tile.row + tile.col * ld) * bytes_of(operand_of(plan_, tile).type), ld};
    }
    /// A tile may be a part of what the buffer holds.
    Located buffered(const Tile& tile, BufferId id) const {
        const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
        const Tile& whole = plan_.tiles[static_cast<std::size_t>(buffer.tile)];
        const index_t first = tile.row - whole.row + (tile.col - whole.col) * buffer.ld;
        return {slabs_[static_cast<std::size_t>(buffer.memory)] + buffer.offset +
                    first * bytes_of(operand_of(plan_, tile).type),
                buffer.ld};
    }

    const Plan& plan_;
    const Binding& binding_;
    std::span<std::byte* const> slabs_;
};

Scalar scalar_of(Scale scale, const Binding& binding) {
    return value_of(scale, binding.alpha, binding.beta);
}

Type type_of_step(const Plan& plan, const Step& step) {
    return operand_of(plan, tile_of(plan, step.out)).type;
}

CopyArgs copy_task(const Plan& plan, const Step& step, const Locator& locate) {
    const Tile& tile = locate.tile(step.out);
    const index_t bytes = bytes_of(type_of_step(plan, step));
    const Columns part = piece_columns(tile.cols, step.piece, step.pieces);
    const Located from = locate(step.in[0]), to = locate(step.out);
    return {from.data + part.first * from.ld * bytes,
            from.ld,
            to.data + part.first * to.ld * bytes,
            to.ld,
            tile.rows,
            part.count,
            bytes,
            step.triangle,
            0};
}

/// Also of a scale, which is a product without k.
GemmArgs gemm_task(const Plan& plan, const Step& step, const Binding& binding,
                   const Locator& locate) {
    const Located a = locate(step.in[0]), b = locate(step.in[1]), c = locate(step.out);
    GemmArgs g;
    g.type = type_of_step(plan, step);
    g.op_a = step.op_a;
    g.op_b = step.op_b;
    const Extent extent = extent_of(plan, step);
    g.m = extent.m;
    g.n = extent.n;
    g.k = extent.k;
    g.alpha = scalar_of(step.weight, binding);
    g.a = a.data;
    g.lda = g.k == 0 ? std::max(g.m, index_t{1}) : a.ld;
    g.b = b.data;
    g.ldb = g.k == 0 ? std::max(g.n, index_t{1}) : b.ld;
    g.beta = scalar_of(step.keep, binding);
    g.c = c.data;
    g.ldc = c.ld;
    return g;
}

KernelArgs kernel_task(const Plan& plan, const Step& step, const Binding& binding,
                       const Locator& locate) {
    const Extent extent = extent_of(plan, step);
    const bool right = takes_triangle(step.op) && step.in[1].tile >= 0 && step.side == Side::Right;
    const Located a = locate(step.in[right ? 1 : 0]), b = locate(step.in[right ? 0 : 1]);
    const Located c = locate(step.out);
    KernelArgs g;
    g.op = step.op, g.type = type_of_step(plan, step);
    g.side = step.side, g.uplo = uplo_of(step.triangle), g.diag = step.diag;
    g.op_a = step.op_a, g.op_b = step.op_b;
    g.m = extent.m, g.n = extent.n, g.k = extent.k;
    g.alpha = scalar_of(step.weight, binding);
    g.beta = scalar_of(step.keep, binding);
    g.a = a.data, g.lda = a.ld;
    g.b = b.data, g.ldb = b.ld;
    g.c = c.data, g.ldc = c.ld;
    return g;
}

/// A triangle is scaled by a rank update without k, which keeps to it and a diagonal real.
KernelArgs scale_task(const Plan& plan, const Step& step, const Binding& binding,
                      const Locator& locate) {
    KernelArgs g = kernel_task(plan, step, binding, locate);
    const bool hermitian = target_of(plan).structure == Structure::hermitian;
    g.op = hermitian ? Opcode::herk : Opcode::syrk;
    g.k = 0;
    // Nothing is read there, but a BLAS looks at the number.
    g.lda = g.ldb = std::max(g.n, index_t{1});
    return g;
}

AddArgs add_task(const Plan& plan, const Step& step, const Binding& binding,
                 const Locator& locate) {
    const Tile& tile = locate.tile(step.out);
    const Located x = locate(step.in[0]), c = locate(step.out);
    return {type_of_step(plan, step),
            tile.rows,
            tile.cols,
            scalar_of(step.weight, binding),
            x.data,
            x.ld,
            c.data,
            c.ld};
}

MirrorArgs mirror_task(const Plan& plan, const Step& step, const Locator& locate) {
    const Tile& tile = locate.tile(step.out);
    const Located to = locate(step.out);
    const bool conjugate = operand_of(plan, tile).structure == Structure::hermitian;
    return {type_of_step(plan, step),
            uplo_of(step.triangle),
            conjugate,
            tile.rows,
            tile.cols,
            locate(step.in[0]).data,
            to.data,
            to.ld};
}

BorderArgs border_of(const Plan& plan, const Step& step, const Locator& locate) {
    const Padding padding = cleared_by(plan, step);
    if (padding == Padding{}) return {};
    const Tile block = touched(plan, step, step.out);
    const Located to = locate(step.out);
    const index_t bytes = bytes_of(type_of_step(plan, step));
    const index_t first = block.col - locate.tile(step.out).col;
    return {to.data + first * to.ld * bytes,
            to.ld,
            block.rows,
            block.cols,
            bytes,
            padding.rows,
            padding.cols};
}

Work work_of(const Plan& plan, const Step& step, const Binding& binding, const Locator& locate) {
    switch (step.op) {
        case Opcode::fetch:
        case Opcode::write:
            return copy_task(plan, step, locate);
        case Opcode::gemm:
            return gemm_task(plan, step, binding, locate);
        case Opcode::scale:
            if (step.triangle != Triangle::none) return scale_task(plan, step, binding, locate);
            return gemm_task(plan, step, binding, locate);
        case Opcode::mirror:
            return mirror_task(plan, step, locate);
        case Opcode::add:
            return add_task(plan, step, binding, locate);
        default:
            return kernel_task(plan, step, binding, locate);
    }
}

void copy_by(decltype(copy_block)& block, const CopyArgs& a) {
    if (a.triangle == Triangle::none)
        return block(a.from, a.from_ld, a.to, a.to_ld, a.rows, a.cols, a.bytes);
    for (index_t j = 0; j < a.cols; ++j) {
        const bool lower = a.triangle == Triangle::lower;
        const index_t first = lower ? std::clamp<index_t>(j - a.shift, 0, a.rows) : 0;
        const index_t end = lower ? a.rows : std::clamp<index_t>(j - a.shift + 1, 0, a.rows);
        block(static_cast<const std::byte*>(a.from) + (first + j * a.from_ld) * a.bytes, a.from_ld,
              static_cast<std::byte*>(a.to) + (first + j * a.to_ld) * a.bytes, a.to_ld, end - first,
              1, a.bytes);
    }
}

}  // namespace

Level3Args host_call(const KernelArgs& args) {
    return {Level3Fields(args), routine_named(info_of(args.op).name)};
}

KernelArgs kernel_of(const Level3Args& call) {
    const auto row = std::ranges::find(op_table, std::string_view(name_of(call.routine)),
                                       [](const OpInfo& info) { return info.name; });
    return {Level3Fields(call), static_cast<Opcode>(row - op_table.begin())};
}

Task make_task(const Plan& plan, const Step& step, const Binding& binding,
               std::span<std::byte* const> slabs) {
    const Locator locate(plan, binding, slabs);
    return {work_of(plan, step, binding, locate), border_of(plan, step, locate)};
}

void clear_now(const BorderArgs& a) {
    const auto size = [&](index_t elements) {
        return static_cast<std::size_t>(elements * a.bytes);
    };
    auto* const to = static_cast<std::byte*>(a.to);
    for (index_t j = 0; j < a.cols && a.below > 0; ++j)
        std::memset(to + size(a.rows + j * a.ld), 0, size(a.below));
    for (index_t j = a.cols; j < a.cols + a.beside; ++j)
        std::memset(to + size(j * a.ld), 0, size(a.rows + a.below));
}

void fail(Completion& completion, const char* text) noexcept {
    completion.code = Code::failed_step;
    try {
        completion.text = text;
    } catch (const std::bad_alloc&) {
        completion.text = "no memory";  // so short that it needs none
    }
}

void copy_now(const CopyArgs& args) { copy_by(copy_block, args); }
void stream_now(const CopyArgs& args) { copy_by(stream_block, args); }

void perform(const Task& task, const Kernels& kernels) {
    clear_now(task.border);
    if (const auto* copy = std::get_if<CopyArgs>(&task.work))
        copy_now(*copy);
    else if (const auto* gemm = std::get_if<GemmArgs>(&task.work))
        kernels.gemm(*gemm);
    else if (const auto* kernel = std::get_if<KernelArgs>(&task.work))
        kernels.level3(host_call(*kernel));
    else if (const auto* mirror = std::get_if<MirrorArgs>(&task.work))
        kernels.mirror(*mirror);
    else
        kernels.add(std::get<AddArgs>(task.work));
}

void attempt(const Task& task, const Kernels& kernels, Completion& completion) noexcept {
    try {
        perform(task, kernels);
        return;
    } catch (const std::exception& error) {
        fail(completion, error.what());
    } catch (...) {
        fail(completion, "unknown exception");
    }
}

}  // namespace gemmill
