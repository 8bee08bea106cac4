// SPDX-License-Identifier: Apache-2.0
// A step as work on host memory: what the cpu backend does, and the simulator when it has data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// Rows below a block and columns beside it that are set to zero.
struct BorderArgs {
    void* to = nullptr;  ///< the block
    index_t ld = 0, rows = 0, cols = 0, bytes = 0;
    index_t below = 0, beside = 0;
};
void clear_now(const BorderArgs& args);

struct CopyArgs {
    const void* from = nullptr;
    index_t from_ld = 0;
    void* to = nullptr;
    index_t to_ld = 0;
    index_t rows = 0, cols = 0, bytes = 0;
    /// Of the lower one only elements (i, j) with i + shift >= j are copied, of the upper one <=.
    Triangle triangle = Triangle::none;
    index_t shift = 0;
};

/// Host memory to host memory.
void copy_now(const CopyArgs& args);
/// The same past the caches (stream_block).
void stream_now(const CopyArgs& args);

/// A kernel at a diagonal: one triangle of out is made, or one of a factor is stored. That factor
/// is `a`, on whichever side it stands.
struct KernelArgs : Level3Fields {
    Opcode op = Opcode::syrk;
};
/// The same as a call of the host BLAS, and back.
Level3Args host_call(const KernelArgs& args);
KernelArgs kernel_of(const Level3Args& call);

/// A step with its pointers.
using Work = std::variant<CopyArgs, GemmArgs, AddArgs, KernelArgs, MirrorArgs>;
struct Task {
    Work work;
    BorderArgs border;  ///< empty, but of what brings a factor
};

/// `slabs` are the beginnings of each memory's slab, by MemoryId.
Task make_task(const Plan& plan, const Step& step, const Binding& binding,
               std::span<std::byte* const> slabs);
void perform(const Task& task, const Kernels& kernels);
/// Makes the completion one of a step that failed.
void fail(Completion& completion, const char* text) noexcept;
/// The same as perform(); what it throws becomes the completion's code and text.
void attempt(const Task& task, const Kernels& kernels, Completion& completion) noexcept;

}  // namespace gemmill
