// SPDX-License-Identifier: Apache-2.0
// Groups of products as batches.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/check.hpp"

namespace gemmill {

/// `all` describes group g where a batch describes product g; its arrays of pointers go on through
/// all groups.
struct Groups {
    index_t count = 0;
    const index_t* sizes = nullptr;
    Batch all;
};

/// Throws Error(bad_argument) naming an array that is missing, or groups of more products than
/// arrays can have. What is in the arrays is not looked at, but for what tells whether they are
/// needed.
void check_groups(Layout layout, const Groups& groups);

/// The first bad argument of a group; pointers are not looked at.
BatchArgument bad_group(const Groups& groups, index_t g);

/// Sets what mode wants of info: 0, or minus an argument's number. The first bad group, or -1.
index_t report_groups(Layout layout, const Groups& groups, BatchInfo mode, std::int64_t* info);

/// Products of all groups.
index_t product_count(const Groups& groups);
/// Group g as a batch of one shape; its first product is number `first` of all.
Batch group_of(const Groups& groups, index_t g, index_t first);

/// All groups as one batch of many shapes. The arrays live as long as it does.
class Expanded {
  public:
    explicit Expanded(const Groups& groups);
    const Batch& batch() const { return batch_; }

  private:
    std::vector<Op> op_a_, op_b_;
    std::vector<index_t> m_, n_, k_, lda_, ldb_, ldc_;
    std::vector<std::byte> alpha_, beta_;
    Batch batch_;
};

}  // namespace gemmill
