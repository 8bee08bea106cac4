// SPDX-License-Identifier: Apache-2.0
// What planners of lines share: parts, and seats that take turns.
#pragma once

#include <algorithm>
#include <vector>

#include "planner/builder.hpp"
#include "planner/decompose.hpp"

namespace gemmill {

inline index_t end_of(const Part& part) { return part.first + part.count; }

inline index_t widest(const std::vector<Part>& parts) {
    index_t most = 0;
    for (const Part& part : parts) most = std::max(most, part.count);
    return most;
}

/// Seats that take turns.
struct Ring {
    std::vector<Builder::Seat> seats;
    std::size_t next = 0;

    Builder::Seat& turn() {
        Builder::Seat& seat = seats[next];
        next = (next + 1) % seats.size();
        return seat;
    }
};

inline Ring make_ring(Builder& builder, MemoryId memory, std::int64_t bytes, index_t seats) {
    Ring ring;
    for (index_t i = 0; i < seats; ++i) ring.seats.push_back(builder.make_seat(memory, bytes));
    return ring;
}

}  // namespace gemmill
