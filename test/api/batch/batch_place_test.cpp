// SPDX-License-Identifier: Apache-2.0
// Where a batch runs, on GPUs that are the host.
#include "api/batch/batch_place.hpp"

#include <gtest/gtest.h>

#include "backend/gpu/gpu.hpp"
#include "batch/check.hpp"
#include "support/batch_case.hpp"
#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

using Kind = BatchPlace::Kind;

std::unique_ptr<Context::State> state_on(std::vector<int> gpus) {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine = synthetic_machine(
        fmt::format("gpu:{}(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=1T,b=1T) pcie:10GB/s", gpus.size()));
    setup.ordinals = std::move(gpus);
    setup.ordinals.insert(setup.ordinals.begin(), -1);
    setup.batch_slot = 4096;
    Options options;
    options.devices = "cuda";
    options.threads = 3;
    return std::make_unique<Context::State>(options, std::make_unique<GpuBackend>(setup));
}

void run(Context::State& state, BatchCase& batch, const Batch& x,
         const BatchOptions& options = {}) {
    run_batch(state, batch.layout(), batch.layout() == Layout::RowMajor ? transposed(x) : x,
              options);
}

/// Matrices of a fake GPU, freed with the test.
class BatchPlaces : public ::testing::Test {
  protected:
    ~BatchPlaces() override {
        for (const auto& [gpu, pointer] : owned_) fake::release(gpu, pointer);
    }
    BatchCase::Places on(std::function<int()> gpu) {
        Guarded::Place place;
        place.allocate = [this, gpu](std::size_t bytes) {
            void* pointer = nullptr;
            const int of = gpu();
            EXPECT_EQ(fake::allocate(of, bytes, &pointer), 0);
            owned_.emplace_back(of, pointer);
            return pointer;
        };
        place.copy = [](void* to, const void* from, std::size_t bytes) {
            std::memcpy(to, from, bytes);
        };
        return {place, place, place};
    }
    std::string refusal(Context::State& state, const Batch& x) {
        try {
            run_batch(state, Layout::ColMajor, x, {});
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::bad_argument);
            return error.text();
        }
        return {};
    }
    std::vector<std::pair<int, void*>> owned_;
};

TEST_F(BatchPlaces, host_matrices_are_split_over_the_devices) {
    Random random(1);
    for (const std::vector<int>& gpus :
         {std::vector<int>{0}, std::vector<int>{0, 1}, std::vector<int>{0, 0, 0, 0}}) {
        const auto state = state_on(gpus);
        for (int i = 0; i < affordable(20); ++i) {
            BatchCase batch(random_products(random, random.between(1, 90), 14), random);
            run(*state, batch, batch.variable(), {random.chance(50), {}});
            ASSERT_TRUE(batch.check());
        }
        const auto made = FakeGpus::instance().products;
        EXPECT_EQ(made.size(), gpus.size() == 2 ? 2U : 1U);
    }
}

/// Three matrices in a row are of one product.
TEST_F(BatchPlaces, matrices_of_two_gpus_stay_where_they_are) {
    Random random(2);
    const auto state = state_on({0, 1});
    for (const bool alternate : {false, true}) {
        int matrices = 0;
        std::vector<GemmCase> products = random_products(random, 40, 9);
        BatchCase batch(products, random, on([&] {
                            const int product = matrices++ / 3;
                            return alternate ? product % 2 : product / 25;
                        }));
        batch.send();
        FakeGpus::instance().products.clear();
        run(*state, batch, batch.variable(), {true, {}});
        EXPECT_TRUE(batch.check());
        EXPECT_EQ(FakeGpus::instance().products[0], alternate ? 20 : 25);
        EXPECT_EQ(FakeGpus::instance().products[1], alternate ? 20 : 15);
    }
}

TEST_F(BatchPlaces, matrices_of_one_gpu_run_there) {
    Random random(3);
    const auto state = state_on({0, 1});
    BatchCase batch(random_products(random, 40, 9), random, on([] { return 1; }));
    batch.send();
    run(*state, batch, batch.variable());
    EXPECT_TRUE(batch.check());
    EXPECT_EQ(FakeGpus::instance().products[1], 40);
    EXPECT_EQ(place_of(*state, batch.variable(), {}).gpus.size(), 1U);
    const auto shares = state_on({1, 1, 1, 1});
    run(*shares, batch, batch.variable());
    EXPECT_EQ(FakeGpus::instance().products[1], 40);
}

TEST_F(BatchPlaces, a_bad_product_is_named_and_none_is_begun) {
    Random random(4);
    std::vector<GemmCase> products(100);
    for (GemmCase& one : products) one.m = one.n = one.k = 3, one.beta = {1, 0};
    std::vector<index_t> k(100, 3);
    k[91] = -1, k[97] = -1;
    for (const bool of_gpus : {false, true}) {
        const auto state = state_on({0, 1});
        int matrices = 0;
        BatchCase batch(products, random,
                        of_gpus ? on([&] { return matrices++ / 3 % 2; }) : BatchCase::Places{});
        batch.send();
        Batch bad = batch.variable();
        bad.k.each = k.data();
        try {
            run_batch(*state, Layout::ColMajor, bad, {true, {}});
            ADD_FAILURE() << "not refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.text(), "gemm_batch: product 91: k is bad");
        }
        EXPECT_TRUE(batch.untouched());
        EXPECT_TRUE(FakeGpus::instance().products.empty());
    }
}

TEST_F(BatchPlaces, matrices_that_nobody_reaches_together_are_refused) {
    Random random(5);
    std::vector<GemmCase> products(4);
    for (GemmCase& one : products) one.m = one.n = one.k = 3, one.beta = {1, 0};
    const auto state = state_on({0, 1});
    int matrices = 0;
    BatchCase here(products, random), there(products, random, on([] { return 0; })),
        both(products, random, on([&] { return matrices++ / 3 % 2; }));
    Batch x = here.variable();
    x.a = there.variable().a;
    EXPECT_EQ(refusal(*state, x), "gemm_batch: c lies on the host, a or b on a GPU");
    x = there.variable();
    x.b = here.variable().b;
    EXPECT_EQ(refusal(*state, x), "gemm_batch: c lies on a GPU, a or b in pageable host memory");
    x = both.variable();
    std::vector<const void*> c(x.c.array, x.c.array + 4);
    c[2] = here.variable().c.array[2];
    x.c.array = c.data();
    EXPECT_EQ(refusal(*state, x),
              "gemm_batch: product 2: c lies on the host, that of others on a GPU");
    x = here.variable();
    void* sizes = nullptr;
    ASSERT_EQ(fake::allocate(0, sizeof(index_t) * 4, &sizes), 0);
    owned_.emplace_back(0, sizes);
    x.m.each = static_cast<const index_t*>(sizes);
    EXPECT_EQ(refusal(*state, x), "gemm_batch: the matrices lie on the host, an array on a GPU");
}

/// A CPU that is known beside the GPUs takes what the link would hold up.
TEST_F(BatchPlaces, small_products_of_the_host_stay_there_where_the_cpu_is_known) {
    const auto state = state_on({0, 1});
    std::vector<double> data(3 * 512 * 512);
    Batch x;
    const auto kind_of = [&](index_t n) {
        x.count = 1 << 20;
        x.m = x.n = x.k = {n};
        x.a = x.b = x.c = {data.data(), 0, nullptr, {n}};
        return place_of(*state, x, {}).kind;
    };
    EXPECT_EQ(kind_of(4), Kind::devices);
    Device cpu;
    cpu.peak.fill(200e9);
    cpu.bandwidth = 80e9;
    state->cpu = cpu;
    EXPECT_EQ(kind_of(4), Kind::cpu);
    EXPECT_EQ(kind_of(512), Kind::devices);
}

}  // namespace
}  // namespace gemmill::test
