// SPDX-License-Identifier: Apache-2.0
// What bricks must send at least on one grid of ranks, whatever their shapes and whoever makes
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill::test {

/// A rank (p, q) of a P x Q grid stores rows p and columns q of C, rows p of A for indices q of k,
/// columns q of B for indices p of k. Its brick of M x N x K elements spares what it stores of the
/// three faces:
///     (M in p) (K in q) + (K in p) (N in q) + (M in p) (N in q).
/// Bricks have no product in common, so for the P ranks of each q
///     the sum of M (N in q) (K in q) is at most m n k / Q^2,
/// and for the Q ranks of each p that of N (M in p) (K in p) at most m n k / P^2. With a multiplier
/// for either the ranks become independent, and any multipliers give a bound (Lagrange): the best
/// ones are looked for.
class BrickFloor {
  public:
    BrickFloor(index_t m, index_t n, index_t k, int p, int q)
        : m_(static_cast<double>(m)),
          n_(static_cast<double>(n)),
          k_(static_cast<double>(k)),
          p_(p),
          q_(q) {
        constexpr double step = 1.05;
        const double ranks = p_ * q_;
        for (double rows = 1; rows <= ranks; rows *= step)
            for (double cols = 1; rows * cols <= ranks; cols *= step)
                shapes_.push_back({m_ / rows, n_ / cols, k_ * rows * cols / ranks});
    }

    /// Elements that all ranks send.
    double elements() const {
        return best(2 * p_ * q_ / m_, [&](double x) {
            return best(2 * p_ * q_ / n_, [&](double y) { return with(x, y); });
        });
    }

  private:
    struct Shape {
        double m, n, k;
    };

    /// The largest value of a concave function on [0, last], about.
    template <class F>
    static double best(double last, F&& f) {
        double low = 0, high = last, most = f(0);
        for (int i = 0; i < 12; ++i) {
            const double x = low + (high - low) / 3, y = high - (high - low) / 3;
            const double at_x = f(x), at_y = f(y);
            most = std::max({most, at_x, at_y});
            (at_x < at_y ? low : high) = at_x < at_y ? x : y;
        }
        return most;
    }

    double with(double of_cols, double of_rows) const {
        double least = std::numeric_limits<double>::max();
        for (const Shape& x : shapes_) least = std::min(least, of_brick(x, of_cols, of_rows));
        const double products = m_ * n_ * k_;
        return p_ * q_ * least - of_cols * products / q_ - of_rows * products / p_;
    }

    /// Linear in each of the four overlaps, so it is least where each is nothing or all it can be.
    double of_brick(const Shape& x, double of_cols, double of_rows) const {
        double least = std::numeric_limits<double>::max();
        for (int which = 0; which < 16; ++which) {
            const auto chosen = [&](int bit, double most) {
                return (which >> bit & 1) != 0 ? most : 0.0;
            };
            const double m = chosen(0, std::min(x.m, m_ / p_));
            const double n = chosen(1, std::min(x.n, n_ / q_));
            const double in_a = chosen(2, std::min(x.k, k_ / q_));
            const double in_b = chosen(3, std::min(x.k, k_ / p_));
            least =
                std::min(least, x.m * x.k + x.k * x.n + x.m * x.n - m * in_a - in_b * n - m * n +
                                    of_cols * x.m * n * in_a + of_rows * x.n * m * in_b);
        }
        return least;
    }

    double m_, n_, k_, p_, q_;
    std::vector<Shape> shapes_;
};

}  // namespace gemmill::test
