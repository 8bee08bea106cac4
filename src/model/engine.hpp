// SPDX-License-Identifier: Apache-2.0
// Time: what the steps of a plan cost on a machine, event by event, on a virtual clock.
//
// A step holds its queue from its start to its end. It first takes its latency (a kernel's launch,
// a link's latency), then its amount at the rate that max-min fair sharing gives it: kernels share
// their device, transfers share the resources of their links. Deterministic.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "gemmill/plan.hpp"
#include "machine/sharing.hpp"
#include "plan/order.hpp"

namespace gemmill {

/// A device or a link that for a while does only a part of what the machine says, or nothing (rate
/// 0).
struct Disturbance {
    bool is_link = false;
    std::int32_t index = -1;  ///< DeviceId or LinkId
    double rate = 1;
    double from = 0, until = std::numeric_limits<double>::infinity();  ///< seconds
    bool operator==(const Disturbance&) const = default;
};

/// The clock of one run. Steps are submitted in issue order, completions come in order of time.
class Clock {
  public:
    /// The plan must outlive the clock. Disturbances of one device or link must not overlap.
    explicit Clock(const Plan& plan, std::span<const Disturbance> disturbances = {});
    /// With the memory of another (sharing_of the plan's machine). Steps that end after `limit` are
    /// of no interest.
    Clock(const Plan& plan, Sharing& sharing,
          double limit = std::numeric_limits<double>::infinity());

    /// Takes plan.steps[step]. It starts when its queue and its waits allow it, and not before the
    /// host, which issues one step after the other, has issued it.
    void submit(StepId step);

    struct Done {
        StepId step;
        StepTime time;
    };
    /// Advances to the next completion; nullopt when no submitted step is left that can run.
    std::optional<Done> next();

    double now() const noexcept { return now_; }
    /// Whether a device, link or shared resource has more left to do than it can by the limit: what
    /// was submitted and has not begun. Some step is then sure to end after it.
    bool is_late() const noexcept { return late_; }
    /// How many rates of flows were found so far, and resources that they use: most of the clock's
    /// work where many transfers run together.
    std::size_t shared() const noexcept { return shared_; }

  private:
    /// Steps that can slow each other down: those of one device, or of links that share resources.
    struct Group {
        std::vector<Flow> flows;
        std::vector<StepId> steps;  // of each flow
        std::vector<double> left;   // of each flow's amount
        std::vector<double> ends;   // of each flow, as of the last refresh
        std::size_t settled = 0;    // so many flows have their rates
        double updated = 0;
        double next = std::numeric_limits<double>::infinity();  // when the first flow ends
        bool stale = false;                                     // flows have come or gone
        bool shaken = false;  // rates of those that stay may be others than before
        bool active = false;  // it is in the list of those with flows
    };
    /// What steps of a queue need.
    struct Channel {
        std::size_t first = 0, count = 0;  // resources that are shared, in uses_
        std::size_t end = 0;               // and those that only this queue uses
        std::size_t group = 0;
    };
    /// The latency of a step ends.
    struct Event {
        double time;
        StepId step;
        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : step > other.step;
        }
    };
    struct State {
        double release = 0;
        double begin = 0;
        double latency = 0, amount = 0, rate = 0;
    };

    /// What a resource can do from a time on.
    struct Change {
        double time = 0;
        ResourceId resource = -1;
        double capacity = 0;
    };
    void make_groups(bool for_changes);
    void plan_changes(std::span<const Disturbance> disturbances);
    void apply(const Change& change);
    bool changes_next(double other) const;
    void expect(QueueId queue, const State& state);
    void begin_expected(QueueId queue, const State& state);
    void begin_flow(StepId step);
    void finish_flows(Group& group);
    void advance(Group& group);
    void refresh(Group& group);
    bool add_beside(Group& group);
    void share_again(Group& group);
    void take_off(Group& group, const Flow& flow);
    static double end_of(const Group& group, std::size_t flow);
    Group* first_to_end();
    void complete(StepId step);
    void start_all();

    const Plan& plan_;
    Order order_;
    std::optional<Sharing> own_;
    Sharing& sharing_;
    std::vector<Group> groups_;
    std::vector<std::size_t> active_;   // groups with flows, and some that had
    std::vector<Channel> channels_;     // by queue
    std::vector<ResourceId> uses_;      // of all channels
    std::vector<double> load_;          // by resource: rates of its flows
    std::vector<double> seconds_each_;  // by resource: for one of an amount
    std::vector<double> ahead_;         // by resource: seconds of what has not begun
    const double limit_ = std::numeric_limits<double>::infinity();
    bool late_ = false;
    std::vector<std::size_t> resource_group_;  // groups_.size(): no queue uses it
    std::vector<Change> changes_;              // by time
    std::size_t changed_ = 0;                  // so many have been applied
    std::vector<State> states_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<StepId> startable_;
    std::vector<Done> done_;
    std::size_t done_taken_ = 0;
    std::vector<StepId> ended_;
    std::size_t shared_ = 0;
    double now_ = 0;
    double issued_ = 0;
};

/// What transfers get on a machine when they run together.
Sharing sharing_of(const Machine& machine);

/// The timeline of a whole plan. Throws Error(failed_step) when disturbances leave steps that never
/// end.
Timeline simulate(const Plan& plan, std::span<const Disturbance> disturbances = {});
/// When its last step ends.
double makespan(const Timeline& timeline);
/// How far a plan was simulated.
struct Reached {
    double seconds = 0;      ///< the makespan; infinity beyond the limit
    std::size_t steps = 0;   ///< that have ended
    std::size_t shared = 0;  ///< rates of flows that were found, and resources of these
};
/// Simulates a plan until it ends, until a step ends after the limit, or until more than so many
/// rates were found. `sharing` is that of the plan's machine.
Reached seconds_within(const Plan& plan, double limit, Sharing& sharing,
                       double most_shared = std::numeric_limits<double>::infinity());
/// The figures that a plan carries, from its timeline or its makespan.
Prediction predict(const Plan& plan, const Timeline& timeline);
Prediction predict(const Plan& plan, double seconds);

}  // namespace gemmill
