// SPDX-License-Identifier: Apache-2.0
// Elements that one instruction moves between registers and memory.
#pragma once

#include <cstdint>

#include "gemmill/types.hpp"

namespace gemmill::batch {

/// `many` elements that are moved at once.
template <class T, int many>
struct alignas(sizeof(T) * many) Pack {
    T x[many];
};

/// Elements of a column of `edge` that one instruction can move.
template <class T>
constexpr int pack_of(int edge) {
    int many = 16 / static_cast<int>(sizeof(T));
    while (many > 1 && edge % many != 0) many /= 2;
    return many;
}

template <class T, int many>
__device__ bool is_aligned(const void* p, index_t ld) {
    return reinterpret_cast<std::uintptr_t>(p) % (many * sizeof(T)) == 0 && ld % many == 0;
}

}  // namespace gemmill::batch
