// SPDX-License-Identifier: Apache-2.0
// Whether MPI takes memory of GPUs.
#pragma once

#include <string>

namespace gemmill {

/// "1" and "0" say it, "auto" asks the MPI of this process. Throws Error(bad_argument) for others.
bool is_gpu_aware(const std::string& asked);

}  // namespace gemmill
