// SPDX-License-Identifier: Apache-2.0
// Memory of the host in which kernels leave notices, and marks by which these are told apart.
#pragma once

#include "kernel/batch_distances.hpp"

namespace gemmill {

/// A number that no call of the process has had lately.
unsigned next_mark();

/// A notice that kernels of all devices can write, kept for a later owner at the end. Kernels of an
/// earlier owner may still write to it: what it says must be a guess that is verified.
class OwnNotice {
  public:
    OwnNotice() = default;
    ~OwnNotice();
    OwnNotice(const OwnNotice&) = delete;
    OwnNotice& operator=(const OwnNotice&) = delete;

    /// Null: there is no memory for it.
    BatchNotice* get();
    /// Whether a call with that mark has answered: then what it found can be read.
    bool has_answer(unsigned mark) const;
    unsigned last_refuted() const;

  private:
    BatchNotice* notice_ = nullptr;
};

}  // namespace gemmill
