// SPDX-License-Identifier: Apache-2.0
#include "bench_data.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>

namespace gemmill::command {
namespace {

constexpr Scalar alpha{1.1, 0}, beta{0.9, 0};

std::size_t bytes_of(const BenchCase& one, std::size_t operand) {
    return static_cast<std::size_t>(elements(one, operand) * gemmill::bytes_of(one.type));
}

template <class R>
void fill_reals(void* data, index_t count, std::uint64_t seed) {
    R* const reals = static_cast<R*>(data);
    parallel(count, [=](index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) reals[i] = random_real<R>(seed, i);
    });
}

}  // namespace

void parallel(index_t count, const std::function<void(index_t, index_t)>& f) {
    const index_t threads = std::max<index_t>(1, std::thread::hardware_concurrency());
    std::vector<std::jthread> all;
    for (index_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] { f(count * t / threads, count * (t + 1) / threads); });
}

void fill_random(Type type, void* data, index_t count, std::uint64_t seed) {
    const index_t reals = is_complex(type) ? 2 * count : count;
    if (type == Type::h) return fill_reals<half>(data, reals, seed);
    if (type == Type::b) return fill_reals<bfloat16>(data, reals, seed);
    const bool single = type == Type::s || type == Type::c;
    single ? fill_reals<float>(data, reals, seed) : fill_reals<double>(data, reals, seed);
}

BenchData::BenchData(Context& context, const std::vector<BenchCase>& cases) : context_(context) {
    for (const BenchCase& one : cases)
        for (std::size_t operand = 0; operand < 3; ++operand) {
            const auto grow = [&](Kind kind) {
                Array& a = arrays_[kind][operand];
                a.bytes = std::max(a.bytes, bytes_of(one, operand));
            };
            grow(host_kind(one));
            if (on_device(one, operand)) grow(device);
        }
}

BenchData::~BenchData() {
    for (std::size_t kind = 0; kind < kinds; ++kind)
        for (const Array& a : arrays_[kind]) {
            if (kind == pageable)
                std::free(a.data);
            else if (a.data != nullptr)
                context_.release(a.data);
        }
}

BenchData::Array& BenchData::array(Kind kind, std::size_t operand) {
    constexpr std::size_t page = 4096;
    Array& a = arrays_[kind][operand];
    if (a.data != nullptr) return a;
    void* data = kind == pinned   ? context_.allocate_host(a.bytes)
                 : kind == device ? context_.allocate(0, a.bytes)
                                  : std::aligned_alloc(page, (a.bytes + page - 1) / page * page);
    if (data == nullptr) throw std::bad_alloc();
    a.data = static_cast<std::byte*>(data);
    return a;
}

std::byte* BenchData::host(const BenchCase& one, std::size_t operand) {
    return array(host_kind(one), operand).data;
}

std::byte* BenchData::home(const BenchCase& one, std::size_t operand) {
    return array(on_device(one, operand) ? device : host_kind(one), operand).data;
}

/// A and B on the host: anew only when they hold another type.
void BenchData::make(const BenchCase& one) {
    std::optional<Type>& filled = filled_[host_kind(one)];
    if (filled == one.type) return;
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}}) {
        const Array& a = array(host_kind(one), operand);
        fill_random(one.type, a.data, static_cast<index_t>(a.bytes) / gemmill::bytes_of(one.type),
                    seeds[operand]);
    }
    filled = one.type;
}

void BenchData::send(const BenchCase& one, std::size_t operand) {
    if (on_device(one, operand))
        context_.copy(home(one, operand), host(one, operand), bytes_of(one, operand));
}

GemmArgs BenchData::place(const BenchCase& one) {
    make(one);
    send(one, 0);
    send(one, 1);
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
