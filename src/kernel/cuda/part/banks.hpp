// SPDX-License-Identifier: Apache-2.0
// How long warps wait for shared memory, counted on the host.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gemmill::batch {

/// Reads of shared memory, one after the other, where each of `lanes` lanes reads `size` bytes that
/// begin at element place(lane), of `unit` bytes each: those of 128 bytes go at once, unless they
/// are different words of one bank.
template <class Place>
int reads_of_warp(int lanes, int size, int unit, Place place) {
    constexpr int banks = 32, word = 4, most_lanes = 32;
    const int at_once = std::min(most_lanes, banks * word / size);
    int reads = 0;
    for (int first = 0; first < lanes; first += at_once) {
        std::int64_t seen[banks][most_lanes];
        int count[banks] = {}, most = 0;
        for (int lane = first; lane < std::min(lanes, first + at_once); ++lane) {
            const std::int64_t at = static_cast<std::int64_t>(place(lane)) * unit / word;
            const auto bank = static_cast<std::size_t>(at % banks);
            std::int64_t* const begin = seen[bank];
            if (std::find(begin, begin + count[bank], at) == begin + count[bank])
                begin[count[bank]++] = at;
            most = std::max(most, count[bank]);
        }
        reads += most;
    }
    return reads;
}

}  // namespace gemmill::batch
