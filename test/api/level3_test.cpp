// SPDX-License-Identifier: Apache-2.0
// Every routine and flag through the C++ and the C interface against the loops, and calls that
// cannot be meant.
#include <gtest/gtest.h>

#include <string>

#include "api/level3_calls.hpp"
#include "support/output.hpp"

namespace gemmill::test {
namespace {

// Where plans of all routines are run; the host BLAS is "cpu".
const char* const devices_of_level3[] = {"cpu", "cpu:1", "cpu:2", "cpu:3", "cpu:4"};

struct Setting {
    std::string devices;
    Routine routine;
};
void PrintTo(const Setting& s, std::ostream* out) { *out << s.devices << name_of(s.routine); }

std::vector<Setting> settings() {
    std::vector<Setting> all;
    for (const char* devices : devices_of_level3)
        for (const Routine routine : all_routines) all.push_back({devices, routine});
    return all;
}

Options options_of(const std::string& devices) {
    Options options;
    options.devices = devices;
    if (devices != "cpu") options.tile = 7, options.validate = true;
    return options;
}

class Level3 : public ::testing::TestWithParam<Setting> {};

TEST_P(Level3, agrees_with_the_loops) {
    Context context(options_of(GetParam().devices));
    Random random(static_cast<std::uint64_t>(GetParam().routine) + 100);
    const bool host = GetParam().devices == "cpu";
    for (int i = 0; i < affordable(host ? 1000 : 300); ++i) {
        Level3Operands x(random_level3(random, GetParam().routine, host ? 50 : 30), random);
        call_cpp(context, x.call().layout, x.args());
        ASSERT_TRUE(x.check()) << "case " << i;
    }
}

TEST_P(Level3, agrees_from_c) {
    const std::string& devices = GetParam().devices;
    const char* names[] = {"devices", "tile"};
    const char* values[] = {devices.c_str(), devices == "cpu" ? "0" : "11"};
    gemmill_context* context = nullptr;
    ASSERT_EQ(gemmill_create_with(&context, names, values, 2), GEMMILL_OK) << gemmill_message();
    Random random(static_cast<std::uint64_t>(GetParam().routine) + 200);
    for (int i = 0; i < affordable(200); ++i) {
        Level3Operands x(random_level3(random, GetParam().routine, 30), random);
        ASSERT_EQ(call_c(context, x.call().layout, x.args()), GEMMILL_OK) << gemmill_message();
        ASSERT_TRUE(x.check()) << "case " << i;
    }
    gemmill_destroy(context);
}

INSTANTIATE_TEST_SUITE_P(, Level3, ::testing::ValuesIn(settings()), [](const auto& setting) {
    std::string devices = setting.param.devices;
    std::erase(devices, ':');
    return devices + "_" + name_of(setting.param.routine);
});

// --- calls that cannot be meant -----------------------------------------------------------------

struct Bad {
    const char* named;
    void (*spoil)(Level3Args&, Layout&);
};

constexpr Bad layout_row{"layout", [](Level3Args&, Layout& l) { l = static_cast<Layout>('X'); }};
constexpr Bad side_row{"side", [](Level3Args& x, Layout&) { x.side = static_cast<Side>('X'); }};
constexpr Bad uplo_row{"uplo", [](Level3Args& x, Layout&) { x.uplo = static_cast<Uplo>(0); }};
constexpr Bad diag_row{"diag", [](Level3Args& x, Layout&) { x.diag = static_cast<Diag>('x'); }};
constexpr Bad op_row{"op", [](Level3Args& x, Layout&) { x.op_a = static_cast<Op>('X'); }};
constexpr Bad op_a_row{"op_a", [](Level3Args& x, Layout&) { x.op_a = static_cast<Op>('X'); }};
constexpr Bad op_b_row{"op_b", [](Level3Args& x, Layout&) { x.op_b = static_cast<Op>('n'); }};
constexpr Bad m_row{"m", [](Level3Args& x, Layout&) { x.m = -1; }};
constexpr Bad n_row{"n", [](Level3Args& x, Layout&) { x.n = -3; }};
constexpr Bad k_row{"k", [](Level3Args& x, Layout&) { x.k = -1; }};
constexpr Bad lda_row{"lda", [](Level3Args& x, Layout&) { x.lda = 3; }};
constexpr Bad ldb_row{"ldb", [](Level3Args& x, Layout&) { x.ldb = 3; }};
constexpr Bad ldc_row{"ldc", [](Level3Args& x, Layout&) { x.ldc = 3; }};
constexpr Bad ld_of_b_row{"ldb", [](Level3Args& x, Layout&) { x.ldc = 3; }};
constexpr Bad a_row{"a", [](Level3Args& x, Layout&) { x.a = nullptr; }};
constexpr Bad b_row{"b", [](Level3Args& x, Layout&) { x.b = nullptr; }};
constexpr Bad c_row{"c", [](Level3Args& x, Layout&) { x.c = nullptr; }};
constexpr Bad c_as_b_row{"b", [](Level3Args& x, Layout&) { x.c = nullptr; }};

/// The arguments of a routine in the order in which they are checked.
std::vector<Bad> rows_of(Routine routine) {
    switch (routine) {
        case Routine::gemm:
            return {layout_row, op_a_row, op_b_row, m_row, n_row, k_row,
                    lda_row,    ldb_row,  ldc_row,  a_row, b_row, c_row};
        case Routine::gemmt:
            return {layout_row, uplo_row, op_a_row, op_b_row, n_row, k_row,
                    lda_row,    ldb_row,  ldc_row,  a_row,    b_row, c_row};
        case Routine::symm:
        case Routine::hemm:
            return {layout_row, side_row, uplo_row, m_row, n_row, lda_row,
                    ldb_row,    ldc_row,  a_row,    b_row, c_row};
        case Routine::syrk:
        case Routine::herk:
            return {layout_row, uplo_row, op_row, n_row, k_row, lda_row, ldc_row, a_row, c_row};
        case Routine::syr2k:
        case Routine::her2k:
            return {layout_row, uplo_row, op_row, n_row, k_row, lda_row,
                    ldb_row,    ldc_row,  a_row,  b_row, c_row};
        default:
            return {layout_row, side_row, uplo_row,    op_row, diag_row,  m_row,
                    n_row,      lda_row,  ld_of_b_row, a_row,  c_as_b_row};
    }
}

class Level3Errors : public ::testing::TestWithParam<Routine> {
  protected:
    Level3Args args() {
        Level3Args x;
        x.routine = GetParam();
        x.type = Type::z;
        x.m = x.n = x.k = 4;
        x.alpha = {1, 0};
        x.a = x.b = a_.data();
        x.c = c_.data();
        x.lda = x.ldb = x.ldc = 4;
        return x;
    }
    /// The text of the error of a call; empty when there was none.
    std::string error_of(Layout layout, const Level3Args& x) {
        Options options;
        options.devices = "cpu";
        Context context(options);
        try {
            call_cpp(context, layout, x);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::bad_argument);
            return error.text();
        }
        return "";
    }
    std::string expected(const Bad& row) {
        return std::string(name_of(GetParam())) + ": " + row.named + " is";
    }

    std::vector<std::complex<double>> a_ = std::vector<std::complex<double>>(64, 1.0), c_ = a_;
};

TEST_P(Level3Errors, a_bad_argument_is_named_in_both_layouts_and_nothing_is_written) {
    for (const Layout good : {Layout::ColMajor, Layout::RowMajor})
        for (const Bad& row : rows_of(GetParam())) {
            Level3Args x = args();
            Layout layout = good;
            row.spoil(x, layout);
            const auto before = c_;
            std::string text;
            EXPECT_EQ(output_of([&] { text = error_of(layout, x); }), "");
            EXPECT_EQ(text.rfind(expected(row), 0), 0U) << text << " for " << row.named;
            EXPECT_EQ(c_, before);
        }
}

TEST_P(Level3Errors, the_first_bad_argument_is_the_one_named) {
    const std::vector<Bad> rows = rows_of(GetParam());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Level3Args x = args();
        Layout layout = Layout::ColMajor;
        for (std::size_t j = i; j < rows.size(); ++j) rows[j].spoil(x, layout);
        const std::string text = error_of(layout, x);
        EXPECT_EQ(text.rfind(expected(rows[i]), 0), 0U) << text << " for " << rows[i].named;
    }
}

TEST_P(Level3Errors, null_is_allowed_where_nothing_is_read) {
    Level3Args x = args();
    x.a = x.b = nullptr;
    x.alpha = {0, 0};
    EXPECT_EQ(error_of(Layout::ColMajor, x), "");
    x.c = nullptr;
    x.m = x.n = 0;
    EXPECT_EQ(error_of(Layout::RowMajor, x), "");
}

INSTANTIATE_TEST_SUITE_P(, Level3Errors, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name_of(routine.param)); });

TEST(Level3Flags, updates_of_complex_types_have_two_ops) {
    Options options;
    options.devices = "cpu";
    Context context(options);
    std::complex<float> a(1), c(1);
    const auto error = [&](Routine routine, Op op) -> std::string {
        try {
            if (routine == Routine::syrk)
                syrk<std::complex<float>>(context, Layout::RowMajor, Uplo::Upper, op, 1, 1, 1, &a,
                                          1, 1, &c, 1);
            else
                herk<std::complex<float>>(context, Layout::RowMajor, Uplo::Upper, op, 1, 1, 1, &a,
                                          1, 1, &c, 1);
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(error(Routine::syrk, Op::Trans), "");
    EXPECT_NE(error(Routine::syrk, Op::ConjTrans).find("NoTrans or Trans"), std::string::npos);
    EXPECT_EQ(error(Routine::herk, Op::ConjTrans), "");
    EXPECT_NE(error(Routine::herk, Op::Trans).find("NoTrans or ConjTrans"), std::string::npos);
}

TEST(Level3Default, calls_that_name_no_context) {
    const double a[] = {2, 1, 0, 4};
    double b[] = {2, 9};
    trsm(Layout::ColMajor, Side::Left, Uplo::Lower, Op::NoTrans, Diag::NonUnit, 2, 1, 1.0, a, 2, b,
         2);
    EXPECT_EQ(b[0], 1);
    EXPECT_EQ(b[1], 2);
    EXPECT_EQ(gemmill_dtrmm(nullptr, 'c', 'l', 'l', 'n', 'n', 2, 1, 1, a, 2, b, 2), GEMMILL_OK);
    EXPECT_EQ(b[1], 9);
}

}  // namespace
}  // namespace gemmill::test
