// SPDX-License-Identifier: Apache-2.0
#include "backend/perform.hpp"

#include <gtest/gtest.h>

#include "base/routine.hpp"
#include "plan/ops.hpp"

namespace gemmill::test {
namespace {

/// Each kernel of level 3 has the name of the routine that does it on the host.
TEST(Perform, a_kernel_is_a_call_of_the_host_blas_and_back) {
    for (std::size_t r = 0; r < routine_names.size(); ++r) {
        Level3Args call;
        call.routine = static_cast<Routine>(r);
        call.m = 3, call.ldc = 17, call.uplo = Uplo::Upper, call.alpha = {2, 1};
        const KernelArgs kernel = kernel_of(call);
        EXPECT_STREQ(name_of(kernel.op), name_of(call.routine));
        const Level3Args back = host_call(kernel);
        EXPECT_EQ(back.routine, call.routine);
        EXPECT_EQ(back.m, 3);
        EXPECT_EQ(back.ldc, 17);
        EXPECT_EQ(back.uplo, Uplo::Upper);
        EXPECT_EQ(back.alpha, call.alpha);
    }
}

TEST(Perform, a_border_is_cleared_below_and_beside) {
    std::vector<double> x(4 * 5, 7);
    clear_now({x.data(), 4, 2, 3, sizeof(double), 1, 2});
    for (index_t j = 0; j < 5; ++j)
        for (index_t i = 0; i < 4; ++i) {
            const bool cleared = (i == 2 && j < 3) || (i < 3 && j >= 3);
            EXPECT_EQ(x[static_cast<std::size_t>(i + 4 * j)], cleared ? 0 : 7) << i << ' ' << j;
        }
}

TEST(Perform, what_a_kernel_throws_becomes_the_text_of_its_completion) {
    Kernels kernels;
    kernels.add = [](const AddArgs&) { throw std::runtime_error("no sum"); };
    Completion completion;
    attempt({AddArgs{}, {}}, kernels, completion);
    EXPECT_EQ(completion.code, Code::failed_step);
    EXPECT_EQ(completion.text, "no sum");
    kernels.add = [](const AddArgs&) { throw 1; };
    attempt({AddArgs{}, {}}, kernels, completion);
    EXPECT_EQ(completion.text, "unknown exception");
}

}  // namespace
}  // namespace gemmill::test
