// SPDX-License-Identifier: Apache-2.0
// Products of a batch that was timed, beside plain loops.
#include <algorithm>
#include <cmath>

#include "bench/batch/layout.hpp"
#include "random/arrays.hpp"

namespace gemmill::command {
namespace {

double absolute(double x) { return std::abs(x); }
double absolute(std::complex<double> x) { return std::abs(x); }
double conjugate(double x) { return x; }
std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

/// As many products as are cheap to make by loops.
index_t how_many(const BatchBenchCase& one, index_t most) {
    const double affordable = 4e5 * static_cast<double>(most);
    constexpr index_t least = 2;
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
std::vector<BatchBench::Looked> BatchBench::look_at(const BatchBenchCase& one, const Layout& x,
                                                    index_t most) const {
    std::vector<Looked> all;
    const index_t step = std::max<index_t>(1, x.here.count / how_many(one, most));
    for (index_t p = 0; p < x.here.count; p += step) all.push_back({p, {}, {}});
    with_type(one.type, [&]<class T>() {
        for (Looked& of : all) {
            const index_t p = of.product, m = x.size(x.m, p), n = x.size(x.n, p),
                          k = x.size(x.k, p);
            const index_t lda = x.size(x.lda, p), ldb = x.size(x.ldb, p), ldc = x.size(x.ldc, p);
            const bool as_is_a = one.op_a == Op::NoTrans, as_is_b = one.op_b == Op::NoTrans;
            const auto a = random_matrix<T>(seeds[0], x.place(x.a, p), lda * (as_is_a ? k : m));
            const auto b = random_matrix<T>(seeds[1], x.place(x.b, p), ldb * (as_is_b ? n : k));
            const auto c = random_matrix<T>(seeds[2], x.place(x.c, p), ldc * n);
            const index_t a_row = as_is_a ? 1 : lda, a_col = as_is_a ? lda : 1,
                          b_row = as_is_b ? 1 : ldb, b_col = as_is_b ? ldb : 1;
            const bool conj_a = one.op_a == Op::ConjTrans, conj_b = one.op_b == Op::ConjTrans;
            for (index_t q = 0; q < n; ++q)
                for (index_t r = 0; r < m; ++r) {
                    WideOf<T> sum{};
                    double size = 0;
                    for (index_t l = 0; l < k; ++l) {
                        auto f = a[static_cast<std::size_t>(r * a_row + l * a_col)],
                             g = b[static_cast<std::size_t>(l * b_row + q * b_col)];
                        if (conj_a) f = conjugate(f);
                        if (conj_b) g = conjugate(g);
                        sum += f * g;
                        size += absolute(f) * absolute(g);
                    }
                    const auto old = c[static_cast<std::size_t>(r + q * ldc)];
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
        {
            const bool wide = bytes_of(type_of<T>) == (is_complex(type_of<T>) ? 16 : 8);
            const double eps = type_of<T> == Type::h   ? 0x1p-10
                               : type_of<T> == Type::b ? 0x1p-7
                               : wide                  ? 0x1p-52
                                                       : 0x1p-23;
            double worst = 0;
            for (const Looked& of : looked) {
                const index_t m = x.size(x.m, of.product), ldc = x.size(x.ldc, of.product);
                std::vector<T> c(static_cast<std::size_t>(ldc * x.size(x.n, of.product)));
                context_.copy(c.data(), c_ + x.place(x.c, of.product) * bytes_of(one.type),
                              c.size() * sizeof(T));
                // Sums of short numbers are of floats.
                const double terms =
                    is_short(type_of<T>) ? 2 : static_cast<double>(x.size(x.k, of.product) + 2);
                const double unit = 4 * eps * terms;
                for (std::size_t i = 0; i < of.want.size(); ++i) {
                    const auto row = static_cast<index_t>(i) % m, col = static_cast<index_t>(i) / m;
                    const auto value = WideOf<T>(c[static_cast<std::size_t>(row + col * ldc)]);
                    const double off =
                        absolute(std::complex<double>(value) - of.want[i]) / (unit * of.size[i]);
                    if (std::isnan(off)) return off;
                    worst = std::max(worst, off);
                }
            }
            return worst;
        }
    });
}

}  // namespace gemmill::command
