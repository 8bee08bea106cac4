// SPDX-License-Identifier: Apache-2.0
// Which choice each stage of the planner takes; a policy is a named row of such choices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmill/options.hpp"

namespace gemmill {

/// Which device computes which tile of C.
enum class Spread : std::uint8_t {
    grid,    ///< one block a device, on an r x c grid
    cyclic,  ///< tiles dealt out over an r x c grid again and again
    turns,   ///< tiles dealt out one after the other
};
/// From where a tile of A or B is fetched.
enum class Routing : std::uint8_t {
    home,       ///< from where the matrix lies
    bandwidth,  ///< from the copy behind the link with the most bandwidth
    eta,        ///< from the copy that lets it arrive first, by what is booked on the links
};
/// In which order a device takes its products.
enum class Sequence : std::uint8_t {
    natural,  ///< one C tile after the other, k innermost
    panels,   ///< k outside: every C tile grows by one product at a time
    fewest,   ///< next the product that needs the fewest fetches
    eta,      ///< next the product whose tiles are there first
    strips,   ///< a front of columns grows over k, the others follow strip by strip
};
/// When C is fetched.
enum class LateC : std::uint8_t {
    never,   ///< before its first product
    shared,  ///< after its products when C shares its home with A or B, and then added
    always,
};

/// How large the tiles are.
enum class Tiling : std::uint8_t {
    cost,     ///< least cost of remainders, overlap and latency, up to the size of a block
    capped,   ///< the same, not above the smallest of a block's three sizes
    quarter,  ///< a quarter of the smallest size
    fixed,    ///< 1600
    many,     ///< at least 32 products a device, not below 1000
};

/// Between which devices tiles go directly; between others they go over host memory.
enum class PeerCopies : std::uint8_t {
    all,
    computing,  ///< those that take part in the product
    none,
};

struct Policy {
    std::string_view name;
    std::string_view help;
    bool caching = true;  ///< a tile that is on a device is used again, not fetched again
    bool lru = false;     ///< short of memory, what was used last stays, instead of parts of C
    bool overlap = true;  ///< fetch, compute and write-back run on queues of their own
    Spread spread = Spread::grid;
    Routing routing = Routing::home;
    bool chain = false;  ///< a tile goes to all who need it at once, from one to the next
    Sequence order = Sequence::natural;
    LateC late_c = LateC::never;
    Tiling tiling = Tiling::cost;
    bool whole_tiles = false;  ///< blocks of a grid are whole tiles
    PeerCopies peers = PeerCopies::all;
    std::string_view library = {};  ///< whose host costs a plan has; none: the machine's own
    bool search = false;            ///< try variants and keep the fastest predicted
    bool scheduled = false;         ///< made step by step by the scheduler, not by planners
    int pieces = 8;                 ///< of a chained fetch
    int queues = 0;                 ///< compute queues of each device; 0: what the device has
    bool operator==(const Policy&) const = default;
};

std::string_view name_of(Sequence order) noexcept;
std::string_view name_of(LateC late) noexcept;

/// Those that planners know. Beside them there are `dynamic` and `tail`, which are scheduled.
const std::vector<Policy>& policies();
/// The policy that the options name, with the choices that they override.
/// Throws Error(bad_argument) with the known names.
Policy resolve_policy(const Options& options);

}  // namespace gemmill
