// SPDX-License-Identifier: Apache-2.0
#include "api/call.hpp"

#include "api/arguments.hpp"
#include "api/state.hpp"
#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host_level3.hpp"

namespace gemmill {
namespace {

Factor factor_of(Scalar x) {
    return x == Scalar{} ? Factor::zero : x == Scalar{1, 0} ? Factor::one : Factor::general;
}

Problem describe(const Context::State& state, const Level3Args& call) {
    Problem p;
    p.routine = call.routine;
    p.type = call.type;
    p.side = call.side;
    p.uplo = call.uplo;
    p.diag = call.diag;
    p.op_a = call.op_a;
    p.op_b = call.op_b;
    p.m = call.m;
    p.n = call.n;
    p.k = call.k;
    p.alpha = factor_of(call.alpha);
    p.beta = factor_of(call.beta);
    p.home = {state.locate(call.a), state.locate(call.b), state.locate(call.c)};
    return p;
}

}  // namespace

Problem describe(const Context& context, const Level3Args& call) {
    return describe(*context.use(), call);
}

bool run_call(Context& context, const Level3Args& call) {
    const auto state = context.use();
    if (is_nothing(call)) return false;
    if (!state->direct()) {
        const Problem problem = describe(*state, call);
        if (!state->prefers_host(problem)) {
            run_problem(
                *state, problem,
                {{call.a, call.b, call.c}, {call.lda, call.ldb, call.ldc}, call.alpha, call.beta});
            return true;
        }
    }
    host_level3(call);
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
