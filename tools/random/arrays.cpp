// SPDX-License-Identifier: Apache-2.0
#include "random/arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace gemmill::command {
namespace {

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

BenchArrays::~BenchArrays() {
    for (const Where where : {Where::pinned, Where::pageable, Where::device})
        for (std::size_t operand = 0; operand < 3; ++operand) {
            std::byte* const data = array(where, operand).data;
            if (where == Where::pageable)
                std::free(data);
            else if (data != nullptr)
                context_.release(data);
        }
}

void BenchArrays::grow(Where where, std::size_t operand, std::size_t bytes) {
    Array& a = array(where, operand);
    a.bytes = std::max(a.bytes, (bytes + page - 1) / page * page);
}

std::byte* BenchArrays::data(Where where, std::size_t operand) {
    Array& a = array(where, operand);
    if (a.data != nullptr) return a.data;
    void* data = where == Where::pinned   ? context_.allocate_host(a.bytes)
                 : where == Where::device ? context_.allocate(0, a.bytes)
                                          : std::aligned_alloc(page, a.bytes);
    if (data == nullptr) throw std::bad_alloc();
    return a.data = static_cast<std::byte*>(data);
}

void BenchArrays::fill(Where where, std::size_t operand, Type type) {
    Array& a = array(where, operand);
    if (a.filled == type) return;
    fill_random(type, data(where, operand), static_cast<index_t>(a.bytes) / bytes_of(type),
                seeds[operand]);
    a.filled = type;
}

}  // namespace gemmill::command
