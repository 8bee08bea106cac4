// SPDX-License-Identifier: Apache-2.0
// All of Gemmill for C++.
#pragma once

#include "gemmill/batch.hpp"
#include "gemmill/context.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemm.hpp"
#include "gemmill/half.hpp"
#include "gemmill/level3.hpp"
#include "gemmill/machine.hpp"
#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"
#include "gemmill/types.hpp"
#include "gemmill/version.hpp"
