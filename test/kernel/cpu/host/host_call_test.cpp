// SPDX-License-Identifier: Apache-2.0
// A BLAS that is called by its Fortran names: netlib's, loaded as a program would.
#include "kernel/cpu/host/host_call.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/cpu/host/host_level3.hpp"
#include "support/level3_call.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

namespace fs = std::filesystem;

/// Debian's; empty when it is not installed.
std::string netlib(const char* name) {
    for (const auto& folder : fs::directory_iterator("/usr/lib")) {
        std::error_code error;
        const fs::path path = folder.path() / name;
        if (fs::exists(path, error)) return path;
    }
    return "";
}

void sweep(const HostLibrary& library) {
    for (const Routine routine : all_routines) {
        Random random(static_cast<std::uint64_t>(routine) + 1);
        for (int i = 0; i < affordable(200); ++i) {
            Level3Call c = random_level3(random, routine, 30);
            c.layout = Layout::ColMajor;
            Level3Operands x(c, random);
            host_level3(x.args(), library);
            ASSERT_TRUE(x.check()) << "case " << i;
        }
    }
}

void check_by_fortran(const char* name, bool wide) {
    const std::string path = netlib(name);
    if (path.empty()) GTEST_SKIP() << "no netlib BLAS";
    ASSERT_NE(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
    EXPECT_FALSE(loaded_host_blas({}, Wanted::fast)) << "netlib's is not";
    const auto library = loaded_host_blas({}, Wanted::any);
    ASSERT_TRUE(library);
    EXPECT_TRUE(library->fortran);
    EXPECT_EQ(library->wide, wide);
    sweep(*library);
}

/// Whether it ran in a process that has loaded no BLAS yet.
bool ran_where_nothing_is_loaded() {
    if (ran_in_own_process()) return true;
    if (!loaded_host_blas({}, Wanted::any)) return false;
    run_in_own_process();
    return true;
}

TEST(HostCall, by_fortran_names_agrees_with_the_loops) {
    if (ran_where_nothing_is_loaded()) return;
    check_by_fortran("blas/libblas.so.3", false);
}

TEST(HostCall, by_fortran_names_with_integers_of_64_bits) {
    if (ran_where_nothing_is_loaded()) return;
    check_by_fortran("blas64/libblas64.so.3", true);
}

TEST(HostCall, what_a_library_lacks_is_left_to_the_loops) { sweep(HostLibrary{}); }

}  // namespace
}  // namespace gemmill::test
