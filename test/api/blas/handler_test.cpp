// SPDX-License-Identifier: Apache-2.0
// Who is told of bad arguments. Programs with handlers of their own are in test/dropin.
#include "api/blas/handler.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace gemmill::blas {
namespace {

struct Told {
    char name[16] = {};
    std::int64_t position = 0;
};

/// A library with handlers for two families, which is loaded for itself alone.
class Handler : public ::testing::Test {
  protected:
    Handler() : library_(::dlopen(GEMMILL_RENAMED_BLAS, RTLD_NOW | RTLD_LOCAL)) {}
    template <class T>
    T* find(const char* name) const {
        return reinterpret_cast<T*>(::dlsym(library_, name));
    }
    void* library_;
};

TEST_F(Handler, of_the_calling_library_is_found_and_told_as_fortran_does) {
    const auto* const told = find<Told>("told");
    ASSERT_NE(told, nullptr);
    const void* const inside = find<void>("foo_dgemm_");
    EXPECT_TRUE(tell_xerbla(Family::narrow, "dgemm", 8, inside));
    EXPECT_STREQ(told->name, "DGEMM ");
    EXPECT_EQ(told->position, 8);
    EXPECT_TRUE(tell_xerbla(Family::wheel_wide, "dgemmtr", 4, inside));
    EXPECT_STREQ(told->name, "DGEMMTR");
    EXPECT_EQ(told->position, 4);
    EXPECT_TRUE(tell_cblas_xerbla(Family::narrow, "cblas_dsyrk", 8, inside));
    EXPECT_STREQ(told->name, "cblas_dsyrk");
}

TEST_F(Handler, is_nobody_where_neither_program_nor_caller_has_one) {
    const int here = 0;
    EXPECT_FALSE(tell_xerbla(Family::narrow, "dgemm", 8, &here));
    EXPECT_FALSE(tell_cblas_xerbla(Family::narrow, "cblas_dgemm", 8, &here));
    EXPECT_FALSE(tell_xerbla(Family::suffixed, "dgemm", 8, find<void>("foo_dgemm_")));
}

/// The CBLAS handler of OpenBLAS ends the program.
TEST_F(Handler, of_a_blas_itself_is_not_the_programs) {
    const void* const inside = find<void>("scipy_cblas_dgemm64_");
    ASSERT_NE(inside, nullptr);
    EXPECT_FALSE(tell_cblas_xerbla(Family::wheel_wide, "cblas_dgemm", 8, inside));
}

}  // namespace
}  // namespace gemmill::blas
