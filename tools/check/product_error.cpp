// SPDX-License-Identifier: Apache-2.0
#include "check/product_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "random/arrays.hpp"
#include "random/numbers.hpp"

namespace gemmill::command {
namespace {

/// Of each row of a matrix M: M x, and the sum of (|M| w)^2.
template <class W>
struct Rows {
    std::vector<W> sums;
    std::vector<double> squares;
};

/// `element` gives M(i, j).
template <class W, class Element>
Rows<W> times(index_t rows, Element element, const std::vector<W>& x,
              const std::vector<double>& w) {
    Rows<W> made{std::vector<W>(static_cast<std::size_t>(rows)),
                 std::vector<double>(static_cast<std::size_t>(rows))};
    parallel(rows, [&](index_t first, index_t last) {
        W* const sums = made.sums.data();
        double* const squares = made.squares.data();
        for (std::size_t j = 0; j < x.size(); ++j) {
            const W factor = x[j];
            const double weight = w[j] * w[j];
            for (index_t i = first; i < last; ++i) {
                const W value = element(i, static_cast<index_t>(j));
                sums[i] += value * factor;
                squares[i] += weight * std::norm(value);
            }
        }
    });
    return made;
}

template <class T>
class Check {
  public:
    Check(const GemmArgs& args, std::uint64_t seed) : g_(args), seed_(seed) {
        Random random(7);
        for (index_t j = 0; j < g_.n; ++j) {
            const double u = random.uniform();
            sizes_.push_back(u < 0 ? u - 0.5 : u + 0.5);
        }
        x_.assign(sizes_.begin(), sizes_.end());
    }

    double error() const {
        const auto bx = times(g_.k, stored(g_.b, g_.ldb), x_, sizes_);
        const std::vector<double> ones(bx.sums.size(), 1);
        const auto abx = times(g_.m, stored(g_.a, g_.lda), bx.sums, ones);
        const auto old = times(g_.m, first(), x_, sizes_);
        const auto cx = times(g_.m, stored(g_.c, g_.ldc), x_, sizes_);
        const double size_b = std::accumulate(bx.squares.begin(), bx.squares.end(), 0.0);
        const W alpha = wide(from_scalar<T>(g_.alpha)), beta = wide(from_scalar<T>(g_.beta));
        double worst = 0;
        for (std::size_t i = 0; i < cx.sums.size(); ++i) {
            const double difference =
                std::abs(cx.sums[i] - (alpha * abx.sums[i] + beta * old.sums[i]));
            const double size = std::abs(alpha) * std::sqrt(abx.squares[i] * size_b) +
                                std::abs(beta) * std::sqrt(old.squares[i]);
            const double ratio = difference / (8 * unit() * size);
            worst = std::max(worst, std::isnan(ratio) ? infinity : ratio);
        }
        return worst;
    }

  private:
    using W = std::conditional_t<is_complex(type_of<T>), std::complex<double>, double>;
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    static W wide(T x) { return W(x); }
    static auto stored(const void* data, index_t ld) {
        return [values = static_cast<const T*>(data), ld](index_t i, index_t j) {
            return wide(values[i + j * ld]);
        };
    }
    auto first() const {
        return [seed = seed_, ld = g_.ldc](index_t i, index_t j) {
            return wide(random_element<T>(seed, i + j * ld));
        };
    }
    /// What rounding does to a sum of k terms of size 1 and random signs.
    double unit() const {
        const double terms = std::sqrt(static_cast<double>(g_.k + 2));
        if constexpr (is_complex(type_of<T>))
            return 2 * std::sqrt(2.0) * terms *
                   std::numeric_limits<typename T::value_type>::epsilon();
        else
            return terms * std::numeric_limits<T>::epsilon();
    }

    const GemmArgs& g_;
    std::uint64_t seed_;
    std::vector<double> sizes_;
    std::vector<W> x_;
};

}  // namespace

double product_error(const GemmArgs& args, std::uint64_t seed) {
    switch (args.type) {
        case Type::s:
            return Check<float>(args, seed).error();
        case Type::c:
            return Check<std::complex<float>>(args, seed).error();
        case Type::z:
            return Check<std::complex<double>>(args, seed).error();
        default:
            return Check<double>(args, seed).error();
    }
}

}  // namespace gemmill::command
