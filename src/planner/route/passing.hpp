// SPDX-License-Identifier: Apache-2.0
// What several devices need is read from its home once, over all of their links, and passed on.
#pragma once

#include <vector>

#include "planner/route/timed.hpp"

namespace gemmill {

/// A place for an operand in a device's memory.
struct Landing {
    MemoryId memory = -1;
    BufferId place = Ref::home;
    double* ready = nullptr;  ///< set to when all that came is there, where it was sooner
    bool enters = true;       ///< pieces may come to it from home
};

class Passing {
  public:
    /// What comes is cut into `most` pieces at most.
    Passing(const Draft& plan, const Builder& builder, Timed& timed, int most)
        : plan_(plan), builder_(builder), timed_(timed), most_(most) {}

    /// Brings a tile, or a part of one, from home to all these places. It is cut into pieces of
    /// columns, which enter at the places that they reach first; from there each goes to all
    /// others, and from home to those without a link.
    void share(TileId tile, const std::vector<Landing>& all);

  private:
    void pass_on(TileId tile, const std::vector<Landing>& all, std::size_t first, int piece,
                 int pieces);
    double from_home(const Ref& to, int piece, int pieces);
    MemoryId home_of(TileId tile) const;

    const Draft& plan_;
    const Builder& builder_;
    Timed& timed_;
    const int most_;
};

}  // namespace gemmill
