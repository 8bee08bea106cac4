// SPDX-License-Identifier: Apache-2.0
// Thousands of random calls through the whole library, against the plain loops: every type, layout
// and flag, empty and odd sizes, gaps, NaN where nothing may be read, operands on devices.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/calls.hpp"
#include "backend/plugin.hpp"

namespace gemmill::test {
namespace {

struct Setting {
    const char* name;
    Options options;
    index_t largest;
    int cases;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

Options options_of(const char* devices, index_t tile, std::int64_t cap, const char* policy) {
    Options options;
    options.devices = devices;
    options.tile = tile;
    options.device_memory = cap;
    options.policy = policy;
    options.validate = true;
    return options;
}

Setting settings[] = {
    {"host", options_of("cpu", 0, 0, "best"), 60, 4000},
    {"one", options_of("cpu:1", 0, 0, "best"), 40, 2000},
    {"two", options_of("cpu:2", 16, 0, "best"), 60, 1500},
    {"tight", options_of("cpu:3", 7, 3 * 1024, "best"), 25, 1500},
    {"tiny", options_of("cpu:5", 0, 3 * 256, "best"), 14, 1000},
    {"capped", options_of("cpu:2", 0, 20'000, "best"), 60, 1200},
    {"naive", options_of("cpu:4", 13, 0, "naive"), 40, 1200},
    {"naive_tight", options_of("cpu:3", 5, 3 * 512, "naive"), 20, 1000},
    {"large", options_of("cpu:3", 64, 0, "best"), 200, 60},
    {"gpu", options_of("cuda:0", 0, 0, "best"), 60, 2000},
    {"gpu_as_two", options_of("cuda:0x2", 16, 0, "best"), 60, 1000},
    {"gpu_as_four", options_of("cuda:0x4", 0, 20'000, "best"), 60, 1000},
    {"gpu_as_eight", options_of("cuda:0x8", 13, 0, "naive"), 40, 500},
    {"gpu_large", options_of("cuda:0", 0, 0, "best"), 400, 60},
    {"gpu_large_as_four", options_of("cuda:0x4", 0, 0, "best"), 400, 60},
};

class GemmSweep : public ::testing::TestWithParam<Setting> {};

Operands::Places random_places(Random& random, Context& context, DeviceBlocks& blocks) {
    Operands::Places places;
    if (context.options().devices == "cpu") return places;
    const auto devices = static_cast<index_t>(context.machine().devices.size());
    for (auto& place : places)
        if (random.chance(35)) place = blocks.on(static_cast<DeviceId>(random.below(devices)));
    return places;
}

TEST_P(GemmSweep, agrees_with_the_loops) {
    std::string why;
    if (GetParam().options.devices.starts_with("cuda") && gpu_driver(why) == nullptr)
        GTEST_SKIP() << why;
    Context context(GetParam().options);
    Random random(20240 + GetParam().largest);
    index_t times = 1;  // that C is rounded
    context.observe([&](const Report& report) { times = roundings(report.plan); });
    for (int i = 0; i < affordable(GetParam().cases); ++i) {
        const GemmCase c = random_case(random, GetParam().largest);
        DeviceBlocks blocks(context);
        Operands x(c, random, random_places(random, context, blocks));
        Pointers p = pointers_of(x);
        if (!c.multiplies() && random.chance(50)) p.a = p.b = nullptr;
        if ((c.m == 0 || c.n == 0) && random.chance(50)) p = {nullptr, nullptr, nullptr};
        ASSERT_NO_THROW(call_gemm(context, x, p)) << "case " << i << ": " << to_string(c);
        x.allow_roundings(times);
        ASSERT_TRUE(x.check()) << "case " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(, GemmSweep, ::testing::ValuesIn(settings),
                         [](const auto& setting) { return std::string(setting.param.name); });

TEST(GemmSweepC, agrees_with_the_loops) {
    for (const char* devices : {"cpu", "cpu:3"}) {
        const char* names[] = {"devices", "tile", "validate"};
        const char* values[] = {devices, "11", "on"};
        gemmill_context* context = nullptr;
        ASSERT_EQ(gemmill_create_with(&context, names, values, 3), GEMMILL_OK) << gemmill_message();
        Random random(7);
        for (int i = 0; i < affordable(400); ++i) {
            const GemmCase c = random_case(random, 30);
            Operands x(c, random);
            ASSERT_EQ(call_c(context, x), GEMMILL_OK)
                << gemmill_message() << " case " << i << ": " << to_string(c);
            ASSERT_TRUE(x.check()) << devices << " case " << i;
        }
        gemmill_destroy(context);
    }
}

/// Their alpha and beta are floats, and the element type follows from the pointers.
TEST(GemmShort, factors_are_floats) {
    for (const char* devices : {"cpu", "cpu:2"}) {
        Context context(options_of(devices, 8, 0, "best"));
        const auto scaled = [&](auto x) {
            decltype(x) c(2);
            gemm(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, 1, 1, 1, 0x1p-30F, &x, 1, &x,
                 1, 0x1p-28F, &c, 1);
            return float(c);
        };
        EXPECT_EQ(scaled(half(0x1p15F)), 1);
        EXPECT_EQ(scaled(bfloat16(0x1p15F)), 1);
    }
}

/// NaN and Inf in A, B and C reach exactly the elements that a plain loop lets them reach.
TEST(GemmSweepNan, travels_as_in_a_loop) {
    for (const char* devices : {"cpu", "cpu:2"}) {
        Context context(options_of(devices, 8, 0, "best"));
        Random random(99);
        for (int i = 0; i < affordable(300); ++i) {
            GemmCase c = random_case(random, 30);
            c.m = std::max<index_t>(c.m, 1), c.n = std::max<index_t>(c.n, 1);
            c.k = std::max<index_t>(c.k, 1);
            c.alpha = {1.5, 0};
            c.beta = random.chance(50) ? Scalar{} : Scalar{0.5, 0};
            Operands x(c, random);
            Guarded& hit = random.chance(40) ? x.a() : random.chance(50) ? x.b() : x.c();
            const bool infinite = !is_complex(c.type) && random.chance(50);
            hit.set(random.below(hit.shape().rows), random.below(hit.shape().cols),
                    infinite ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN());
            hit.keep();
            x.judge();
            call_gemm(context, x);
            ASSERT_TRUE(x.check()) << devices << " case " << i;
        }
    }
}

}  // namespace
}  // namespace gemmill::test
