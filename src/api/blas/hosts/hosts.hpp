// SPDX-License-Identifier: Apache-2.0
// The libraries that do what stays on the host: one for each family of names.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "api/blas/family.hpp"

namespace gemmill::blas {

class Hosts {
  public:
    /// nullptr before open().
    const HostLibrary* find(Family family) const noexcept {
        return ready_[static_cast<std::size_t>(family)].load(std::memory_order_acquire);
    }
    /// Chooses the library of a family: the one that is `named`; or the one that the program
    /// brought under these names, if it is a fast one; or the OpenBLAS of this system; or whatever
    /// the program brought. It is never closed. Where none can be had, one without functions.
    /// `fault` becomes what was not as asked for. Not for several threads at once.
    const HostLibrary& open(Family family, const std::string& named, std::string& fault);

    /// What they are, for people.
    std::string names() const;

  private:
    std::array<std::atomic<const HostLibrary*>, family_names.size()> ready_{};
};

}  // namespace gemmill::blas
