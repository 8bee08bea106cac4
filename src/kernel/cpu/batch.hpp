// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/batch_part.hpp"
#include "kernel/cpu/team.hpp"

namespace gemmill {

/// All products, by all threads of the team, one product a thread at a time. Large ones, and those
/// of a batch that would leave threads idle, go to the host BLAS one after the other, which then
/// has the threads; needs open_host_blas().
void host_batch(const Batch& batch, Team& team);

}  // namespace gemmill
