// SPDX-License-Identifier: Apache-2.0
// Parts of Gemmill that are opened only when they are needed, and may not be there.
#pragma once

#include <string>

#include "gemmill/machine.hpp"

namespace gemmill {

/// The GPUs that the CUDA part sees, as records of a machine file that expect a memory called host.
/// Empty when there is no CUDA part, no driver or no GPU; `why` then says which.
std::string probe_gpus(std::string& why);

/// The host with the GPUs of this node.
Machine with_gpus(const Machine& host, std::string& why);

}  // namespace gemmill
