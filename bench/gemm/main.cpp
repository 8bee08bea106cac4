// SPDX-License-Identifier: Apache-2.0
// The CPU-only path against the host BLAS called directly: the same product, the same library.
#include <fmt/format.h>

#include <cmath>
#include <gemmill/gemmill.hpp>

#include "gemm/host_blas.hpp"
#include "runner.hpp"

namespace {

void our_dgemm(gemmill::Context& context, const bench::Square& s) {
    using gemmill::Op;
    gemmill::gemm<double>(context, gemmill::Layout::ColMajor, Op::NoTrans, Op::NoTrans, s.n, s.n,
                          s.n, 1.1, s.a, s.n, s.b, s.n, 0.9, s.c, s.n);
}

/// Both from the same C, one call each: largest difference against what rounding allows.
bool agree(gemmill::Context& context, bench::Square s) {
    std::vector<double> ours = bench::random_matrix(s.n, 3), theirs = ours;
    s.c = ours.data();
    our_dgemm(context, s);
    s.c = theirs.data();
    bench::host_dgemm(s);
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        worst = std::max(worst, std::abs(ours[i] - theirs[i]));
    return worst <= 4e-16 * (s.n + 2) * 2;
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Settings settings = bench::parse(argc, argv);
    gemmill::Options options;
    options.devices = "cpu";
    gemmill::Context context(options);
    nlohmann::json results;
    bool all_agree = true;
    fmt::print("dgemm, C = 1.1 A B + 0.9 C, host BLAS directly and through gemmill\n");
    fmt::print("{:>6} {:>14} {:>14} {:>8} {:>8}\n", "n", "direct GFLOP/s", "gemmill", "ratio",
               "agree");
    const std::vector<int> sizes = settings.quick
                                       ? std::vector<int>{64, 256}
                                       : std::vector<int>{64, 128, 256, 384, 512, 1024, 2048};
    for (const int n : sizes) {
        const auto a = bench::random_matrix(n, 1), b = bench::random_matrix(n, 2);
        auto c = bench::random_matrix(n, 3);
        const bench::Square s{n, a.data(), b.data(), c.data()};
        const bool same = agree(context, s);
        all_agree = all_agree && same;
        const bench::Pair pair = bench::compare(settings, {"direct", [&] { bench::host_dgemm(s); }},
                                                {"gemmill", [&] { our_dgemm(context, s); }});
        const double flops = 2.0 * n * n * n;
        fmt::print("{:>6} {:>14.2f} {:>14.2f} {:>8.4f} {:>8}\n", n, flops / pair.first / 1e9,
                   flops / pair.second / 1e9, pair.ratio, same ? "yes" : "NO");
        results.push_back({{"name", "dgemm"},
                           {"n", n},
                           {"direct_seconds", pair.first},
                           {"gemmill_seconds", pair.second},
                           {"ratio", pair.ratio},
                           {"agree", same}});
    }
    bench::write(settings, results);
    return all_agree ? 0 : 1;
}
