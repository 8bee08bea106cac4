// SPDX-License-Identifier: Apache-2.0
#include "api/blas/report.hpp"

#include <gtest/gtest.h>

namespace gemmill::blas {
namespace {

using ::testing::Test;

Level3Args call(Routine routine, Type type, index_t n) {
    Level3Args x;
    x.routine = routine;
    x.type = type;
    x.m = x.n = x.k = n;
    return x;
}

class BlasReport : public Test {
  protected:
    BlasReport() { forget(); }
};

TEST_F(BlasReport, is_empty_without_calls) { EXPECT_EQ(report_text("nothing"), ""); }

TEST_F(BlasReport, counts_calls_by_routine_size_and_place) {
    for (int i = 0; i < 3; ++i) note(call(Routine::gemm, Type::d, 60), CallPlace::host, 1e-5);
    note(call(Routine::gemm, Type::d, 60), CallPlace::devices, 1e-5);
    note(call(Routine::gemm, Type::d, 65), CallPlace::host, 1e-5);
    note(call(Routine::trsm, Type::z, 20000), CallPlace::devices, 2);
    const std::string text = report_text("  the setting\n");
    EXPECT_EQ(calls_noted(), 6);
    EXPECT_NE(text.find("made 6 calls of level-3 BLAS, 2 s in them\n  the setting\n"),
              std::string::npos)
        << text;
    const auto line = [&](const char* start) {
        const auto at = text.find(start);
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_NE(line("dgemm    to 64 ").find("        4         3          1"), std::string::npos)
        << text;
    EXPECT_NE(line("dgemm    to 256").find("        1         1          0"), std::string::npos)
        << text;
    EXPECT_NE(line("ztrsm    larger").find("        1         0          1"), std::string::npos)
        << text;
}

/// A second for a product that an H200 does in milliseconds.
TEST_F(BlasReport, tells_what_a_gpu_would_have_gained) {
    note(call(Routine::gemm, Type::d, 3000), CallPlace::host, 1);
    const std::string gain = report_text("");
    EXPECT_NE(gain.find("x faster"), std::string::npos) << gain;
    EXPECT_NE(gain.find("machine 'h200' would have saved 9"), std::string::npos) << gain;
    forget();
    note(call(Routine::gemm, Type::d, 8), CallPlace::host, 1e-7);
    const std::string none = report_text("");
    EXPECT_NE(none.find("would have saved nothing"), std::string::npos) << none;
}

}  // namespace
}  // namespace gemmill::blas
