// SPDX-License-Identifier: Apache-2.0
// The one way of a call through the library: check -> describe -> plan -> run.
#pragma once

#include "gemmill/context.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// A call of the C++ interface, in its layout: checked, and then run.
void call_level3(Context& context, Layout layout, const Level3Args& call);

/// A checked column-major call: on the host BLAS or on the devices of the context. Whether it was
/// on devices.
GEMMILL_API bool run_call(Context& context, const Level3Args& call);

/// The same, but a call that is for the host is not done: false.
bool run_on_devices(Context& context, const Level3Args& call);

/// The call as a problem.
Problem describe(const Context& context, const Level3Args& call);

}  // namespace gemmill
