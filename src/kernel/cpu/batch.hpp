// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gemmill/batch.hpp"
#include "kernel/cpu/team.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// Product i of a batch whose arrays are in host memory.
GemmArgs product_of(const Batch& batch, index_t i);

/// All products, by all threads of the team, one product a thread at a time. Large ones go to the
/// host BLAS one after the other, which then has the threads; needs open_host_blas().
void host_batch(const Batch& batch, Team& team);

}  // namespace gemmill
