// SPDX-License-Identifier: Apache-2.0
// Calls that cannot be meant: the first bad argument is named, nothing is written, nothing printed.
#include <gtest/gtest.h>

#include "api/calls.hpp"
#include "support/error_of.hpp"
#include "support/output.hpp"

namespace gemmill::test {
namespace {

struct Args {
    Layout layout = Layout::ColMajor;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 4, n = 3, k = 2;
    double alpha = 1;
    std::vector<double> a = std::vector<double>(16, 1.0), b = a, c = a;
    bool null_a = false, null_b = false, null_c = false;
    index_t lda = 4, ldb = 4, ldc = 4;
    double beta = 1;
};

void call(Context& context, Args& x) {
    gemm<double>(context, x.layout, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha,
                 x.null_a ? nullptr : x.a.data(), x.lda, x.null_b ? nullptr : x.b.data(), x.ldb,
                 x.beta, x.null_c ? nullptr : x.c.data(), x.ldc);
}

struct Bad {
    const char* named;
    void (*spoil)(Args&);
};

// In the order in which they are checked: each row's fault is found although the later ones are
// there too.
const Bad rows[] = {
    {"layout", [](Args& x) { x.layout = static_cast<Layout>('X'); }},
    {"op_a", [](Args& x) { x.op_a = static_cast<Op>('X'); }},
    {"op_b", [](Args& x) { x.op_b = static_cast<Op>(0); }},
    {"m", [](Args& x) { x.m = -1; }},
    {"n", [](Args& x) { x.n = -1; }},
    {"k", [](Args& x) { x.k = -7; }},
    {"lda", [](Args& x) { x.lda = 3; }},
    {"ldb", [](Args& x) { x.ldb = 1; }},
    {"ldc", [](Args& x) { x.ldc = 3; }},
    {"a", [](Args& x) { x.null_a = true; }},
    {"b", [](Args& x) { x.null_b = true; }},
    {"c", [](Args& x) { x.null_c = true; }},
};

class ApiErrors : public ::testing::TestWithParam<const char*> {
  protected:
    static Options options() {
        Options o;
        o.devices = GetParam();
        return o;
    }
    Context context_{options()};
};

TEST_P(ApiErrors, a_bad_argument_is_named_and_nothing_is_written) {
    for (const Bad& row : rows) {
        Args x;
        row.spoil(x);
        const auto before = x.c;
        Error error(Code::ok, "");
        const std::string printed =
            output_of([&] { error = error_of([&] { call(context_, x); }); });
        EXPECT_EQ(error.code(), Code::bad_argument) << row.named;
        EXPECT_NE(error.text().find(std::string("gemm: ") + row.named + " is"), std::string::npos)
            << error.what();
        EXPECT_EQ(x.c, before);
        EXPECT_EQ(printed, "");
    }
}

TEST_P(ApiErrors, the_first_bad_argument_is_the_one_named) {
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        Args x;
        for (std::size_t j = i; j < std::size(rows); ++j) rows[j].spoil(x);
        const Error error = error_of([&] { call(context_, x); });
        EXPECT_NE(error.text().find(std::string("gemm: ") + rows[i].named + " is"),
                  std::string::npos)
            << error.what();
    }
}

TEST_P(ApiErrors, leading_dimensions_follow_layout_and_op) {
    struct Row {
        Layout layout;
        Op op_a, op_b;
        index_t lda, ldb, ldc;  // the least that are allowed for 4 x 3 x 2
    };
    using enum Layout;
    constexpr Op N = Op::NoTrans, T = Op::Trans, C = Op::ConjTrans;
    for (const Row& r : {Row{ColMajor, N, N, 4, 2, 4}, Row{ColMajor, T, C, 2, 3, 4},
                         Row{RowMajor, N, N, 2, 3, 3}, Row{RowMajor, C, T, 4, 2, 3}}) {
        Args x;
        x.layout = r.layout, x.op_a = r.op_a, x.op_b = r.op_b;
        x.lda = r.lda, x.ldb = r.ldb, x.ldc = r.ldc;
        EXPECT_NO_THROW(call(context_, x));
        for (index_t Args::*ld : {&Args::lda, &Args::ldb, &Args::ldc}) {
            --(x.*ld);
            EXPECT_EQ(error_of([&] { call(context_, x); }).code(), Code::bad_argument);
            ++(x.*ld);
        }
    }
}

TEST_P(ApiErrors, null_is_allowed_where_nothing_is_read) {
    Args x;
    x.null_a = x.null_b = true;
    x.alpha = 0, x.beta = 3;
    call(context_, x);
    EXPECT_EQ(x.c[0], 3.0);
    x.alpha = 1, x.k = 0, x.ldb = 1;
    call(context_, x);
    EXPECT_EQ(x.c[0], 9.0);
    x.null_c = true;
    x.m = 0;
    EXPECT_NO_THROW(call(context_, x));
    // Leading dimensions are checked all the same, and 0 rows need one of 1.
    x.lda = 0;
    EXPECT_EQ(error_of([&] { call(context_, x); }).code(), Code::bad_argument);
}

INSTANTIATE_TEST_SUITE_P(, ApiErrors, ::testing::Values("cpu", "cpu:2"), [](const auto& devices) {
    return std::string(devices.param) == "cpu" ? "host" : "devices";
});

TEST(ContextErrors, devices_that_are_not_there) {
    struct Row {
        const char* devices;
        Code code;
    };
    for (const Row& row :
         {Row{"gpu", Code::no_device}, Row{"gpu:0", Code::no_device}, Row{"", Code::no_device},
          Row{"cpu:0", Code::bad_argument}, Row{"cpu:-1", Code::bad_argument},
          Row{"cpu:65", Code::bad_argument}, Row{"cpu:x", Code::parse}, Row{"cpu:", Code::parse}}) {
        Options options;
        options.devices = row.devices;
        const Error error = error_of([&] { Context context(options); });
        EXPECT_EQ(error.code(), row.code) << row.devices << ": " << error.what();
        EXPECT_NE(error.text().find("devices"), std::string::npos) << error.what();
    }
}

/// Also where no GPU needs it.
TEST(ContextErrors, a_machine_that_is_not_there) {
    for (const char* devices : {"auto", "cpu", "cpu:2"})
        for (const char* machine : {"/nonexistent", "no-such-machine"}) {
            Options options;
            options.devices = devices;
            options.machine = machine;
            const Error error = error_of([&] { Context context(options); });
            EXPECT_EQ(error.code(), Code::no_device) << error.what();
            EXPECT_NE(error.text().find("machine: "), std::string::npos) << error.what();
            EXPECT_NE(error.text().find(machine), std::string::npos) << error.what();
        }
    Options options;
    options.devices = "cpu:2";
    options.machine = "h200";
    EXPECT_NO_THROW(Context{options});
}

TEST(ContextErrors, a_policy_that_is_not_there_on_the_host_too) {
    for (const char* devices : {"cpu", "cpu:1"}) {
        Options options;
        options.devices = devices;
        options.policy = "wild";
        const Error error = error_of([&] { Context context(options); });
        EXPECT_EQ(error.code(), Code::bad_argument);
        EXPECT_NE(error.text().find("'wild'"), std::string::npos) << error.what();
    }
}

TEST(ContextErrors, options_that_cannot_be_meant) {
    Options options;
    options.devices = "cpu:1";
    options.policy = "wild";
    const Error policy = error_of([&] {
        Context context(options);
        Args x;
        call(context, x);
    });
    EXPECT_EQ(policy.code(), Code::bad_argument);
    EXPECT_NE(policy.text().find("'wild'"), std::string::npos) << policy.what();

    options.policy = "best";
    options.device_memory = 10;
    const Error memory = error_of([&] {
        Context context(options);
        Args x;
        const auto before = x.c;
        const Error inner = error_of([&] { call(context, x); });
        EXPECT_EQ(x.c, before);
        throw Error(inner);
    });
    EXPECT_EQ(memory.code(), Code::out_of_memory) << memory.what();
}

TEST(ContextErrors, device_memory_of_no_device) {
    Options options;
    options.devices = "cpu:2";
    Context context(options);
    EXPECT_EQ(error_of([&] { context.allocate(2, 8); }).code(), Code::bad_argument);
    EXPECT_EQ(error_of([&] { context.allocate(-1, 8); }).code(), Code::bad_argument);
    EXPECT_EQ(error_of([&] { context.allocate(0, std::size_t{1} << 62); }).code(),
              Code::out_of_memory);
    options.devices = "cpu";
    EXPECT_EQ(error_of([&] { Context(options).allocate(0, 8); }).code(), Code::no_device);
}

/// Sizes at the edge of 64 bits end in an error, not in overflow.
TEST(ContextErrors, absurd_sizes) {
    Options options;
    options.devices = "cpu:2";
    Context context(options);
    Args x;
    constexpr index_t huge = std::numeric_limits<index_t>::max() / 2;
    x.m = x.n = x.k = x.lda = x.ldb = x.ldc = huge;
    EXPECT_EQ(error_of([&] { call(context, x); }).code(), Code::bad_argument);
}

}  // namespace
}  // namespace gemmill::test
