// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/small/small_kernels.hpp"

namespace gemmill {
namespace {

struct Set {
    template <class R>
    [[gnu::always_inline]] static auto first(const R* from, index_t left) {
        typedef R V __attribute__((vector_size(16)));
        V x = {};
        for (index_t e = 0; e < left; ++e) x[e] = from[e];
        return x;
    }
    template <class R, class V>
    [[gnu::always_inline]] static void put_first(R* to, index_t left, V x) {
        for (index_t e = 0; e < left; ++e) to[e] = x[e];
    }
};

}  // namespace

const SmallKernels small_plain = small_kernels<Set, 16>("plain");

}  // namespace gemmill
