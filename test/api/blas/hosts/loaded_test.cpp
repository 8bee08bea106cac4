// SPDX-License-Identifier: Apache-2.0
#include "api/blas/hosts/loaded.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gemmill::blas {
namespace {

TEST(LoadedBlas, names_of_the_drop_in_are_known) {
    for (const char* name : {"dgemm_", "sgemm", "cblas_dgemm", "dgemm_64_", "cblas_sgemm64_",
                             "scipy_dgemm_", "scipy_cblas_dgemm64_", "cblas_dgemm_64"}) {
        EXPECT_TRUE(is_known_name(name)) << name;
        EXPECT_FALSE(is_renamed(name)) << name;
    }
}

TEST(LoadedBlas, other_names_of_the_same_routines_are_told_from_their_parts) {
    for (const char* name : {"foo_dgemm_", "mkl_blas_dgemm", "bli_sgemm", "my_cblas_dgemm64_"})
        EXPECT_TRUE(is_renamed(name)) << name;
    for (const char* name :
         {"dgemm_kernel_HASWELL", "dgemm_nn", "_ZN2at5dgemmEv", "rocblas_dgemm", "cublasDgemm_v2",
          "gemm", "gemmill_dgemm", "dgemmt_", "scipy_cblas_dgemm_batch64_"}) {
        EXPECT_FALSE(is_renamed(name)) << name;
        EXPECT_FALSE(is_known_name(name)) << name;
    }
}

const LoadedBlas* find(const std::vector<LoadedBlas>& all, const std::string& file) {
    const auto found = std::ranges::find(all, file, &LoadedBlas::file);
    return found == all.end() ? nullptr : &*found;
}

TEST(LoadedBlas, the_drop_ins_own_libraries_are_left_out) {
    ASSERT_NE(::dlopen(GEMMILL_BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
    for (const LoadedBlas& blas : loaded_blas())
        EXPECT_EQ(blas.file.find("gemmill"), std::string::npos) << blas.file;
}

TEST(LoadedBlas, is_seen_in_this_process) {
    ASSERT_NE(::dlopen(GEMMILL_RENAMED_BLAS, RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
    const std::vector<LoadedBlas> all = loaded_blas();
    const LoadedBlas* const known = find(all, "librenamed_blas.so");
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->reach, BlasReach::known) << "one of its names is the drop-in's too";
    EXPECT_EQ(find(all, "libc.so.6"), nullptr);
}

}  // namespace
}  // namespace gemmill::blas
