// SPDX-License-Identifier: Apache-2.0
// Policy auto: how far predictions were right, by class of problems, and what follows from that.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "gemmill/problem.hpp"

namespace gemmill {

/// How a plan is run: as it was made, or as policy tail or dynamic.
enum class Way : std::uint8_t { fixed, tail, dynamic };

/// Safe to use from several threads.
class Trust {
  public:
    /// As it is planned, unless the last calls of the class that ran so took much longer than
    /// predicted, and the other way was not slower still.
    Way choose(const Problem& problem);
    /// A call took so long; its static plan was predicted to take `predicted`.
    void note(const Problem& problem, Way way, double measured, double predicted);
    /// Measured over predicted of the last calls that ran as planned; 0: not known.
    double ratio(const Problem& problem) const;
    /// A line for each class, for reports; "" when nothing was noted.
    std::string text() const;

  private:
    using Class = std::tuple<Routine, Type, int, std::array<MemoryId, 3>>;
    struct Record {
        std::array<double, 3> ratio{};  // by Way, of the last calls
        std::array<int, 3> calls{};     // that were noted
        int since_fixed = 0;            // calls in other ways
    };
    static Class class_of(const Problem& problem);

    mutable std::mutex mutex_;
    std::map<Class, Record> records_;
};

}  // namespace gemmill
