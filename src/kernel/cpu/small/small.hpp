// SPDX-License-Identifier: Apache-2.0
// Small products by one thread, without the cost of a BLAS call: kernels that keep a tile of C in
// vector registers, compiled for several instruction sets.
#pragma once

#include <span>

#include "kernel/kernel.hpp"

namespace gemmill {

/// A product as the kernels see it, complex numbers being two reals. A is not transposed: packed,
/// where it was. op(B)(l, j) is at b[l * step_k + j * step_n].
template <class R>
struct SmallTile {
    index_t m, n, k;
    const R* a;
    index_t ld_a;  ///< in reals, like all that follows
    const R* b;
    index_t step_k, step_n;
    bool conj_b;
    R* c;
    index_t ld_c;
    R alpha[2], beta[2];
    bool reads_c;
};

/// A product of packed factors, complex numbers being two reals. a is panels of rows of op(A), one
/// behind the other, as many rows as panel_vectors of SmallKernels hold: for each of k that part of
/// a column. b is panels of columns of op(B), panel_columns each, half as many complex ones: for
/// each of k that part of a row. The last panels are filled up, whatever with.
template <class R>
struct PanelBlock {
    index_t m, n, k;
    const R* a;
    const R* b;
    R* c;
    index_t ld_c;  ///< in reals
    R alpha[2], beta[2];
    bool conj_b, reads_c;
};

/// The kernels of one instruction set.
struct SmallKernels {
    const char* name;
    int bytes;  ///< of a vector
    void (*s)(const SmallTile<float>&);
    void (*d)(const SmallTile<double>&);
    void (*c)(const SmallTile<float>&);
    void (*z)(const SmallTile<double>&);
    // Sums along k, for A that is transposed, op(A)(i, l) at a[i * ld_a + l], and a step_k of 1.
    void (*dots_s)(const SmallTile<float>&);
    void (*dots_d)(const SmallTile<double>&);
    // to(p, q) = from(q, p), m x k and without gaps, about so many elements at a time.
    int turned_at_once;
    void (*turn_d)(const double* from, index_t ld, index_t m, index_t k, double* to);
    // Of packed factors.
    int panel_vectors, panel_columns;
    void (*panels_s)(const PanelBlock<float>&);
    void (*panels_d)(const PanelBlock<double>&);
    void (*panels_c)(const PanelBlock<float>&);
    void (*panels_z)(const PanelBlock<double>&);
};
extern const SmallKernels small_plain, small_avx2, small_avx512;

/// Those that this CPU can run, the best first.
std::span<const SmallKernels* const> small_kernel_sets();

/// One product in the calling thread, of any type and shape; at its best below 256. Sums of 16-bit
/// types are floats that are rounded once.
void small_gemm(const GemmArgs& args, const SmallKernels& kernels);
/// By the best.
void small_gemm(const GemmArgs& args);

}  // namespace gemmill
