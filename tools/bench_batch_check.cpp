// SPDX-License-Identifier: Apache-2.0
// Products of a batch that was timed, beside plain loops.
#include <algorithm>
#include <cmath>

#include "bench_batch_layout.hpp"
#include "bench_data.hpp"

namespace gemmill::command {
namespace {

double absolute(double x) { return std::abs(x); }
double absolute(std::complex<double> x) { return std::abs(x); }

/// As many products as are cheap to make by loops.
index_t how_many(const BatchBenchCase& one) {
    constexpr double affordable = 2e7;
    constexpr index_t most = 50, least = 2;
    const double work = static_cast<double>(one.m * one.n) * static_cast<double>(one.k);
    return std::clamp<index_t>(static_cast<index_t>(affordable / work), least, most);
}

template <class T>
using WideOf = std::conditional_t<is_complex(type_of<T>), std::complex<double>, double>;

/// Elements of a random array, from an index on.
template <class T>
std::vector<WideOf<T>> random_matrix(std::uint64_t seed, index_t first, index_t size) {
    std::vector<WideOf<T>> x;
    for (index_t i = 0; i < size; ++i) x.emplace_back(random_element<T>(seed, first + i));
    return x;
}

}  // namespace

/// Some products of the case, made by loops.
std::vector<BatchBench::Looked> BatchBench::look_at(const BatchBenchCase& one,
                                                    const Layout& x) const {
    std::vector<Looked> all;
    const index_t step = std::max<index_t>(1, x.here.count / how_many(one));
    for (index_t p = 0; p < x.here.count; p += step) all.push_back({p, {}, {}});
    with_type(one.type, [&]<class T>() {
        if constexpr (!is_short(type_of<T>))
            for (Looked& of : all) {
                const index_t p = of.product, m = x.size(x.m, p), n = x.size(x.n, p),
                              k = x.size(x.k, p);
                const auto a = random_matrix<T>(seeds[0], x.place(x.a, p), m * k);
                const auto b = random_matrix<T>(seeds[1], x.place(x.b, p), k * n);
                const auto c = random_matrix<T>(seeds[2], x.place(x.c, p), m * n);
                const index_t a_row = one.op_a == Op::NoTrans ? 1 : k,
                              a_col = one.op_a == Op::NoTrans ? m : 1,
                              b_row = one.op_b == Op::NoTrans ? 1 : n,
                              b_col = one.op_b == Op::NoTrans ? k : 1;
                for (index_t q = 0; q < n; ++q)
                    for (index_t r = 0; r < m; ++r) {
                        WideOf<T> sum{};
                        double size = 0;
                        for (index_t l = 0; l < k; ++l) {
                            const auto f = a[static_cast<std::size_t>(r * a_row + l * a_col)],
                                       g = b[static_cast<std::size_t>(l * b_row + q * b_col)];
                            sum += f * g;
                            size += absolute(f) * absolute(g);
                        }
                        const auto old = c[static_cast<std::size_t>(r + q * m)];
                        of.want.emplace_back(batch_alpha.re * sum + batch_beta.re * old);
                        of.size.push_back(batch_alpha.re * size + batch_beta.re * absolute(old));
                    }
            }
    });
    return all;
}

/// In units of 4 eps (k + 2) (|alpha| |A||B| + |beta||C|).
double BatchBench::error_of(const BatchBenchCase& one, const Layout& x,
                            const std::vector<Looked>& looked) {
    return with_type(one.type, [&]<class T>() -> double {
        if constexpr (is_short(type_of<T>))
            return std::nan("");
        else {
            const double eps =
                bytes_of(type_of<T>) == (is_complex(type_of<T>) ? 16 : 8) ? 0x1p-52 : 0x1p-23;
            double worst = 0;
            for (const Looked& of : looked) {
                std::vector<T> c(of.want.size());
                context_.copy(c.data(), c_ + x.place(x.c, of.product) * bytes_of(one.type),
                              c.size() * sizeof(T));
                const double unit = 4 * eps * static_cast<double>(x.size(x.k, of.product) + 2);
                for (std::size_t i = 0; i < c.size(); ++i) {
                    const double off =
                        absolute(std::complex<double>(c[i]) - of.want[i]) / (unit * of.size[i]);
                    if (std::isnan(off)) return off;
                    worst = std::max(worst, off);
                }
            }
            return worst;
        }
    });
}

}  // namespace gemmill::command
