// SPDX-License-Identifier: Apache-2.0
// The batches that `gemmill bench batch` makes, and what it looks at.
#pragma once

#include <complex>

#include "bench/batch/batch.hpp"

namespace gemmill::command {

inline constexpr Scalar batch_alpha{1.1, 0}, batch_beta{0.9, 0};

/// Sizes and places of all products, in elements; those of one product where all are alike.
struct BatchBench::Layout {
    using Sizes = std::vector<index_t>;
    bool varies = false;
    Sizes m, n, k, lda, ldb, ldc, a, b, c;
    Batch here;         ///< arrays on the host
    Batch there;        ///< arrays where the matrices are
    Batch by_pointers;  ///< the same matrices
    std::vector<const void*> of_a, of_b, of_c;

    index_t size(const Sizes& of, index_t i) const {
        return of[varies ? static_cast<std::size_t>(i) : 0];
    }
    index_t place(const Sizes& of, index_t i) const {
        return varies ? of[static_cast<std::size_t>(i)] : i * of[1];
    }
    /// From the first C to the end of the last.
    std::size_t bytes_of_c() const {
        return static_cast<std::size_t>(place(c, here.count) * bytes_of(here.type));
    }
};

/// A product and what its C must become; `size` is what errors are measured by.
struct BatchBench::Looked {
    index_t product;
    std::vector<std::complex<double>> want;
    std::vector<double> size;
};

}  // namespace gemmill::command
