// SPDX-License-Identifier: Apache-2.0
// How many threads and pinned slots move what is not pinned.
#pragma once

#include <chrono>

#include "gemmill/types.hpp"

namespace gemmill {

struct StagingSetup {
    int threads = 8;  ///< that begin slots of each direction; all of them copy either way
    int slots = 12;   ///< of each direction
    index_t slot_bytes = index_t{4} << 20;
    index_t short_run = 0;  ///< bytes of columns below which pinned memory is packed, too
    /// Bytes that one thread copies of a slot at least: what takes as long as to wake another one.
    index_t share_bytes = index_t{128} << 10;
    /// Bytes that the caches of the threads' own cores hold. What a thread has just written is in
    /// one of them, from where a GPU reads it at half of the link's rate.
    index_t own_caches = 0;
    /// How long a thread without work stays awake.
    std::chrono::microseconds linger{5000};
};

/// So many threads, with slots of this size. What is packed should have left the caches of the
/// threads' own cores when its slot travels, but not the cache that all of them share: slots of one
/// direction hold one and a half times as much as those of the cores, and are one and a half for
/// each thread at least.
StagingSetup staging_with(int threads, index_t slot_bytes);

}  // namespace gemmill
