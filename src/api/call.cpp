// SPDX-License-Identifier: Apache-2.0
#include "api/call.hpp"

#include "api/arguments.hpp"
#include "api/state.hpp"
#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host_level3.hpp"
#include "task/call.hpp"

namespace gemmill {

Problem describe(const Context& context, const Level3Args& call) {
    return problem_of(call,
                      {context.locate(call.a), context.locate(call.b), context.locate(call.c)});
}

bool run_call(Context& context, const Level3Args& call) {
    if (is_nothing(call)) return false;
    Context::State& state = context.state();
    if (!state.direct()) {
        const Problem problem = describe(context, call);
        if (!state.prefers_host(problem)) {
            run_problem(
                state, problem,
                {{call.a, call.b, call.c}, {call.lda, call.ldb, call.ldc}, call.alpha, call.beta});
            return true;
        }
    }
    host_level3(call);
    return false;
}

void call_level3(Context& context, Layout layout, const Level3Args& call) {
    const bool columns = layout == Layout::ColMajor;
    if (!columns && layout != Layout::RowMajor)
        throw Error(Code::bad_argument, std::string(name_of(call.routine)) + ": layout is no flag",
                    "layout: ColMajor or RowMajor");
    Level3Args x = call;
    if (!columns) transpose(x);
    if (const int fault = first_fault(x)) refuse(x, layout, fault);
    check_pointers(x, layout);
    run_call(context, x);
}

}  // namespace gemmill
