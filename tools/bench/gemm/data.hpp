// SPDX-License-Identifier: Apache-2.0
// Matrices for measuring: random, made by all cores, made once for many cases.
#pragma once

#include <vector>

#include "bench/gemm/cases.hpp"
#include "gemmill/context.hpp"
#include "kernel/kernel.hpp"
#include "random/arrays.hpp"

namespace gemmill::command {

/// A, B and C wherever cases want them, with room for the largest case.
class BenchData {
  public:
    /// The context outlives it.
    BenchData(Context& context, const std::vector<BenchCase>& cases);

    /// The call of a case; A and B are filled.
    GemmArgs place(const BenchCase& one);
    /// Makes C what it was first.
    void reset(const BenchCase& one);
    /// The call with all matrices on the host, and with C as it is now.
    GemmArgs on_host(const BenchCase& one);

  private:
    static Where host_of(const BenchCase& one) {
        return one.pinned ? Where::pinned : Where::pageable;
    }
    /// Where the host has an operand, and where the case has it.
    std::byte* host(const BenchCase& one, std::size_t operand);
    std::byte* home(const BenchCase& one, std::size_t operand);
    void send(const BenchCase& one, std::size_t operand);

    Context& context_;
    BenchArrays arrays_;
};

}  // namespace gemmill::command
