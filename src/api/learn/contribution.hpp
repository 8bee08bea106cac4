// SPDX-License-Identifier: Apache-2.0
// What the CPU made of planned calls beside GPUs.
#pragma once

#include <atomic>
#include <string>

#include "gemmill/plan.hpp"

namespace gemmill {

/// The part of a plan's flops that a CPU makes beside other devices; 0 where there is none.
double cpu_part(const Plan& plan);

/// Counts flops of calls; several threads may.
class Contribution {
  public:
    void add(const Plan& plan);
    /// Of all flops, the CPU's.
    double part() const { return all_ > 0 ? cpu_ / all_ : 0; }
    /// "the CPU made 21 % of what devices computed", or nothing where no plan had one beside GPUs.
    std::string text() const;

  private:
    std::atomic<double> all_ = 0, cpu_ = 0;
};

}  // namespace gemmill
