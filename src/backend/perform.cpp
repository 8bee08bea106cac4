// SPDX-License-Identifier: Apache-2.0
#include "backend/perform.hpp"

#include <algorithm>
#include <new>

#include "matrix/view.hpp"
#include "plan/form.hpp"

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
    const Tile& tile(const Ref& ref) const {
        return plan_.tiles[static_cast<std::size_t>(ref.tile)];
    }

  private:
    Located user(const Tile& tile) const {
        const auto i = static_cast<std::size_t>(tile.operand);
        // C is the only operand that is written, and the caller gave it as writable.
        auto* data = static_cast<std::byte*>(const_cast<void*>(binding_.data[i]));
        const index_t ld = binding_.ld[i];
        return {data + (tile.row + tile.col * ld) * bytes_of(plan_.problem.type), ld};
    }
    /// A tile may be a part of what the buffer holds.
    Located buffered(const Tile& tile, BufferId id) const {
        const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
        const Tile& whole = plan_.tiles[static_cast<std::size_t>(buffer.tile)];
        const index_t first = tile.row - whole.row + (tile.col - whole.col) * buffer.ld;
        return {slabs_[static_cast<std::size_t>(buffer.memory)] + buffer.offset +
                    first * bytes_of(plan_.problem.type),
                buffer.ld};
    }

    const Plan& plan_;
    const Binding& binding_;
    std::span<std::byte* const> slabs_;
};

/// What trsm keeps of the old C is alpha times it.
Scalar keep_factor(const Plan& plan, Keep keep, const Binding& binding) {
    if (keep == Keep::beta)
        return plan.problem.routine == Routine::trsm ? binding.alpha : binding.beta;
    return {keep == Keep::one ? 1.0 : 0.0, 0.0};
}

Scalar weight_factor(Weight weight, Scalar alpha) {
    if (weight == Weight::minus_one) return {-1, 0};
    return {alpha.re, weight == Weight::conj_alpha ? -alpha.im : alpha.im};
}

Half half_of(const Plan& plan, const Step& step) {
    if (!moves_triangle(plan, step)) return Half::none;
    return plan.problem.uplo == Uplo::Lower ? Half::lower : Half::upper;
}

CopyArgs copy_task(const Plan& plan, const Step& step, const Locator& locate) {
    const Tile& tile = locate.tile(step.out);
    const index_t bytes = bytes_of(plan.problem.type);
    const Columns part = piece_columns(tile.cols, step.piece, step.pieces);
    const Located from = locate(step.in[0]), to = locate(step.out);
    return {from.data + part.first * from.ld * bytes,
            from.ld,
            to.data + part.first * to.ld * bytes,
            to.ld,
            tile.rows,
            part.count,
            bytes,
            half_of(plan, step),
            0};
}

GemmArgs gemm_task(const Plan& plan, const Step& step, const Form& form, const Binding& binding,
                   const Locator& locate) {
    const Tile& tile = locate.tile(step.out);
    const Located a = locate(step.in[0]), b = locate(step.in[1]), c = locate(step.out);
    GemmArgs g;
    g.type = plan.problem.type;
    g.op_a = form.op_a;
    g.op_b = form.op_b;
    g.m = tile.rows;
    g.n = tile.cols;
    g.k = k_span(plan, step).count;
    g.alpha = weight_factor(form.weight, binding.alpha);
    g.a = a.data;
    g.lda = g.k == 0 ? std::max(g.m, index_t{1}) : a.ld;
    g.b = b.data;
    g.ldb = g.k == 0 ? std::max(g.n, index_t{1}) : b.ld;
    g.beta = keep_factor(plan, step.keep, binding);
    g.c = c.data;
    g.ldc = c.ld;
    return g;
}

/// The problem's own routine on tiles at the diagonal.
Level3Args own_task(const Plan& plan, const Step& step, const Binding& binding,
                    const Locator& locate) {
    const Problem& p = plan.problem;
    const Tile& tile = locate.tile(step.out);
    const bool swapped = step.in[1].tile >= 0 && locate.tile(step.in[1]).operand == Operand::A;
    const Located a = locate(step.in[swapped ? 1 : 0]), b = locate(step.in[swapped ? 0 : 1]);
    const Located c = locate(step.out);
    const Scalar keep = keep_factor(plan, step.keep, binding);
    const Scalar alpha = p.routine == Routine::trsm ? keep : binding.alpha;
    Level3Args g = call_of(p, {{a.data, b.data, c.data}, {a.ld, b.ld, c.ld}, alpha, keep});
    g.m = tile.rows, g.n = tile.cols;
    g.k = k_span(plan, step).count;
    if (p.routine == Routine::trmm && step.in[1].tile >= 0) g.b = b.data;
    // Nothing is read there, but a BLAS looks at the number.
    if (step.in[0].tile < 0) g.lda = g.ldb = std::max(g.n, index_t{1});
    return g;
}

Task compute_task(const Plan& plan, const Step& step, const Binding& binding,
                  const Locator& locate) {
    const Form form = form_of(plan, step);
    if (form.own) return own_task(plan, step, binding, locate);
    return gemm_task(plan, step, form, binding, locate);
}

AddArgs add_task(const Plan& plan, const Step& step, const Binding& binding,
                 const Locator& locate) {
    const Tile& tile = locate.tile(step.out);
    const Located x = locate(step.in[0]), c = locate(step.out);
    return {plan.problem.type,
            tile.rows,
            tile.cols,
            keep_factor(plan, step.keep, binding),
            x.data,
            x.ld,
            c.data,
            c.ld};
}

MirrorArgs mirror_task(const Plan& plan, const Step& step, const Locator& locate) {
    const Problem& p = plan.problem;
    const Tile& tile = locate.tile(step.out);
    const Located to = locate(step.out);
    return {p.type,  p.uplo, is_hermitian(p.routine), tile.rows, tile.cols, locate(step.in[0]).data,
            to.data, to.ld};
}

}  // namespace

Level3Args call_of(const Problem& p, const Binding& binding) {
    Level3Args g;
    g.routine = p.routine, g.type = p.type;
    g.side = p.side, g.uplo = p.uplo, g.diag = p.diag;
    g.op_a = p.op_a, g.op_b = p.op_b;
    g.m = p.m, g.n = p.n, g.k = p.k;
    g.alpha = binding.alpha, g.beta = binding.beta;
    g.a = binding.data[0], g.lda = binding.ld[0];
    g.b = has_b(p.routine) ? binding.data[1] : nullptr, g.ldb = binding.ld[1];
    // The caller gave it as writable.
    g.c = const_cast<void*>(binding.data[2]), g.ldc = binding.ld[2];
    return g;
}

Task make_task(const Plan& plan, const Step& step, const Binding& binding,
               std::span<std::byte* const> slabs) {
    const Locator locate(plan, binding, slabs);
    switch (step.kind) {
        case StepKind::fetch:
        case StepKind::write:
            return copy_task(plan, step, locate);
        case StepKind::compute:
            return compute_task(plan, step, binding, locate);
        case StepKind::mirror:
            return mirror_task(plan, step, locate);
        case StepKind::add:
            break;
    }
    return add_task(plan, step, binding, locate);
}

namespace {

void copy_by(decltype(copy_block)& block, const CopyArgs& a) {
    if (a.half == Half::none)
        return block(a.from, a.from_ld, a.to, a.to_ld, a.rows, a.cols, a.bytes);
    for (index_t j = 0; j < a.cols; ++j) {
        const bool lower = a.half == Half::lower;
        const index_t first = lower ? std::clamp<index_t>(j - a.shift, 0, a.rows) : 0;
        const index_t end = lower ? a.rows : std::clamp<index_t>(j - a.shift + 1, 0, a.rows);
        block(static_cast<const std::byte*>(a.from) + (first + j * a.from_ld) * a.bytes, a.from_ld,
              static_cast<std::byte*>(a.to) + (first + j * a.to_ld) * a.bytes, a.to_ld, end - first,
              1, a.bytes);
    }
}

}  // namespace

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
    if (const auto* copy = std::get_if<CopyArgs>(&task))
        copy_now(*copy);
    else if (const auto* gemm = std::get_if<GemmArgs>(&task))
        kernels.gemm(*gemm);
    else if (const auto* level3 = std::get_if<Level3Args>(&task))
        kernels.level3(*level3);
    else if (const auto* mirror = std::get_if<MirrorArgs>(&task))
        kernels.mirror(*mirror);
    else
        kernels.add(std::get<AddArgs>(task));
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
