// SPDX-License-Identifier: Apache-2.0
// Which library does what stays on the host.
#include "api/blas/hosts/hosts.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace gemmill::blas {
namespace {

TEST(Hosts, none_is_there_before_it_is_opened) {
    const Hosts hosts;
    EXPECT_EQ(hosts.find(Family::narrow), nullptr);
    EXPECT_EQ(hosts.names(), "");
}

TEST(Hosts, each_family_has_one_of_its_width_or_one_that_can_do_it) {
    static Hosts hosts;  // what it opens is never closed
    std::string fault;
    for (const Family family :
         {Family::narrow, Family::wide, Family::suffixed, Family::wheel, Family::wheel_wide}) {
        const HostLibrary& host = hosts.open(family, "", fault);
        EXPECT_EQ(fault, "");
        EXPECT_EQ(hosts.find(family), &host);
        EXPECT_NE(host.find(Routine::gemm, Type::d), nullptr);
    }
    EXPECT_NE(hosts.names(), "");
}

TEST(Hosts, one_that_is_not_there_is_said_and_the_default_one_is_used) {
    static Hosts hosts;  // what it opens is never closed
    std::string fault;
    const HostLibrary& host = hosts.open(Family::narrow, "/nonexistent/libblas.so", fault);
    EXPECT_NE(fault.find("/nonexistent/libblas.so"), std::string::npos) << fault;
    EXPECT_NE(fault.find("the default one is used"), std::string::npos) << fault;
    EXPECT_NE(host.find(Routine::gemm, Type::d), nullptr);
}

TEST(Hosts, the_drop_in_itself_is_none) {
    static Hosts hosts;  // what it opens is never closed
    std::string fault;
    hosts.open(Family::narrow, GEMMILL_BLAS_LIBRARY, fault);
    EXPECT_NE(fault.find("is Gemmill's own"), std::string::npos) << fault;
}

}  // namespace
}  // namespace gemmill::blas
