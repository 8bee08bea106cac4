// SPDX-License-Identifier: Apache-2.0
// Appends steps to a growing plan, hands them to whoever does them, and knows what ends with each.
#pragma once

#include <array>
#include <vector>

#include "exec/backend.hpp"
#include "plan/build/builder.hpp"
#include "schedule/memory/cache.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// What ends with a step.
struct Flight {
    std::int32_t worker = -1;                 ///< in whose window it is; -1: nobody's
    bool runs = false;                        ///< what it reads was there
    bool last = false;                        ///< of the kernels of its task
    TaskId of = -1;                           ///< the task whose kernel it is
    TaskId task = -1;                         ///< that is done with it
    std::size_t count = 1;                    ///< of such tasks
    std::array<CopyId, 3> reads{-1, -1, -1};  ///< which it holds
    CopyId arrives = -1;                      ///< what it brings
    LinkId link = -1;
    std::int64_t bytes = 0;  ///< over the link
    double seconds = 0;      ///< of its kernel, as expected
};

class Issuer {
  public:
    Issuer(Plan& plan, Builder& builder) : plan_(plan), builder_(builder) {}

    /// Of so many steps, about.
    void drive(Session& session, std::size_t steps) {
        session_ = &session;
        flights_.reserve(steps);
    }
    void issue(const Step& step, const Flight& flight) {
        const StepId id = builder_.emit(step);
        flights_.push_back(flight);
        ++in_flight_;
        session_->submit(id);
    }
    /// The flight of a step that has ended.
    const Flight& end(StepId step) {
        --in_flight_;
        return flights_[static_cast<std::size_t>(step)];
    }
    std::size_t in_flight() const { return in_flight_; }
    Plan& plan() { return plan_; }
    const Plan& plan() const { return plan_; }
    Builder& builder() { return builder_; }

  private:
    Plan& plan_;
    Builder& builder_;
    Session* session_ = nullptr;
    std::vector<Flight> flights_;  // by step
    std::size_t in_flight_ = 0;
};

}  // namespace gemmill
