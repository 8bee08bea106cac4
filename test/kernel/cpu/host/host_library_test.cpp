// SPDX-License-Identifier: Apache-2.0
// What the table of the host BLAS holds, and what its words mean.
#include "kernel/cpu/host/host_library.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <type_traits>

#include "base/routine.hpp"
#include "kernel/cpu/host/host_call.hpp"

namespace gemmill {
namespace {

class HostLibraryTable : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { open_host_blas(""); }
};

TEST_F(HostLibraryTable, has_what_cblas_has_and_nothing_else) {
    const HostLibrary& library = host_library();
    for (std::size_t r = 0; r < routine_names.size(); ++r) {
        const auto routine = static_cast<Routine>(r);
        const bool hermitian =
            routine == Routine::hemm || routine == Routine::herk || routine == Routine::her2k;
        if (routine == Routine::gemmt) continue;  // some have it
        for (const Type type : {Type::s, Type::d, Type::c, Type::z})
            EXPECT_EQ(library.find(routine, type) != nullptr, !hermitian || is_complex(type))
                << letter_of(type) << name_of(routine);
    }
    EXPECT_FALSE(host_blas_name().empty());
}

TEST_F(HostLibraryTable, each_function_is_its_own) {
    const HostLibrary& library = host_library();
    EXPECT_NE(library.find(Routine::gemm, Type::d), library.find(Routine::gemm, Type::z));
    EXPECT_NE(library.find(Routine::trmm, Type::d), library.find(Routine::trsm, Type::d));
}

TEST_F(HostLibraryTable, the_first_one_that_was_opened_stays) {
    const std::string name = host_blas_name();
    void* const function = host_library().find(Routine::gemm, Type::d);
    EXPECT_NO_THROW(open_host_blas("/nowhere/libblas.so"));
    EXPECT_EQ(host_blas_name(), name);
    EXPECT_EQ(host_library().find(Routine::gemm, Type::d), function);
}

TEST_F(HostLibraryTable, is_called_with_integers_of_its_width) {
    double a = 3, b = 5, c = 7;
    with_width(host_library(), [&](auto zero) {
        using I = decltype(zero);
        EXPECT_EQ(sizeof(I) == 8, host_library().wide);
        const I one = 1;
        call_function(host_library().find(Routine::gemm, Type::d), CStyle::col_major,
                      CStyle::of(Op::NoTrans), CStyle::of(Op::Trans), one, one, one, 2.0,
                      static_cast<const void*>(&a), one, static_cast<const void*>(&b), one, 10.0,
                      static_cast<void*>(&c), one);
    });
    EXPECT_EQ(c, 100);
}

TEST(LoadedHostBlas, is_found_by_its_names_and_nothing_is_opened) {
    EXPECT_FALSE(loaded_host_blas({.prefix = "nobodys_", .suffix = ""}, Wanted::any));
    open_host_blas("");
    const auto fast = loaded_host_blas({}, Wanted::fast);
    ASSERT_TRUE(fast);
    EXPECT_FALSE(fast->fortran);
    EXPECT_EQ(fast->name, host_blas_name());
    EXPECT_EQ(fast->find(Routine::trsm, Type::z), host_library().find(Routine::trsm, Type::z));
}

TEST(HostLibraryWords, are_those_of_cblas) {
    EXPECT_EQ(CStyle::of(Op::NoTrans), 111);
    EXPECT_EQ(CStyle::of(Op::Trans), 112);
    EXPECT_EQ(CStyle::of(Op::ConjTrans), 113);
    EXPECT_EQ(CStyle::of(Uplo::Upper), 121);
    EXPECT_EQ(CStyle::of(Uplo::Lower), 122);
    EXPECT_EQ(CStyle::of(Diag::NonUnit), 131);
    EXPECT_EQ(CStyle::of(Diag::Unit), 132);
    EXPECT_EQ(CStyle::of(Side::Left), 141);
    EXPECT_EQ(CStyle::of(Side::Right), 142);
    const std::complex<float> z{1, 2};
    static_assert(std::is_same_v<decltype(CStyle::factor(z)), const void*>);
    EXPECT_EQ(CStyle::factor(z), &z);
    static_assert(std::is_same_v<decltype(CStyle::factor(2.0)), double>);
}

/// A size and a leading dimension that 32 bits can say, and their successors that they cannot.
TEST(HostLibraryWords, limits_are_those_of_the_integers) {
    EXPECT_LE(largest_size<int>, std::numeric_limits<int>::max());
    EXPECT_EQ(largest_ld<int>, std::numeric_limits<int>::max());
    EXPECT_GT(largest_size<index_t>, largest_ld<int>);
}

}  // namespace
}  // namespace gemmill
