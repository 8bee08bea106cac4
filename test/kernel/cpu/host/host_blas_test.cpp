// SPDX-License-Identifier: Apache-2.0
// The host BLAS against the loops, and where 32 bits end.
#include "kernel/cpu/host/host_blas.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <complex>
#include <thread>
#include <utility>
#include <vector>

#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

/// In a process of its own, for the library that was opened first stays.
int code_of_open(const char* path) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            open_host_blas(path);
        } catch (const Error& error) {
            const bool named = error.text().find(path) != std::string::npos;
            ::_exit(named ? static_cast<int>(error.code()) : 99);
        }
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HostBlasPath, a_wrong_one_is_named) {
    if (!host_blas_name().empty()) GTEST_SKIP() << "opened before";
    EXPECT_EQ(code_of_open("/nowhere/libblas.so"), static_cast<int>(Code::no_device));
    EXPECT_EQ(code_of_open("libm.so.6"), static_cast<int>(Code::no_device));
}

class HostBlas : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { open_host_blas(""); }
};

/// Element (i, j) of a symmetric or hermitian matrix of which one triangle is known.
template <class T>
T whole(const std::vector<T>& stored, index_t ld, const MirrorArgs& g, index_t i, index_t j) {
    const bool there = g.uplo == Uplo::Lower ? i >= j : i <= j;
    const T x = stored[static_cast<std::size_t>(there ? i + j * ld : j + i * ld)];
    if (!g.conjugate) return x;
    if (i == j) return T(std::real(x));
    return there ? x : std::conj(x);
}

/// Fills up a square, and a block of a larger matrix that has one behind or before it.
template <class T>
void check_mirror(void (*mirror)(const MirrorArgs&), MirrorArgs g, Random& random) {
    const index_t n = random.between(1, 150), cut = random.between(0, n), ld = n + 3;
    std::vector<T> a(static_cast<std::size_t>(ld * n));
    using R = typename T::value_type;
    for (T& x : a) x = T(static_cast<R>(random.real()), static_cast<R>(random.real()));
    const std::vector<T> old = a;
    const auto at = [&](index_t i, index_t j) { return a.data() + i + j * ld; };
    g.ld = ld;
    for (const auto& [first, size] : {std::pair{index_t{0}, cut}, {cut, n - cut}}) {
        g.m = g.n = size;
        g.from = g.to = at(first, first);
        if (size > 0) mirror(g);
    }
    const bool lower = g.uplo == Uplo::Lower;
    g.m = lower ? cut : n - cut, g.n = n - g.m;
    g.to = lower ? at(0, cut) : at(cut, 0);
    g.from = lower ? at(cut, 0) : at(0, cut);
    if (g.m > 0 && g.n > 0) mirror(g);
    for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < ld; ++i)
            ASSERT_EQ(*at(i, j),
                      i < n ? whole(old, ld, g, i, j) : old[static_cast<std::size_t>(i + j * ld)]);
}

TEST(Mirror, fills_up_what_is_not_stored_and_nothing_else) {
    Random random(11);
    for (const auto mirror : {host_mirror, reference_mirror})
        for (const Uplo uplo : {Uplo::Lower, Uplo::Upper})
            for (const bool conjugate : {false, true})
                for (int i = 0; i < affordable(20) && !HasFailure(); ++i) {
                    MirrorArgs g;
                    g.uplo = uplo, g.conjugate = conjugate;
                    g.type = Type::z;
                    check_mirror<std::complex<double>>(mirror, g, random);
                    g.type = Type::c;
                    check_mirror<std::complex<float>>(mirror, g, random);
                }
}

TEST(Mirror, of_real_numbers_is_the_same_either_way) {
    for (const bool conjugate : {false, true}) {
        std::vector<double> a{1, 2, 0, 4};
        host_mirror({Type::d, Uplo::Lower, conjugate, 2, 2, a.data(), a.data(), 2});
        EXPECT_EQ(a, (std::vector<double>{1, 2, 2, 4}));
        std::vector<float> b{1, 0, 3, 4};
        host_mirror({Type::s, Uplo::Upper, conjugate, 2, 2, b.data(), b.data(), 2});
        EXPECT_EQ(b, (std::vector<float>{1, 3, 3, 4}));
    }
}

void call(Operands& x) {
    const GemmCase& c = x.problem();
    host_gemm({c.type, c.op_a, c.op_b, c.m, c.n, c.k, c.alpha, x.a().data(), x.a().ld(),
               x.b().data(), x.b().ld(), c.beta, x.c().data(), x.c().ld()});
}

TEST_F(HostBlas, agrees_with_the_loops_for_every_flag) {
    Random random(1);
    for (const Type type : host_types)
        for (const Op op_a : all_ops)
            for (const Op op_b : all_ops)
                for (int i = 0; i < affordable(40); ++i) {
                    GemmCase c = random_case(random, 50);
                    c.type = type, c.op_a = op_a, c.op_b = op_b;
                    c.layout = Layout::ColMajor;
                    if (!is_complex(type)) c.alpha.im = c.beta.im = 0;
                    Operands x(c, random);
                    x.allow_roundings(1);
                    call(x);
                    ASSERT_TRUE(x.check());
                }
}

TEST_F(HostBlas, is_named) {
    EXPECT_NE(host_blas_name(), "");
    EXPECT_GE(host_blas_threads(), 0);
}

TEST_F(HostBlas, several_threads_may_call_it) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Random random(t);
            GemmCase c;
            c.m = c.n = c.k = 90;
            for (int i = 0; i < affordable(30); ++i) {
                Operands x(c, random);
                call(x);
                wrong += x.check() ? 0 : 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

/// Address space that costs nothing until it is touched.
class Sparse {
  public:
    explicit Sparse(std::size_t bytes)
        : bytes_(bytes),
          data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~Sparse() {
        if (valid()) ::munmap(data_, bytes_);
    }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;
    bool valid() const { return data_ != MAP_FAILED; }
    double* data() const { return static_cast<double*>(data_); }

  private:
    std::size_t bytes_;
    void* data_;
};

TEST_F(HostBlas, leading_dimensions_beyond_32_bits) {
    constexpr index_t ld = (index_t{1} << 31) + 5;
    const Sparse wide(static_cast<std::size_t>(2 * ld) * sizeof(double));
    if (!wide.valid()) GTEST_SKIP() << "no address space for 32 GiB";
    double* w = wide.data();
    w[0] = 1, w[1] = 3, w[ld] = 2, w[ld + 1] = 4;
    const double b[] = {5, 7, 6, 8};
    double c[4] = {};
    GemmArgs g{Type::d, Op::NoTrans, Op::NoTrans, 2, 2, 2, {1, 0}, w, ld, b, 2, {0, 0}, c, 2};
    host_gemm(g);
    EXPECT_EQ(c[0], 19);
    EXPECT_EQ(c[3], 50);
    g.a = b, g.lda = 2, g.b = b, g.c = w, g.ldc = ld;
    host_gemm(g);
    EXPECT_EQ(w[0], 5 * 5 + 6 * 7);
    EXPECT_EQ(w[ld + 1], 7 * 6 + 8 * 8);
}

TEST_F(HostBlas, uses_fewer_threads_for_a_while) {
    const int before = host_blas_threads();
    {
        const FewerHostThreads one(1);
        const int one_or_unknown = before > 0 ? 1 : before;
        EXPECT_EQ(host_blas_threads(), one_or_unknown);
        const FewerHostThreads two(2), all(0);
        EXPECT_EQ(host_blas_threads(), one_or_unknown) << "the first one counts";
    }
    EXPECT_EQ(host_blas_threads(), before);
    const FewerHostThreads more(before + 1);
    EXPECT_EQ(host_blas_threads(), before) << "never more than before";
}

}  // namespace
}  // namespace gemmill::test
