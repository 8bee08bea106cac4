// SPDX-License-Identifier: Apache-2.0
// What is wrong with a batch.
#pragma once

#include "base/extent.hpp"
#include "gemmill/batch.hpp"

namespace gemmill {

/// The arguments of one product in the order in which they are checked, BLAS's own; the numbers are
/// places in the list of gemm_groups, where group_sizes is 2.
enum class BatchArgument : int {
    none = 0,
    group_sizes = 2,
    op_a = 3,
    op_b = 4,
    m = 5,
    n = 6,
    k = 7,
    alpha = 8,
    a = 9,
    lda = 10,
    b = 11,
    ldb = 12,
    beta = 13,
    c = 14,
    ldc = 15,
};
const char* name_of(BatchArgument argument);

/// What a product is, without its matrices' elements.
struct ProductShape {
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 0, n = 0, k = 0, lda = 1, ldb = 1, ldc = 1;
    Type type = Type::d;
};
ProductShape shape_of(const Batch& batch, index_t i);
/// Whether anything is not the same for all products, or at equal distances.
bool has_arrays(const Batch& batch);
/// Whether what all products share says that the batch leaves everything as it is.
bool is_nothing(const Batch& batch);
/// Of its matrix a, b or c.
StoredSize stored_size(const ProductShape& shape, BatchArgument matrix);

/// The first bad argument of a product, or none; a leading dimension is bad, too, with which a
/// matrix would have 2^63 bytes or more. Pointers are not looked at.
BatchArgument bad_argument(const ProductShape& shape);

/// The batch of the transposed matrices: a row-major one is a column-major one of these.
Batch transposed(const Batch& batch);
/// What an argument of the transposed batch was called.
BatchArgument transposed(BatchArgument argument);

// The batch is column-major by now; the layout that the call had says how things were called.

/// Throws Error(bad_argument) naming what all products share and is bad: what is in no array,
/// arrays that are missing, and distances of matrices.
void check_shared(Layout layout, const Batch& batch);
/// Throws Error(bad_argument) naming the first bad product, pointers too. Arrays are on the host.
void check_products(Layout layout, const Batch& batch);
/// "product 17: lda is bad".
[[noreturn]] void refuse_product(Layout layout, index_t i, BatchArgument argument);

}  // namespace gemmill
