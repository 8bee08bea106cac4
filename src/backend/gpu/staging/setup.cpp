// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/setup.hpp"

#include <unistd.h>

#include <algorithm>

namespace gemmill {
namespace {

/// Bytes of a core's second-level cache, or a megabyte where the system does not tell.
index_t own_cache() {
    constexpr long usual = 1 << 20;
    const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : usual;
}

/// One and a half times as many.
index_t with_half(index_t x) { return x + (x + 1) / 2; }

}  // namespace

StagingSetup staging_with(int threads, index_t slot_bytes) {
    constexpr index_t directions = 2;
    StagingSetup setup;
    setup.threads = threads;
    setup.slot_bytes = slot_bytes;
    setup.own_caches = directions * threads * own_cache();
    const index_t past_caches = (with_half(setup.own_caches) + slot_bytes - 1) / slot_bytes;
    setup.slots = static_cast<int>(std::max(with_half(threads), past_caches));
    return setup;
}

}  // namespace gemmill
