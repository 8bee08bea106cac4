// SPDX-License-Identifier: Apache-2.0
// Whether a large result of level 3 is right, by a random vector and all cores.
#pragma once

#include <complex>
#include <vector>

#include "kernel/kernel.hpp"

namespace gemmill::command {

/// Any routine, also gemm, with any flags and of any type. What is right is worked out once, from
/// the matrices before the call. Sums are in double.
class Level3Check {
  public:
    explicit Level3Check(const Level3Args& before);
    /// The error of the result in c, in units of what rounding may do: 1 or less is right.
    double error(const Level3Args& after) const;

  private:
    std::vector<double> x_;
    std::vector<std::complex<double>> right_;
};

}  // namespace gemmill::command
