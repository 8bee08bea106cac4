// SPDX-License-Identifier: Apache-2.0
// Small products that follow each other in memory, one thread of ours against one of the host BLAS.
// What is timed is the processor time of the thread, which others on the machine disturb least.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "kernel/cpu/host/host_blas.hpp"
#include "kernel/cpu/small/small.hpp"
#include "runner.hpp"

namespace {

using namespace gemmill;

double thread_seconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A, B and C of `count` products; results are compared with those of the host BLAS.
class Products {
  public:
    Products(Type type, Op op_a, Op op_b, index_t n, index_t room) {
        g_.type = type, g_.op_a = op_a, g_.op_b = op_b;
        g_.m = g_.n = g_.k = g_.lda = g_.ldb = g_.ldc = n;
        g_.alpha = {1.1, 0}, g_.beta = {0.01, 0};
        bytes_ = n * n * bytes_of(type);
        count_ = std::max<index_t>(1, room / bytes_);
        reals_ = type == Type::s || type == Type::c ? 4 : 8;
        for (auto* matrix : {&a_, &b_, &c_}) fill(*matrix);
        // Some tens of microseconds.
        const auto work = static_cast<double>(n * n * n) * (is_complex(type) ? 4 : 1) + 300;
        part_ = std::clamp<index_t>(static_cast<index_t>(1.5e6 / work), 1, count_);
    }

    template <class F>
    double seconds(F gemm) {
        const double start = thread_seconds();
        for (index_t i = 0; i < part_; ++i) gemm(product(at_ + i, c_));
        const double taken = thread_seconds() - start;
        at_ = (at_ + part_) % count_;
        return taken / static_cast<double>(part_);
    }

    bool agree() {
        std::vector<double> ours = c_, theirs = c_;
        small_gemm(product(0, ours));
        host_gemm(product(0, theirs));
        const double eps = reals_ == 4 ? 0x1p-23 : 0x1p-52;
        const auto far = [&](double x, double y) {
            return std::abs(x - y) > 8 * eps * static_cast<double>(g_.k + 2) * 4;
        };
        for (index_t i = 0; i < bytes_ / reals_; ++i)
            if (far(real(ours, i), real(theirs, i))) return false;
        return true;
    }

  private:
    void fill(std::vector<double>& matrix) {
        matrix.resize(static_cast<std::size_t>(count_ * bytes_ / 8 + 1));
        std::mt19937 random(static_cast<unsigned>(a_.size() + b_.size()));
        std::uniform_real_distribution<double> values(-1, 1);
        for (index_t i = 0; i < count_ * bytes_ / reals_; ++i)
            if (reals_ == 4)
                reinterpret_cast<float*>(matrix.data())[i] = static_cast<float>(values(random));
            else
                matrix[static_cast<std::size_t>(i)] = values(random);
    }
    double real(const std::vector<double>& matrix, index_t i) const {
        return reals_ == 4 ? static_cast<double>(reinterpret_cast<const float*>(matrix.data())[i])
                           : matrix[static_cast<std::size_t>(i)];
    }
    GemmArgs product(index_t i, std::vector<double>& c) const {
        GemmArgs g = g_;
        const index_t at = i % count_ * bytes_;
        g.a = reinterpret_cast<const std::byte*>(a_.data()) + at;
        g.b = reinterpret_cast<const std::byte*>(b_.data()) + at;
        g.c = reinterpret_cast<std::byte*>(c.data()) + at;
        return g;
    }

    GemmArgs g_;
    index_t bytes_ = 0, count_ = 0, part_ = 1, at_ = 0, reals_ = 8;
    std::vector<double> a_, b_, c_;
};

}  // namespace

int main(int argc, char** argv) {
    const bench::Settings settings = bench::parse(argc, argv);
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
    open_host_blas("");
    constexpr index_t room = 8 << 20;
    const int rounds = settings.quick ? 3 : 101;
    nlohmann::json results;
    bool all_agree = true;
    for (const Type type : {Type::s, Type::d, Type::c, Type::z})
        for (const Op op_a : {Op::NoTrans, Op::Trans})
            for (const Op op_b : {Op::NoTrans, Op::Trans}) {
                std::string line = fmt::format("{} {}{}", letter_of(type), static_cast<char>(op_a),
                                               static_cast<char>(op_b));
                for (const index_t n : {2, 4, 8, 13, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384}) {
                    if (settings.quick && n > 16) continue;
                    Products products(type, op_a, op_b, n, settings.quick ? room / 64 : room);
                    const bool agree = products.agree();
                    std::vector<double> ours, theirs, ratios;
                    for (int r = 0; r < rounds; ++r) {
                        ours.push_back(products.seconds([](const GemmArgs& g) { small_gemm(g); }));
                        theirs.push_back(products.seconds([](const GemmArgs& g) { host_gemm(g); }));
                        ratios.push_back(theirs.back() / ours.back());
                    }
                    const double ratio = bench::median(ratios);
                    line += fmt::format("  {}: {:.2f}{}", n, ratio, agree ? "" : " WRONG");
                    all_agree = all_agree && agree;
                    results.push_back({{"type", std::string(1, letter_of(type))},
                                       {"ops", line.substr(2, 2)},
                                       {"n", n},
                                       {"ours_seconds", bench::median(ours)},
                                       {"host_seconds", bench::median(theirs)},
                                       {"ratio", ratio},
                                       {"agree", agree}});
                }
                fmt::print("{}\n", line);
            }
    bench::write(settings, results);
    return all_agree ? 0 : 1;
}
