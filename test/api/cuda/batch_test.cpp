// SPDX-License-Identifier: Apache-2.0
// Batches on a GPU through the public interface, against the loops.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

#include "backend/plugin.hpp"
#include "cuda_batch.hpp"

namespace gemmill::test {
namespace {

TEST_F(CudaBatch, pointer_arrays_of_every_size) {
    Random random(1);
    for (const Type type : host_types)
        for (const index_t n : {1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 13, 16, 17,  24, 25,
                                31, 32, 33, 36, 40, 45, 48, 50, 63, 64, 65, 96, 128, 130})
            for (int i = 0; i < 2; ++i) {
                GemmCase one = random_case(random, n);
                one.type = type;
                one.layout = Layout::ColMajor;
                if (!is_complex(type)) one.alpha.im = one.beta.im = 0;
                if (i == 0) one.m = n, one.n = n, one.k = n;
                BatchCase batch(std::vector<GemmCase>(7, one), random, on_gpu());
                batch.send();
                const Batch x = batch.uniform();
                gemm_batch(*context_, Layout::ColMajor, i == 0 ? x : arrays_on_gpu(x));
                ASSERT_TRUE(batch.check());
            }
}

/// Strided ones: without gaps, from other addresses, with gaps.
TEST_F(CudaBatch, strided_ones_of_every_size) {
    Random random(5);
    for (const Type type : host_types)
        for (index_t n = 1; n <= 34; ++n)
            for (int i = 0; i < 6; ++i) {
                GemmCase one = random_case(random, n);
                one.type = type;
                one.layout = Layout::ColMajor;
                if (!is_complex(type)) one.alpha.im = one.beta.im = 0;
                if (i < 4) {
                    one.m = one.n = one.k = n;
                    one.op_a = i % 2 == 0 ? Op::NoTrans : Op::ConjTrans;
                    one.op_b = i / 2 == 0 ? Op::NoTrans : Op::Trans;
                }
                const auto count = static_cast<std::size_t>(random.between(1, 40));
                BatchCase batch(std::vector<GemmCase>(count, one), random);
                Chain chain(batch, random.chance(10) ? 1 : 0, random.chance(10) ? 3 : 0);
                const auto there = [&](const Chain::Memory& memory) {
                    return copied(memory.data(), static_cast<index_t>(memory.size()));
                };
                const std::byte* c = there(chain.c());
                gemm_batch(*context_, Layout::ColMajor,
                           chain.at(there(chain.a()), there(chain.b()), c));
                ASSERT_EQ(cudaMemcpy(chain.c().data(), c, chain.c().size(), cudaMemcpyDefault),
                          cudaSuccess);
                ASSERT_TRUE(chain.check());
                for (void* pointer : owned_) cudaFree(pointer);
                owned_.clear();
            }
}

/// The first calls of a shape are made by several kernels.
TEST_F(CudaBatch, the_first_calls_of_a_shape_are_right) {
    Random random(31);
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    for (const Type type : host_types)
        for (const std::array<index_t, 3> sizes :
             {std::array<index_t, 3>{9, 21, 30}, {45, 2, 17}}) {
            GemmCase one = random_case(random, 4);
            one.type = type;
            one.layout = Layout::ColMajor;
            if (!is_complex(type)) one.alpha.im = one.beta.im = 0;
            one.m = sizes[0], one.n = sizes[1], one.k = sizes[2];
            for (int call = 0; call < 16; ++call) {
                BatchCase batch(std::vector<GemmCase>(50, one), random, on_gpu());
                batch.send();
                gemm_batch(*context_, Layout::ColMajor, batch.uniform(), {false, stream});
                ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
                ASSERT_TRUE(batch.check()) << call;
            }
        }
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Halves at any multiple of their size, with sizes and distances of columns that are even: cuBLAS
/// reads several at a time then, and would fault.
TEST_F(CudaBatch, halves_by_pointers_begin_anywhere) {
    constexpr index_t m = 100, n = 20, k = 50, count = 200, room = m * k + 1;
    const std::vector<std::uint16_t> ones(static_cast<std::size_t>(count * room), 0x3c00);
    const std::uint16_t *a = copied(ones.data(), count * room),
                        *b = copied(ones.data(), count * room);
    const std::uint16_t* c = copied(ones.data(), count * room);
    std::vector<const void*> of_a, of_b, of_c;
    for (index_t i = 0; i < count; ++i)
        of_a.push_back(a + i * room), of_b.push_back(b + i * room), of_c.push_back(c + i * room);
    Batch x;
    x.type = Type::h;
    x.count = count;
    x.m = {m}, x.n = {n}, x.k = {k};
    x.alpha.all = {1, 0};
    x.a = {nullptr, 0, of_a.data(), {m}};
    x.b = {nullptr, 0, of_b.data(), {k}};
    x.c = {nullptr, 0, of_c.data(), {m}};
    for (int call = 0; call < 16; ++call) gemm_batch(*context_, Layout::ColMajor, x);
    std::vector<std::uint16_t> result(ones.size());
    ASSERT_EQ(cudaMemcpy(result.data(), c, 2 * result.size(), cudaMemcpyDefault), cudaSuccess);
    constexpr std::uint16_t fifty = 0x5240;
    for (index_t i = 0; i < count; ++i)
        for (index_t e = 0; e < m * n; ++e)
            ASSERT_EQ(result[static_cast<std::size_t>(i * room + e)], fifty) << i << " " << e;
}

/// Under policy best nothing is tried, and a call has the same bits each time.
TEST_F(CudaBatch, under_policy_best_all_calls_of_a_shape_have_the_same_bits) {
    Random random(32);
    Options options;
    options.devices = "cuda:0";
    options.policy = "best";
    Context best(options);
    GemmCase one = random_case(random, 4);
    one.type = Type::d;
    one.layout = Layout::ColMajor;
    one.alpha = {1.1, 0}, one.beta = {0.9, 0};
    one.m = 23, one.n = 50, one.k = 93;
    BatchCase batch(std::vector<GemmCase>(2000, one), random);
    Chain chain(batch, 0, 0);
    const auto there = [&](const Chain::Memory& memory) {
        return copied(memory.data(), static_cast<index_t>(memory.size()));
    };
    const std::byte *a = there(chain.a()), *b = there(chain.b());
    std::vector<std::byte> first(chain.c().size()), again(first.size());
    for (int call = 0; call < 16; ++call) {
        const std::byte* c = there(chain.c());
        gemm_batch(best, Layout::ColMajor, chain.at(a, b, c));
        ASSERT_EQ(cudaMemcpy(again.data(), c, again.size(), cudaMemcpyDefault), cudaSuccess);
        if (call == 0) first = again;
        ASSERT_EQ(first, again) << call;
    }
}

/// A shape that has taken long enough is made by kernels that were compiled meanwhile.
TEST_F(CudaBatch, calls_are_right_before_and_after_kernels_are_fitted) {
    Random random(33);
    for (const Type type : {Type::s, Type::d, Type::c, Type::z}) {
        GemmCase one = random_case(random, 4);
        one.type = type;
        one.layout = Layout::ColMajor;
        one.alpha = {1.1, 0}, one.beta = {0, 0};
        one.m = 7, one.n = 12, one.k = 5;
        BatchCase batch(std::vector<GemmCase>(20000, one), random, on_gpu());
        batch.send();
        const Batch there = arrays_on_gpu(batch.uniform());
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500))
            gemm_batch(*context_, Layout::ColMajor, there);
        ASSERT_TRUE(batch.check());
        for (void* pointer : owned_) cudaFree(pointer);
        owned_.clear();
    }
}

/// m, n and k with as many small ones as large ones, any ops and factors.
GemmCase any_shape(Random& random, Type type, index_t most, index_t most_k) {
    GemmCase one = random_case(random, 4);
    one.type = type;
    one.layout = Layout::ColMajor;
    if (!is_complex(type)) one.alpha.im = one.beta.im = 0;
    const auto size = [&](index_t limit) {
        index_t largest = 1;
        while (largest < limit && random.chance(80)) largest *= 2;
        return random.between(std::min(limit, (largest + 1) / 2), std::min(limit, largest));
    };
    one.m = size(most), one.n = size(most), one.k = random.chance(4) ? 0 : size(most_k);
    return one;
}

/// Every kernel that is compiled in, some that are fitted to the shape, and what the library
/// chooses, by pointers with gaps between
/// columns and strided from any address.
TEST_F(CudaBatch, random_shapes_by_every_kernel) {
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    ASSERT_NE(driver, nullptr) << why;
    Random random(17);
    const auto each = [&](Type type, const GpuBatchKernel& kernel, bool chosen) {
        const GemmCase one = any_shape(random, type,
                                       kernel.chains     ? 16
                                       : kernel.edge > 0 ? kernel.edge
                                                         : 128,
                                       kernel.chains  ? 16
                                       : kernel.k > 0 ? kernel.k
                                                      : 128);
        if (kernel.chains && one.k == 0) return;
        const auto count = static_cast<std::size_t>(random.between(1, 60));
        const auto run = [&](const Batch& x) {
            if (chosen)
                gemm_batch(*context_, Layout::ColMajor, x);
            else
                ASSERT_EQ(driver->batch_by(0, std::nullopt, x, kernel.name), 0)
                    << kernel.name << " " << to_string(one);
        };
        if (!kernel.chains && random.chance(50)) {
            BatchCase batch(std::vector<GemmCase>(count, one), random, on_gpu());
            batch.send();
            run(arrays_on_gpu(batch.uniform()));
            ASSERT_TRUE(batch.check()) << kernel.name << " " << to_string(one);
        } else {
            BatchCase batch(std::vector<GemmCase>(count, one), random);
            const bool apart = !kernel.chains && random.chance(50);
            Chain chain(batch, apart && !is_complex(type) ? random.between(0, 3) : 0,
                        apart ? random.between(0, 5) : 0);
            const auto there = [&](const Chain::Memory& memory) {
                return copied(memory.data(), static_cast<index_t>(memory.size()));
            };
            const std::byte* c = there(chain.c());
            run(chain.at(there(chain.a()), there(chain.b()), c));
            ASSERT_EQ(cudaMemcpy(chain.c().data(), c, chain.c().size(), cudaMemcpyDefault),
                      cudaSuccess);
            ASSERT_TRUE(chain.check()) << kernel.name << " " << to_string(one);
        }
        for (void* pointer : owned_) cudaFree(pointer);
        owned_.clear();
    };
    for (const Type type : host_types) {
        GpuBatchKernel kernel{};
        for (int i = 0; driver->batch_kernel(type, i, &kernel); ++i)
            for (int time = 0; time < 8 && !HasFatalFailure(); ++time) each(type, kernel, false);
        const char* const row = is_complex(type) ? "fitted:stage1x3" : "fitted:stage1x5";
        for (const char* name : {row, "fitted:double3x3"})
            for (int time = 0; time < 12 && !HasFatalFailure(); ++time) each(type, {name}, false);
        for (int time = 0; time < 60 && !HasFatalFailure(); ++time) each(type, {}, true);
    }
}

/// cuBLAS's call by pointers makes a strided batch, too.
TEST_F(CudaBatch, strided_by_pointers_of_cublas) {
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    ASSERT_NE(driver, nullptr) << why;
    Random random(23);
    for (const Type type : {Type::s, Type::d, Type::c, Type::z}) {
        GemmCase one = any_shape(random, type, 40, 40);
        one.k = std::max<index_t>(1, one.k), one.alpha = {1.5, 0};
        BatchCase batch(std::vector<GemmCase>(300, one), random);
        Chain chain(batch);
        const auto there = [&](const Chain::Memory& memory) {
            return copied(memory.data(), static_cast<index_t>(memory.size()));
        };
        const std::byte* c = there(chain.c());
        const Batch x = chain.at(there(chain.a()), there(chain.b()), c);
        ASSERT_EQ(driver->batch_by(0, std::nullopt, x, "cublas:pointers"), 0);
        ASSERT_EQ(cudaMemcpy(chain.c().data(), c, chain.c().size(), cudaMemcpyDefault),
                  cudaSuccess);
        ASSERT_TRUE(chain.check()) << to_string(one);
    }
}

/// More products than a GPU makes at once: C(i) = n (i % 5) (i % 3) + 1, n x n x n.
TEST_F(CudaBatch, long_chains) {
    const auto check = [&]<class T>(T, index_t n) {
        const index_t count = 2000003 / (n * n), each = n * n;
        const auto values = [&](auto value) {
            std::vector<T> all;
            for (index_t i = 0; i < count; ++i)
                all.insert(all.end(), static_cast<std::size_t>(each),
                           T(static_cast<float>(value(i))));
            return all;
        };
        std::vector<T> c = values([](index_t) { return 1; });
        const auto there = [&](const std::vector<T>& all) {
            return copied(all.data(), static_cast<index_t>(all.size()));
        };
        auto* there_c = const_cast<T*>(there(c));
        gemm_strided<T>(*context_, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n, T(1),
                        there(values([](index_t i) { return i % 5; })), n, each,
                        there(values([](index_t i) { return i % 3; })), n, each, T(1), there_c, n,
                        each, count);
        ASSERT_EQ(cudaMemcpy(c.data(), there_c, sizeof(T) * c.size(), cudaMemcpyDefault),
                  cudaSuccess);
        for (index_t i = 0; i < count * each; ++i) {
            const index_t p = i / each;
            ASSERT_EQ(c[static_cast<std::size_t>(i)],
                      T(static_cast<float>(n * (p % 5) * (p % 3) + 1)));
        }
    };
    for (const index_t n : {3, 4, 6, 9, 13, 20, 25, 31}) check(float{}, n);
    for (const index_t n : {5, 9, 22}) check(double{}, n);
    for (const index_t n : {5, 9, 16}) check(std::complex<float>{}, n);
    for (const index_t n : {5, 13, 14, 19, 23}) check(std::complex<double>{}, n);
}

TEST_F(CudaBatch, many_shapes) {
    Random random(2);
    for (int i = 0; i < 40; ++i) {
        const index_t largest[] = {8, 16, 32, 80, 200};
        BatchCase batch(random_products(random, random.between(1, 80), random.pick(largest)),
                        random, on_gpu());
        batch.send();
        const Batch x = batch.variable();
        gemm_batch(*context_, batch.layout(), random.chance(50) ? x : arrays_on_gpu(x),
                   {random.chance(30), {}});
        ASSERT_TRUE(batch.check());
    }
}

/// Products of n x n x n, n by product, that add p % 5 times p % 3 times n to C, which begins as
/// ones. Matrices of C follow each other.
struct Growing {
    std::vector<index_t> n;
    std::vector<const void*> a, b, c;
    std::vector<double> ones;

    /// full: matrices full of 0, 1, 2, 3 and 4.
    Growing(std::vector<index_t> sizes, const std::array<const double*, 5>& full, double* of_c)
        : n(std::move(sizes)) {
        std::size_t at = 0;
        for (std::size_t p = 0; p < n.size(); at += static_cast<std::size_t>(n[p] * n[p]), ++p)
            a.push_back(full[p % 5]), b.push_back(full[p % 3]), c.push_back(of_c + at);
        ones.assign(at, 1.0);
        EXPECT_EQ(cudaMemcpy(of_c, ones.data(), 8 * at, cudaMemcpyDefault), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
    Batch batch() const {
        Batch x;
        x.count = static_cast<index_t>(n.size());
        x.m = x.n = x.k = {0, n.data()};
        x.alpha.all = x.beta.all = {1, 0};
        x.a = {nullptr, 0, a.data(), {1, n.data()}};
        x.b = {nullptr, 0, b.data(), {1, n.data()}};
        x.c = {nullptr, 0, c.data(), {1, n.data()}};
        return x;
    }
    ::testing::AssertionResult check(int calls) const {
        std::vector<double> found(ones.size());
        EXPECT_EQ(cudaMemcpy(found.data(), c[0], 8 * found.size(), cudaMemcpyDefault), cudaSuccess);
        auto at = found.cbegin();
        for (std::size_t p = 0; p < n.size(); at += n[p] * n[p], ++p) {
            const auto grown =
                static_cast<double>(static_cast<std::size_t>(calls * n[p]) * (p % 5) * (p % 3));
            if (std::count(at, at + n[p] * n[p], 1 + grown) != n[p] * n[p])
                return ::testing::AssertionFailure() << "product " << p << " of n = " << n[p];
        }
        return ::testing::AssertionSuccess();
    }
};

/// Classes of doubles that are empty, that have one or two products, and that have more than their
/// kernel has on their way at once; in two streams side by side, one of which runs a graph.
TEST_F(CudaBatch, classes_of_few_and_of_many_products) {
    constexpr std::array<index_t, 6> edges{6, 20, 30, 42, 60, 90},
        many{20000, 9000, 5000, 2500, 1200, 300};
    constexpr index_t largest = 90 * 90, room = 21 << 20;  // elements
    std::array<const double*, 5> full{};
    for (std::size_t v = 0; v < full.size(); ++v)
        full[v] = copied(std::vector<double>(largest, static_cast<double>(v)).data(), largest);
    std::array<double*, 2> of_c{};
    for (double*& c : of_c) c = static_cast<double*>(allocate(8 * room));
    std::array<cudaStream_t, 2> streams{};
    for (cudaStream_t& stream : streams)
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    for (std::size_t large = 0; large < 64; large += 3) {
        std::vector<index_t> sizes;
        for (std::size_t q = 0; q < edges.size(); ++q)
            sizes.insert(
                sizes.end(),
                (large >> q & 1) != 0 ? static_cast<std::size_t>(many[q]) : (large + q) % 3,
                edges[q]);
        const Growing direct(sizes, full, of_c[0]), captured(sizes, full, of_c[1]);
        ASSERT_LE(direct.ones.size(), std::size_t{room});
        const Batch x = arrays_on_gpu(direct.batch()), y = arrays_on_gpu(captured.batch());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t runnable = nullptr;
        ASSERT_EQ(cudaStreamBeginCapture(streams[1], cudaStreamCaptureModeThreadLocal),
                  cudaSuccess);
        gemm_batch(*context_, Layout::ColMajor, y, {false, streams[1]});
        ASSERT_EQ(cudaStreamEndCapture(streams[1], &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
        constexpr int calls = 5;
        for (int i = 0; i < calls; ++i) {
            ASSERT_EQ(cudaGraphLaunch(runnable, streams[1]), cudaSuccess);
            gemm_batch(*context_, Layout::ColMajor, x, {false, streams[0]});
        }
        for (cudaStream_t stream : streams) ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_TRUE(direct.check(calls)) << large;
        EXPECT_TRUE(captured.check(calls)) << large;
        cudaGraphExecDestroy(runnable);
        cudaGraphDestroy(graph);
    }
    for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
}

TEST_F(CudaBatch, maxima_may_be_told) {
    Random random(3);
    std::vector<GemmCase> products = random_products(random, 200, 8);
    for (GemmCase& one : products) one.layout = Layout::ColMajor;
    BatchCase batch(products, random, on_gpu());
    batch.send();
    Batch x = arrays_on_gpu(batch.variable());
    x.m.all = x.n.all = x.k.all = 8;
    gemm_batch(*context_, Layout::ColMajor, x);
    EXPECT_TRUE(batch.check());
}

/// C(i) = 3 i + 2 + C(i), 1 x 1 x 1, in gaps of NaN.
TEST_F(CudaBatch, any_number_of_products) {
    for (const index_t count : {0, 1, 65535, 65536, 1000000}) {
        const auto size = static_cast<std::size_t>(2 * count);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        std::vector<double> a(size, nan), b(size, nan), c(size, nan);
        for (std::size_t i = 0; i < size; i += 2)
            a[i] = static_cast<double>(i / 2), b[i] = 3, c[i] = 2;
        const double* there_a = copied(a.data(), 2 * count);
        const double* there_b = copied(b.data(), 2 * count);
        auto* there_c = const_cast<double*>(copied(c.data(), 2 * count));
        gemm_strided<double>(*context_, Layout::ColMajor, Op::NoTrans, Op::Trans, 1, 1, 1, 1.0,
                             there_a, 1, 2, there_b, 1, 2, 1.0, there_c, 1, 2, count);
        ASSERT_EQ(cudaMemcpy(c.data(), there_c, 8 * size, cudaMemcpyDefault), cudaSuccess);
        for (std::size_t i = 0; i < size; i += 2) {
            ASSERT_EQ(c[i], 3.0 * static_cast<double>(i / 2) + 2);
            ASSERT_TRUE(std::isnan(c[i + 1]));
        }
    }
}

TEST_F(CudaBatch, a_bad_product_is_named_and_nothing_written) {
    Random random(4);
    std::vector<GemmCase> products(100);
    for (GemmCase& one : products) one.m = one.n = one.k = 3, one.beta = {1, 0};
    BatchCase batch(products, random, on_gpu());
    batch.send();
    Batch bad = batch.variable();
    std::vector<index_t> n(100, 3);
    n[77] = -1;
    bad.n.each = n.data();
    for (const Batch& x : {bad, arrays_on_gpu(bad)}) try {
            gemm_batch(*context_, Layout::ColMajor, x, {true, {}});
            ADD_FAILURE() << "not refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.text(), "gemm_batch: product 77: n is bad");
        }
    EXPECT_TRUE(batch.untouched());
}

/// Captured once, run twice: C = C + 1 each time.
TEST_F(CudaBatch, in_a_stream_and_in_a_graph) {
    const std::vector<double> ones(4000, 1.0);
    const double* a = copied(ones.data(), 4000);
    auto* c = const_cast<double*>(copied(ones.data(), 4000));
    const std::vector<index_t> sizes(1000, 2);
    std::vector<const void*> of_a, of_c;
    for (index_t i = 0; i < 1000; ++i) of_a.push_back(a + 4 * i), of_c.push_back(c + 4 * i);
    Batch x;
    x.count = 1000;
    x.m = x.n = x.k = {2, sizes.data()};
    x.alpha.all = {0.5, 0}, x.beta.all = {1, 0};
    x.a = x.b = {nullptr, 0, of_a.data(), {2}};
    x.c = {nullptr, 0, of_c.data(), {2}};
    const Batch there = arrays_on_gpu(x);
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    BatchOptions options;
    options.stream = stream;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    gemm_batch(*context_, Layout::ColMajor, there, options);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphExec_t runnable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(cudaGraphLaunch(runnable, stream), cudaSuccess);
    gemm_batch(*context_, Layout::ColMajor, x, options);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<double> result(4000);
    ASSERT_EQ(cudaMemcpy(result.data(), c, 32000, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(std::ranges::count(result, 4.0), 4000);
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace gemmill::test
