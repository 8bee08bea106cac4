// SPDX-License-Identifier: Apache-2.0
// Host batches over several GPUs that are the host.
#include "backend/gpu/batch.hpp"

#include <cmath>
#include <complex>

#include "batch/check.hpp"
#include "support/batch_case.hpp"
#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

using Call = FakeGpus::Call;

/// Devices take turns on two GPUs. Slots hold a few products.
std::unique_ptr<GpuBackend> make_fake(int devices, index_t slot = 4096) {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine = synthetic_machine(fmt::format(
        "gpu:{}(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=1T,b=1T) nvlink:100GB/s pcie:10GB/s", devices));
    for (const Memory& memory : setup.machine.memories)
        setup.ordinals.push_back(
            memory.kind == MemoryKind::host ? -1 : static_cast<int>(setup.ordinals.size()) % 2);
    setup.batch_slot = slot;
    return std::make_unique<GpuBackend>(setup);
}

void in_the_caller(index_t count, index_t part, const std::function<void(index_t, index_t)>& f) {
    for (index_t first = 0; first < count; first += part) f(first, std::min(count, first + part));
}

Batch columns(const BatchCase& batch, const Batch& x) {
    return batch.layout() == Layout::RowMajor ? transposed(x) : x;
}

class GpuBatch : public ::testing::TestWithParam<int> {};

TEST_P(GpuBatch, many_shapes) {
    Random random(1);
    const auto backend = make_fake(GetParam());
    for (int i = 0; i < affordable(40); ++i) {
        BatchCase batch(random_products(random, random.between(1, 60), random.between(1, 24)),
                        random);
        backend->batch(columns(batch, batch.variable()), in_the_caller);
        ASSERT_TRUE(batch.check());
    }
    EXPECT_EQ(FakeGpus::instance().copies_by_host, 0);
}

TEST_P(GpuBatch, one_shape) {
    Random random(2);
    const auto backend = make_fake(GetParam());
    for (int i = 0; i < affordable(60); ++i) {
        BatchCase batch(
            std::vector(static_cast<std::size_t>(random.between(1, 50)), random_case(random, 20)),
            random);
        backend->batch(columns(batch, batch.uniform()), in_the_caller);
        ASSERT_TRUE(batch.check());
    }
}

/// A is one matrix for all, factors are each product's own: 2 x 2 of ones.
TEST_P(GpuBatch, one_matrix_for_all) {
    const auto backend = make_fake(GetParam());
    constexpr index_t count = 300;
    const std::vector<double> a(4, 1.0), b(4 * count, 1.0);
    std::vector<double> c(5 * count, std::nan("")), alpha(count), beta(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) alpha[i] = static_cast<double>(i);
    Batch x;
    x.count = count;
    x.m = x.n = x.k = {2};
    x.a = {a.data(), 0, nullptr, {2}};
    x.b = {b.data(), 4, nullptr, {2}};
    x.c = {c.data(), 5, nullptr, {2}};
    for (const bool each : {false, true}) {
        if (each) x.alpha.each = alpha.data(), x.beta.each = beta.data();
        backend->batch(x, in_the_caller);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(c[5 * i], each ? 2.0 * static_cast<double>(i) : 2.0);
            ASSERT_EQ(c[5 * i + 3], c[5 * i]);
            ASSERT_TRUE(std::isnan(c[5 * i + 4]));
        }
    }
}

TEST_P(GpuBatch, products_larger_than_a_slot) {
    Random random(3);
    const auto backend = make_fake(GetParam(), 100);
    BatchCase batch(random_products(random, 9, 30), random);
    backend->batch(columns(batch, batch.variable()), in_the_caller);
    EXPECT_TRUE(batch.check());
}

TEST_P(GpuBatch, every_device_has_its_part) {
    Random random(4);
    const auto backend = make_fake(GetParam());
    GemmCase one;
    one.m = one.n = one.k = 4;
    BatchCase batch(std::vector<GemmCase>(80, one), random);
    backend->batch(batch.uniform(), in_the_caller);
    EXPECT_TRUE(batch.check());
    auto& products = FakeGpus::instance().products;
    const int gpus = std::min(GetParam(), 2);
    EXPECT_EQ(products.size(), static_cast<std::size_t>(gpus));
    for (const auto& [gpu, made] : products) EXPECT_EQ(made, 80 / gpus);
}

/// Each product is as it was, or right.
void expect_whole(BatchCase& batch) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.count()); ++i) {
        batch[i].allow_roundings(1);
        Tile all;
        all.rows = batch[i].problem().m, all.cols = batch[i].problem().n;
        EXPECT_TRUE(batch[i].old(all) || batch[i].check());
        EXPECT_TRUE(batch[i].check_surroundings());
    }
}

TEST_P(GpuBatch, a_fault_leaves_whole_products_and_a_device_that_works) {
    Random random(5);
    for (const Call call : {Call::copy, Call::batch, Call::record, Call::allocate, Call::pin})
        for (const int after : {0, 1, 5}) {
            const auto backend = make_fake(GetParam());
            BatchCase batch(random_products(random, 200, 12), random);
            const Batch x = columns(batch, batch.variable());
            FakeGpus::instance().fail_after(call, after);
            try {
                backend->batch(x, in_the_caller);
                EXPECT_GT(after, 0);  // that it was not called so often is no fault
                EXPECT_TRUE(batch.check());
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), Code::failed_step) << error.what();
                expect_whole(batch);
            }
            FakeGpus::instance().reset();
            BatchCase again(random_products(random, 50, 12), random);
            backend->batch(columns(again, again.variable()), in_the_caller);
            EXPECT_TRUE(again.check());
        }
}

TEST_P(GpuBatch, a_lost_device_and_no_memory_are_told) {
    Random random(6);
    const auto code_of = [&](Call call, FakeGpus::Fault fault, GpuBackend& backend) {
        BatchCase batch(random_products(random, 100, 12), random);
        FakeGpus::instance().fail_after(call, 1, fault);
        try {
            backend.batch(columns(batch, batch.variable()), in_the_caller);
        } catch (const Error& error) {
            expect_whole(batch);
            return error.code();
        }
        return Code::ok;
    };
    const auto backend = make_fake(GetParam());
    EXPECT_EQ(code_of(Call::allocate, FakeGpus::no_memory, *backend), Code::out_of_memory);
    EXPECT_EQ(code_of(Call::batch, FakeGpus::gone, *backend), Code::no_device);
    FakeGpus::instance().reset();
    // How many took part before the call ended is a matter of time; the others go on.
    int lost = 0;
    for (DeviceId d = 0; d < GetParam(); ++d) lost += backend->lost(d) ? 1 : 0;
    EXPECT_GT(lost, 0);
    EXPECT_EQ(code_of(Call::pin, FakeGpus::bad_call, *backend),
              lost == GetParam() ? Code::no_device : Code::failed_step);
    FakeGpus::instance().reset();
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuBatch, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace gemmill::test
