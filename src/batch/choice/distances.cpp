// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/distances.hpp"

#include <limits>

namespace gemmill {
namespace {

/// Whether the last matrix begins in the space of addresses.
bool fits(const BatchDistances::Of& d, index_t count) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max());
    index_t last = 0;
    return d.first <= most && !__builtin_mul_overflow(d.apart, count - 1, &last) &&
           !__builtin_add_overflow(last, static_cast<index_t>(d.first), &last);
}

/// Takes the array off a matrix; false: it cannot be.
bool set_strides(BatchMatrix& of, const BatchDistances::Of& d, const Batch& x) {
    if (of.array == nullptr) return true;
    const index_t size = bytes_of(x.type);
    if (d.apart < 0 || d.apart % size != 0 || d.first % static_cast<std::uint64_t>(size) != 0 ||
        d.first == 0 || !fits(d, x.count))
        return false;
    of.array = nullptr;
    of.data = reinterpret_cast<const void*>(d.first);
    of.stride = d.apart / size;
    return true;
}

}  // namespace

bool may_have_distances(const Batch& x) {
    return x.count > 1 && x.k.all > 0 && x.alpha.all != Scalar{} &&
           (x.a.array != nullptr || x.b.array != nullptr || x.c.array != nullptr);
}

std::optional<Batch> at_distances(const Batch& x, const BatchDistances& d) {
    Batch strided = x;
    if (!set_strides(strided.a, d.each[0], x) || !set_strides(strided.b, d.each[1], x) ||
        !set_strides(strided.c, d.each[2], x))
        return std::nullopt;
    if (strided.c.stride == 0 && x.count > 1) return std::nullopt;
    return strided;
}

}  // namespace gemmill
