// SPDX-License-Identifier: Apache-2.0
// What says on the device whether a kernel is to run. No header of CUDA here.
#pragma once

namespace gemmill::batch {

/// A kernel behind a gate runs if a word in device memory has, or has not, a mark when it begins.
/// Without a word it runs in any case.
struct Gate {
    const unsigned* word = nullptr;
    unsigned mark = 0;
    bool if_marked = false;
};

}  // namespace gemmill::batch
