// SPDX-License-Identifier: Apache-2.0
// A batch for several devices: who makes which products.
#pragma once

#include <span>
#include <vector>

#include "gemmill/batch.hpp"
#include "kernel/batch_part.hpp"

namespace gemmill {

/// What a product moves and computes.
struct ProductCost {
    double flops = 0, in = 0, out = 0;  ///< bytes read and written
};
ProductCost cost_of(const GemmArgs& product);

/// Who makes products: flop/s, and bytes/s to and from where it computes.
struct BatchWorker {
    double flops = 1, in = 1, out = 1;
};
/// Of all products of a batch with arrays on the host, one after the other; what is read, computed
/// and written overlaps.
double seconds_of(const BatchWorker& worker, const Batch& batch);

/// Products bounds[w] to bounds[w + 1] are worker w's: as much of the work as it has of the speed.
/// Arrays are on the host.
std::vector<index_t> deal(const Batch& batch, std::span<const BatchWorker> workers);

/// Some products of a batch as one of their own; its arrays, copied from the host, live as long as
/// it does.
class Picked {
  public:
    Picked(const Batch& all, std::span<const index_t> products);
    Picked(const Picked&) = delete;
    Picked& operator=(const Picked&) = delete;
    const Batch& batch() const { return batch_; }

  private:
    std::vector<Op> op_a_, op_b_;
    std::vector<index_t> m_, n_, k_, lda_, ldb_, ldc_;
    std::vector<const void*> a_, b_, c_;
    std::vector<std::byte> alpha_, beta_;
    Batch batch_;
};

}  // namespace gemmill
