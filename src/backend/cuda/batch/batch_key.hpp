// SPDX-License-Identifier: Apache-2.0
// All that the choice of a kernel depends on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gemmill/batch.hpp"

namespace gemmill {

struct BatchKey {
    int device = -1;
    Type type = Type::d;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    bool cublas_may = false, reads = false;
    std::array<index_t, 10> sizes{};
    std::array<bool, 3> pointers{};
    std::array<unsigned, 3> behind{};  // a multiple of 16 bytes
    bool operator==(const BatchKey&) const = default;
};

inline BatchKey key_of(int device, const Batch& x, bool cublas_may) {
    const auto behind = [](const BatchMatrix& of) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(of.data) % 16);
    };
    return {device,
            x.type,
            x.op_a.all,
            x.op_b.all,
            cublas_may,
            x.beta.all != Scalar{},
            {x.m.all, x.n.all, x.k.all, x.count, x.a.ld.all, x.b.ld.all, x.c.ld.all, x.a.stride,
             x.b.stride, x.c.stride},
            {x.a.array != nullptr, x.b.array != nullptr, x.c.array != nullptr},
            {behind(x.a), behind(x.b), behind(x.c)}};
}

/// A number that tells apart what differs in these, mostly.
template <class Numbers>
std::uint64_t mixed(const Numbers& numbers, std::uint64_t h) {
    for (const auto number : numbers) h = (h ^ static_cast<std::uint64_t>(number)) * 1099511628211U;
    return h;
}
inline std::uint64_t hash_of(const BatchKey& key) {
    return mixed(key.sizes, static_cast<std::uint64_t>(key.type) + 14695981039346656037U);
}
inline std::size_t place_of(std::uint64_t hash, std::size_t places) {
    return (hash >> 32) % places;
}

}  // namespace gemmill
