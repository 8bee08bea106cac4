// SPDX-License-Identifier: Apache-2.0
#include "api/call.hpp"

#include <array>
#include <numeric>

#include "api/check/arguments.hpp"
#include "api/state.hpp"
#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_level3.hpp"
#include "machine/grain.hpp"
#include "machine/reach.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Of matrices on a device the part of their leading dimensions that makes kernels fast there.
/// These are few values: calls on parts of one matrix have plans in common.
void describe_pitch(const Machine& machine, const Level3Args& call, Problem& p) {
    const std::array ld{call.lda, call.ldb, call.ldc};
    for (std::size_t o = 0; o < ld.size(); ++o) {
        const Shape shape = stored_shape(p, static_cast<OperandId>(o));
        const bool in_host = is_host(machine, p.home[o]);
        if (in_host || shape.cols == 0 || ld[o] == shape.rows) continue;
        p.pitch[o] = std::gcd(ld[o], coarsest_grain);
    }
}

Problem describe(const Context::State& state, const Level3Args& call) {
    Problem p =
        problem_of(call, {state.locate(call.a), state.locate(call.b), state.locate(call.c)});
    if (!state.direct()) describe_pitch(state.backend->machine(), call, p);
    return p;
}

}  // namespace

Problem describe(const Context& context, const Level3Args& call) {
    return describe(*context.use(), call);
}

bool run_on_devices(Context& context, const Level3Args& call) {
    const auto state = context.use();
    if (state->direct() || is_nothing(call)) return false;
    const Problem problem = describe(*state, call);
    if (state->prefers_host(problem)) return false;
    run_problem(*state, problem,
                {{call.a, call.b, call.c}, {call.lda, call.ldb, call.ldc}, call.alpha, call.beta});
    return true;
}

bool run_call(Context& context, const Level3Args& call) {
    if (run_on_devices(context, call)) return true;
    if (!is_nothing(call)) host_level3(call);
    return false;
}

void call_level3(Context& context, Layout layout, const Level3Args& call) {
    const auto state = context.use();
    const bool columns = layout == Layout::ColMajor;
    if (!columns && layout != Layout::RowMajor)
        throw Error(Code::bad_argument, std::string(name_of(call.routine)) + ": layout is no flag",
                    "layout: ColMajor or RowMajor");
    Level3Args x = call;
    if (!columns) transpose(x);
    if (const int fault = first_fault(x)) refuse(x, layout, fault);
    check_pointers(x, layout);
    check_blocks(x, layout, *state);
    run_call(context, x);
}

}  // namespace gemmill
