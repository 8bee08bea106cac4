// SPDX-License-Identifier: Apache-2.0
// What can be chosen about a plan, for every routine, as data. A candidate of the search is a
// policy with such a choice; two that are equal give the same plan.
#pragma once

#include <vector>

#include "gemmill/machine.hpp"
#include "planner/policy.hpp"

namespace gemmill {

/// rows x cols devices.
struct Grid {
    index_t rows = 0, cols = 0;
    bool operator==(const Grid&) const = default;
};

struct TileSize {
    index_t m = 0, n = 0, k = 0;
    bool operator==(const TileSize&) const = default;
};

/// How a gemm is cut into strips.
struct Strips {
    double front = 0.5;    ///< part of the columns that grows while A arrives
    bool by_rows = false;  ///< by rows of A and columns of B in turn, not over k
    index_t panels = 8;    ///< parts of k, or of the rows and of the columns, for the front
    double growth = 1.4;   ///< from one panel to the next: the first ones are small
    index_t strips = 8;    ///< of the front, and of the other columns
    index_t drain = 1;     ///< times that the last strip is halved
    index_t slices = 1;    ///< of k, each for its part of the devices; their sums are added
    bool turns = false;    ///< devices behind one switch write one after the other
    index_t ahead = 0;     ///< parts of C that are read before one of them is written; 0: any
    index_t bands = 0;     ///< of rows, where memory is short: this many at least
    bool operator==(const Strips&) const = default;
};

/// How large tiles of the other routines are: along the triangle, and along the size that has none
/// (k of a rank update, the other side of C).
struct Cut {
    index_t edge = 0, other = 0;
    /// So many of the first parts of k are smaller, each half of the next, so that the first
    /// product is soon there.
    int taper = 0;
    /// The same of the last lines, so that the last write is short.
    int tail = 0;
    bool operator==(const Cut&) const = default;
};

/// Lines of C that a CPU makes beside the other devices (split/beside.hpp).
struct Beside {
    DeviceId device = -1;
    index_t lines = 0;  ///< the last columns, or rows; 0: none
    bool operator==(const Beside&) const = default;
};

/// What is left to choose once the policy is fixed.
struct Choice {
    std::vector<DeviceId> devices;
    int queues = 0;           ///< compute queues of each device; 0: what the device has
    bool fixed_tile = false;  ///< the user's: not to be made smaller
    bool padded = false;      ///< buffers are multiples of the devices' grain; what lies on the
                              ///< device, all of it, is copied to such buffers
    Beside beside;            ///< what the CPU makes of it; the devices make the rest
    double outer = 1;         ///< part of k that goes over all tiles of C before they are finished;
                              ///< trmm, trsm: part of the lines that are made together

    // gemm
    Grid grid;                   ///< of the devices; empty: the one that fetches least
    std::vector<double> shares;  ///< of C, by device; empty: by their rates
    TileSize tile;               ///< 0: square, by the policy's rule
    index_t late_slots = 4;      ///< for tiles of C that wait to be added
    Strips strips;               ///< for order strips

    // the other routines
    Cut cut;
    bool late = true;     ///< C is added after its products
    bool tall = false;    ///< one device holds everything, or each of several all of A, and
                          ///< products are as tall as can be
    bool ahead = true;    ///< trmm, trsm: a block goes into all others at once, not when they are
                          ///< made
    bool singly = false;  ///< tiles are dealt one by one
    index_t groups = 0;   ///< rank updates: of rows, whose tiles are made together where not all of
                          ///< C stays (split/targets/triangles.hpp); 0: squares of tiles
    bool operator==(const Choice&) const = default;
};

/// One way to make a plan.
struct Candidate {
    Policy policy;
    Choice choice;
    /// Candidates mostly differ in their choices.
    bool operator==(const Candidate& other) const {
        return choice == other.choice && policy == other.policy;
    }
};

}  // namespace gemmill
