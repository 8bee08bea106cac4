// SPDX-License-Identifier: Apache-2.0
// What one step takes when it runs alone.
#pragma once

#include <cstdint>

#include "gemmill/plan.hpp"

namespace gemmill {

/// `latency` seconds, then `amount` at `rate` at most. A transfer's amount is bytes; a kernel's is
/// seconds of its device, at rate 1 unless it cannot use all of it.
struct Cost {
    double latency = 0;
    double amount = 0;
    double rate = 1;

    /// Of a kernel that runs alone.
    double seconds() const { return amount / rate; }
};
/// flop/s of a product m x n x k: the device's peak, or what was measured of its shape. Between
/// measured shapes by logarithms; what is smaller than the smallest takes as long as it.
double kernel_rate(const Device& device, Type type, double m, double n, double k);
/// A product with edge^2 results whose sizes and the device's grain have no larger common divisor.
struct OddProduct {
    Type type = Type::d;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    double edge = 0;
    index_t common = 1;
};
/// What is left of the rate of such a product.
double odd_part(const Machine& machine, const Device& device, const OddProduct& product);
Cost cost_of(const Plan& plan, const Step& step);

}  // namespace gemmill
