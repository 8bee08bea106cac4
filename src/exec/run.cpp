// SPDX-License-Identifier: Apache-2.0
#include "exec/run.hpp"

#include <cstring>
#include <utility>

#include "exec/outcome.hpp"

namespace gemmill {

void Backend::copy(void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); }

std::int64_t Backend::room(MemoryId memory) const {
    return machine().memories[static_cast<std::size_t>(memory)].capacity;
}

Timeline run(const Plan& plan, Backend& backend, const Binding& binding) {
    Outcome outcome = carry_out(plan, backend, binding);
    require_complete(plan, outcome);
    return std::move(outcome.times);
}

void run_untimed(const Plan& plan, Backend& backend, const Binding& binding) {
    Binding untimed = binding;
    untimed.timed = false;
    require_complete(plan, carry_out(plan, backend, untimed));
}

}  // namespace gemmill
