// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm/data.hpp"

namespace gemmill::command {
namespace {

constexpr Scalar alpha{1.1, 0}, beta{0.9, 0};

std::size_t bytes_of(const BenchCase& one, std::size_t operand) {
    return static_cast<std::size_t>(elements(one, operand) * gemmill::bytes_of(one.type));
}

}  // namespace

BenchData::BenchData(Context& context, const std::vector<BenchCase>& cases)
    : context_(context), arrays_(context) {
    for (const BenchCase& one : cases)
        for (std::size_t operand = 0; operand < 3; ++operand) {
            arrays_.grow(host_of(one), operand, bytes_of(one, operand));
            if (on_device(one, operand))
                arrays_.grow(Where::device, operand, bytes_of(one, operand));
        }
}

std::byte* BenchData::host(const BenchCase& one, std::size_t operand) {
    return arrays_.data(host_of(one), operand);
}

std::byte* BenchData::home(const BenchCase& one, std::size_t operand) {
    return arrays_.data(on_device(one, operand) ? Where::device : host_of(one), operand);
}

void BenchData::send(const BenchCase& one, std::size_t operand) {
    if (on_device(one, operand))
        context_.copy(home(one, operand), host(one, operand), bytes_of(one, operand));
}

GemmArgs BenchData::place(const BenchCase& one) {
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}}) {
        arrays_.fill(host_of(one), operand, one.type);
        send(one, operand);
    }
    return {one.type,     Op::NoTrans, Op::NoTrans,  one.m, one.n, one.k,        alpha,
            home(one, 0), one.m,       home(one, 1), one.k, beta,  home(one, 2), one.m};
}

void BenchData::reset(const BenchCase& one) {
    fill_random(one.type, host(one, 2), elements(one, 2), seeds[2]);
    send(one, 2);
}

GemmArgs BenchData::on_host(const BenchCase& one) {
    if (on_device(one, 2)) context_.copy(host(one, 2), home(one, 2), bytes_of(one, 2));
    BenchCase all = one;
    all.at = "hhh";
    return {one.type,     Op::NoTrans, Op::NoTrans,  one.m, one.n, one.k,        alpha,
            host(all, 0), one.m,       host(all, 1), one.k, beta,  host(all, 2), one.m};
}

}  // namespace gemmill::command
