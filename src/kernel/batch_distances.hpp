// SPDX-License-Identifier: Apache-2.0
// Pointers of a batch that lie at equal distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gemmill/batch.hpp"

namespace gemmill {

/// Pointer i of A, B and C is first + i * apart, in bytes. Of a matrix that has no array both are
/// 0.
struct BatchDistances {
    struct Of {
        std::uint64_t first = 0;
        std::int64_t apart = 0;
        bool operator==(const Of&) const = default;
    };
    Of each[3];
    bool operator==(const BatchDistances&) const = default;
};

/// The arrays of a batch, null where a matrix has none.
struct BatchArrays {
    const void* const* each[3];
    index_t count = 0;
};
inline BatchArrays arrays_of(const Batch& x) {
    return {{x.a.array, x.b.array, x.c.array}, x.count};
}

/// What kernels tell the host, in memory that both see; nobody waits for it. A mark is a number
/// that one call has.
struct BatchNotice {
    BatchDistances found;   ///< by the call `answered`, of the first two pointers
    unsigned equal = 0;     ///< whether all others are at these distances
    unsigned answered = 0;  ///< written last
    unsigned refuted = 0;   ///< the last call whose pointers were not where they were expected
};

}  // namespace gemmill
