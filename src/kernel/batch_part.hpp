// SPDX-License-Identifier: Apache-2.0
// Products of a batch: one of them, or some that follow each other.
#pragma once

#include <cstddef>

#include "gemmill/batch.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// Bytes of an alpha or a beta.
constexpr index_t factor_bytes(Type type) {
    return is_short(type) ? bytes_of(Type::s) : bytes_of(type);
}

inline Scalar factor_of(const BatchFactor& factor, Type type, index_t i) {
    if (factor.each == nullptr) return factor.all;
    return with_type(type, [&]<class T>() {
        return to_scalar(static_cast<const scalar_t<T>*>(factor.each)[i]);
    });
}

inline const void* matrix_of(const BatchMatrix& x, Type type, index_t i) {
    if (x.array != nullptr) return x.array[i];
    if (x.data == nullptr) return nullptr;
    return static_cast<const std::byte*>(x.data) + i * x.stride * bytes_of(type);
}

/// Product i of a batch whose arrays are in host memory.
inline GemmArgs product_of(const Batch& x, index_t i) {
    return {x.type,
            x.op_a[i],
            x.op_b[i],
            x.m[i],
            x.n[i],
            x.k[i],
            factor_of(x.alpha, x.type, i),
            matrix_of(x.a, x.type, i),
            x.a.ld[i],
            matrix_of(x.b, x.type, i),
            x.b.ld[i],
            factor_of(x.beta, x.type, i),
            const_cast<void*>(matrix_of(x.c, x.type, i)),
            x.c.ld[i]};
}

/// Products first to last, without that one. Arrays may lie anywhere.
inline Batch slice(const Batch& x, index_t first, index_t last) {
    Batch s = x;
    s.count = last - first;
    const auto move = [&](auto& of) {
        if (of.each != nullptr) of.each += first;
    };
    move(s.op_a), move(s.op_b), move(s.m), move(s.n), move(s.k);
    for (BatchFactor* of : {&s.alpha, &s.beta})
        if (of->each != nullptr)
            of->each = static_cast<const std::byte*>(of->each) + first * factor_bytes(x.type);
    for (BatchMatrix* of : {&s.a, &s.b, &s.c}) {
        move(of->ld);
        if (of->array != nullptr)
            of->array += first;
        else if (of->data != nullptr)
            of->data =
                static_cast<const std::byte*>(of->data) + first * of->stride * bytes_of(x.type);
    }
    return s;
}

}  // namespace gemmill
