// SPDX-License-Identifier: Apache-2.0
// The C interface: codes, messages and null pointers.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "gemmill/gemmill.h"
#include "gemmill/gemmill.hpp"
#include "support/few_threads.hpp"
#include "support/output.hpp"

namespace {

gemmill_code create(gemmill_context** context, const char* name, const char* value) {
    return gemmill_create_with(context, &name, &value, 1);
}

bool said(const char* words) {
    return std::string(gemmill_message()).find(words) != std::string::npos;
}

TEST(CInterface, codes_are_those_of_the_library) {
    using gemmill::Code;
    EXPECT_EQ(GEMMILL_OK, static_cast<int>(Code::ok));
    EXPECT_EQ(GEMMILL_BAD_ARGUMENT, static_cast<int>(Code::bad_argument));
    EXPECT_EQ(GEMMILL_OUT_OF_MEMORY, static_cast<int>(Code::out_of_memory));
    EXPECT_EQ(GEMMILL_NO_DEVICE, static_cast<int>(Code::no_device));
    EXPECT_EQ(GEMMILL_FAILED_STEP, static_cast<int>(Code::failed_step));
    EXPECT_EQ(GEMMILL_PARSE, static_cast<int>(Code::parse));
    EXPECT_EQ(GEMMILL_IO, static_cast<int>(Code::io));
    EXPECT_EQ(GEMMILL_INVALID_PLAN, static_cast<int>(Code::invalid_plan));
    EXPECT_EQ(GEMMILL_INTERNAL, static_cast<int>(Code::internal));
    EXPECT_STREQ(gemmill_version(), GEMMILL_VERSION);
}

TEST(CInterface, creates_with_options_or_says_why_not) {
    gemmill_context* context = nullptr;
    EXPECT_EQ(gemmill_create(&context), GEMMILL_OK);
    EXPECT_STREQ(gemmill_message(), "");
    gemmill_destroy(context);
    auto* const stale = reinterpret_cast<gemmill_context*>(8);
    context = stale;
    EXPECT_EQ(create(&context, "device", "cpu"), GEMMILL_PARSE);
    EXPECT_EQ(context, nullptr);
    EXPECT_TRUE(said("'device'")) << gemmill_message();
    EXPECT_EQ(create(&context, "devices", "tpu:1"), GEMMILL_NO_DEVICE);
    EXPECT_EQ(create(&context, "tile", "-3"), GEMMILL_PARSE);
    EXPECT_EQ(create(&context, "tile", nullptr), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(create(&context, nullptr, "1"), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(gemmill_create_with(&context, nullptr, nullptr, 1), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(gemmill_create_with(&context, nullptr, nullptr, 0), GEMMILL_OK);
    gemmill_destroy(context);
    EXPECT_EQ(gemmill_create(nullptr), GEMMILL_BAD_ARGUMENT);
    EXPECT_TRUE(said("context is null")) << gemmill_message();
    gemmill_destroy(nullptr);
}

TEST(CInterface, failing_calls_print_nothing_and_leave_c) {
    gemmill_context* context = nullptr;
    ASSERT_EQ(create(&context, "devices", "cpu:1"), GEMMILL_OK);
    double a[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8};
    const std::string printed = gemmill::test::output_of([&] {
        EXPECT_EQ(gemmill_dgemm(context, 'C', 'N', 'N', 2, 2, 2, 1, a, 1, a, 2, 0, c, 2),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_TRUE(said("lda")) << gemmill_message();
        EXPECT_EQ(gemmill_dgemm(context, 'Q', 'N', 'N', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(gemmill_dgemm(context, 'C', 'N', 'N', 2, 2, 2, 1, nullptr, 2, a, 2, 0, c, 2),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(gemmill_zgemm(context, 'C', 'N', 'N', 1, 1, 1, nullptr, a, 1, a, 1, a, c, 1),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_TRUE(said("alpha is null")) << gemmill_message();
        EXPECT_EQ(gemmill_cgemm(context, 'C', 'N', 'N', 1, 1, 1, a, a, 1, a, 1, nullptr, c, 1),
                  GEMMILL_BAD_ARGUMENT);
    });
    EXPECT_EQ(printed, "");
    EXPECT_EQ(c[0], 5);
    EXPECT_EQ(gemmill_dgemm(context, 'c', 'n', 't', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2), GEMMILL_OK);
    EXPECT_STREQ(gemmill_message(), "");
    EXPECT_EQ(c[0], 10);
    gemmill_destroy(context);
}

TEST(CInterface, messages_belong_to_their_thread) {
    EXPECT_EQ(gemmill_create(nullptr), GEMMILL_BAD_ARGUMENT);
    std::thread([] { EXPECT_STREQ(gemmill_message(), ""); }).join();
    EXPECT_TRUE(said("null"));
}

TEST(CInterface, device_memory) {
    gemmill_context* context = nullptr;
    ASSERT_EQ(create(&context, "devices", "cpu:2"), GEMMILL_OK);
    void* block = nullptr;
    EXPECT_EQ(gemmill_allocate(context, 1, 64, &block), GEMMILL_OK);
    EXPECT_NE(block, nullptr);
    gemmill_release(context, block);
    gemmill_release(context, nullptr);
    block = context;
    EXPECT_EQ(gemmill_allocate(context, 2, 64, &block), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(block, nullptr);
    EXPECT_EQ(gemmill_allocate(context, 0, 64, nullptr), GEMMILL_BAD_ARGUMENT);
    gemmill_destroy(context);
}

TEST(CInterface, memory_is_copied_to_devices_and_back) {
    for (const char* devices : {"cpu", "cpu:2"}) {
        gemmill_context* context = nullptr;
        ASSERT_EQ(create(&context, "devices", devices), GEMMILL_OK);
        void* block = nullptr;
        ASSERT_EQ(gemmill_allocate_host(context, 64, &block), GEMMILL_OK);
        const char there[8] = "gemmill";
        char back[8] = "";
        EXPECT_EQ(gemmill_copy(context, block, there, 8), GEMMILL_OK);
        EXPECT_EQ(gemmill_copy(context, back, block, 8), GEMMILL_OK);
        EXPECT_STREQ(back, there);
        EXPECT_EQ(gemmill_copy(context, nullptr, nullptr, 0), GEMMILL_OK);
        EXPECT_EQ(gemmill_copy(context, back, nullptr, 1), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(gemmill_allocate_host(context, 64, nullptr), GEMMILL_BAD_ARGUMENT);
        gemmill_release(context, block);
        gemmill_destroy(context);
    }
}

TEST(CInterface, elements_of_16_bits) {
    gemmill_context* context = nullptr;
    ASSERT_EQ(create(&context, "devices", "cpu:1"), GEMMILL_OK);
    const uint16_t h[1] = {0x4200}, b[1] = {0x4040};  // 3
    uint16_t c[1] = {0x7e00};                         // NaN
    EXPECT_EQ(gemmill_hgemm(context, 'C', 'N', 'T', 1, 1, 1, 0.5F, h, 1, h, 1, 0, c, 1),
              GEMMILL_OK);
    EXPECT_EQ(c[0], 0x4480);  // 4.5
    c[0] = 0x3f80;            // 1
    EXPECT_EQ(gemmill_bgemm(context, 'R', 'C', 'N', 1, 1, 1, 0.5F, b, 1, b, 1, 2, c, 1),
              GEMMILL_OK);
    EXPECT_EQ(c[0], 0x40d0);  // 6.5
    EXPECT_EQ(gemmill_hgemm(context, 'C', 'N', 'N', 2, 1, 1, 1, h, 1, h, 1, 0, c, 2),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_TRUE(said("lda")) << gemmill_message();
    EXPECT_EQ(gemmill_bgemm(context, 'C', 'N', 'N', 1, 1, 1, 1, b, 1, nullptr, 1, 0, c, 1),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(c[0], 0x40d0);
    gemmill_destroy(context);
}

/// A system with few threads to give: fewer do the work, and without any the code says so.
TEST(CInterface, threads_that_cannot_be_made) {
    gemmill_context* context = nullptr;
    {
        const gemmill::test::FewThreads none(0);
        EXPECT_EQ(create(&context, "devices", "cpu:4"), GEMMILL_OUT_OF_MEMORY);
        EXPECT_EQ(context, nullptr);
        EXPECT_TRUE(said("thread")) << gemmill_message();
    }
    const gemmill::test::FewThreads few(3);
    ASSERT_EQ(create(&context, "devices", "cpu:4"), GEMMILL_OK) << gemmill_message();
    const double a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1};
    double c[4] = {};
    EXPECT_EQ(gemmill_dgemm(context, 'C', 'N', 'N', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2), GEMMILL_OK);
    EXPECT_EQ(c[3], 4);
    gemmill_destroy(context);
}

TEST(CInterface, null_is_the_default_context) {
    const float a[1] = {3}, b[1] = {4};
    float c[1] = {0};
    EXPECT_EQ(gemmill_sgemm(nullptr, 'R', 'T', 'C', 1, 1, 1, 2, a, 1, b, 1, 0, c, 1), GEMMILL_OK)
        << gemmill_message();
    EXPECT_EQ(c[0], 24);
    gemmill_release(nullptr, nullptr);
}

}  // namespace
