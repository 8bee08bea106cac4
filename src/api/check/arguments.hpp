// SPDX-License-Identifier: Apache-2.0
// The arguments of a call of level 3: which cannot be meant, and what a row-major call means.
#pragma once

#include "gemmill/context.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// Position, in the list of the Fortran routine, of the first argument that cannot be meant, in
/// netlib's order; 0: all can. A leading dimension with which a matrix would have 2^63 bytes or
/// more cannot. Pointers are not looked at.
int first_fault(const Level3Args& call) noexcept;

/// Makes of a call whose matrices are stored by rows the column-major call that does the same:
/// every matrix is then seen as its transpose.
void transpose(Level3Args& call) noexcept;

/// The place of an argument of a transposed call in the call that was transposed.
GEMMILL_API int transposed_position(Routine routine, int position) noexcept;

/// Throws Error(bad_argument) that names the argument at a position as the C++ interface does, and
/// says what it must be. `call` is as first_fault() saw it.
[[noreturn]] void refuse(const Level3Args& call, Layout layout, int position);

/// Throws Error(bad_argument) when a matrix that the call reads or writes is null.
void check_pointers(const Level3Args& call, Layout layout);
/// The same when one lies in memory that the context allocated, and not all of it does.
void check_blocks(const Level3Args& call, Layout layout, const Context::State& state);

/// Whether the call reads A, and B where there is one.
bool multiplies(const Level3Args& call) noexcept;
/// Whether the call leaves everything as it is.
bool is_nothing(const Level3Args& call) noexcept;

}  // namespace gemmill
