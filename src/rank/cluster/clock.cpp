// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/clock.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "gemmill/error.hpp"
#include "rank/cluster/network.hpp"

namespace gemmill {
namespace {

enum class What : std::uint8_t { resume, head, arrived };

/// Earlier ones first; of one time in the order in which they were made.
struct Event {
    double time;
    std::int64_t number;
    What what;
    int rank;
    std::int32_t message;
    bool operator>(const Event& x) const {
        return std::tuple(time, number) > std::tuple(x.time, x.number);
    }
};

/// A message as its receiver sees it.
struct Incoming {
    bool wanted = false, offered = false, arrived = false;
    int from = -1;
    std::int32_t at_sender = -1;
    double whole = 0;  ///< when its sender has all of it
    double end = 0;
};

struct RankState {
    std::size_t next = 0;
    bool busy = false;  // it computes, and goes on by an event of its own
    double computing = 0;
    std::vector<Incoming> incoming;   // by message
    std::vector<int> unsent;          // by stage
    std::map<std::int64_t, int> tag;  // of messages that it receives
};

class Clock {
  public:
    Clock(const ClusterModel& model, const std::vector<RankScript>& scripts)
        : model_(model),
          scripts_(scripts),
          network_(model.cluster, static_cast<int>(scripts.size())),
          states_(scripts.size()) {
        for (std::size_t r = 0; r < scripts.size(); ++r) prepare(r);
    }

    ClusterTimes run() {
        for (std::size_t r = 0; r < scripts_.size(); ++r)
            push(0, What::resume, static_cast<int>(r), -1);
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            handle(event);
        }
        return result();
    }

  private:
    void prepare(std::size_t r) {
        RankState& state = states_[r];
        const RankScript& script = scripts_[r];
        state.incoming.resize(script.messages.size());
        state.unsent.resize(script.stages.size(), 0);
        for (std::size_t i = 0; i < script.messages.size(); ++i) {
            const ScriptMessage& x = script.messages[i];
            state.unsent[static_cast<std::size_t>(x.stage)] += static_cast<int>(x.to.size());
            if (x.from != static_cast<int>(r)) state.tag[x.tag] = static_cast<int>(i);
        }
    }

    void push(double time, What what, int rank, std::int32_t message) {
        events_.push({time, number_++, what, rank, message});
    }
    RankState& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
    const RankScript& script(int rank) const { return scripts_[static_cast<std::size_t>(rank)]; }
    const ScriptMessage& message(int rank, std::int32_t at) const {
        return script(rank).messages[static_cast<std::size_t>(at)];
    }
    Incoming& incoming(int rank, std::int32_t at) {
        return state(rank).incoming[static_cast<std::size_t>(at)];
    }

    void handle(const Event& event) {
        if (event.what == What::resume) {
            state(event.rank).busy = false;
            return walk(event.rank);
        }
        if (event.what == What::head)
            return offer(event.rank, event.message, incoming(event.rank, event.message).end);
        arrive(event.rank, event.message);
    }

    /// Steps until one has to wait.
    void walk(int rank) {
        RankState& x = state(rank);
        while (x.next < script(rank).steps.size()) {
            const RankStep& step = script(rank).steps[x.next];
            if (must_wait(rank, step)) return;
            ++x.next;
            if (step.op == RankOp::receive) want(rank, step.index);
            if (step.op == RankOp::send) offer(rank, step.index, now_);
            if (step.op == RankOp::product) return compute(rank, step.index);
        }
    }

    bool must_wait(int rank, const RankStep& step) {
        if (step.op == RankOp::unpack) return !incoming(rank, step.index).arrived;
        return step.op == RankOp::drain &&
               state(rank).unsent[static_cast<std::size_t>(step.index)] > 0;
    }

    void compute(int rank, int stage) {
        const double seconds = seconds_of(model_.node, model_.tiles,
                                          script(rank).stages[static_cast<std::size_t>(stage)]) /
                               speed_of_rank(model_.cluster, rank, model_.node.devices);
        state(rank).computing += seconds;
        state(rank).busy = true;
        push(now_ + seconds, What::resume, rank, -1);
    }

    void want(int rank, std::int32_t at) {
        incoming(rank, at).wanted = true;
        begin_if_ready(rank, at);
    }

    /// A rank has the first piece of a message, and all of it at `whole`.
    void offer(int rank, std::int32_t at, double whole) {
        const ScriptMessage& x = message(rank, at);
        for (const int to : x.to) {
            const std::int32_t there = state(to).tag.at(x.tag);
            Incoming& y = incoming(to, there);
            y.offered = true, y.from = rank, y.at_sender = at, y.whole = whole;
            begin_if_ready(to, there);
        }
    }

    void begin_if_ready(int rank, std::int32_t at) {
        Incoming& x = incoming(rank, at);
        if (!x.wanted || !x.offered) return;
        const ScriptMessage& y = message(rank, at);
        const auto bytes = static_cast<double>(y.bytes);
        const Transfer transfer =
            network_.send({x.from, rank, bytes, static_cast<double>(y.piece), now_, x.whole});
        x.end = transfer.end;
        sent_ += bytes;
        if (!y.to.empty()) push(std::min(transfer.head, transfer.end), What::head, rank, at);
        push(transfer.end, What::arrived, rank, at);
    }

    void arrive(int rank, std::int32_t at) {
        Incoming& x = incoming(rank, at);
        x.arrived = true;
        end_ = std::max(end_, now_);
        --state(x.from).unsent[static_cast<std::size_t>(message(x.from, x.at_sender).stage)];
        if (!state(rank).busy) walk(rank);
        if (!state(x.from).busy) walk(x.from);
    }

    ClusterTimes result() const {
        ClusterTimes times;
        times.seconds = std::max(end_, now_);
        times.sent = sent_, times.network = network_.network_bytes();
        for (std::size_t r = 0; r < states_.size(); ++r) {
            require(states_[r].next == scripts_[r].steps.size(), Code::failed_step,
                    "every message is sent", "a rank waits for ever");
            times.computing = std::max(times.computing, states_[r].computing);
        }
        return times;
    }

    const ClusterModel& model_;
    const std::vector<RankScript>& scripts_;
    Network network_;
    std::vector<RankState> states_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::int64_t number_ = 0;
    double now_ = 0, end_ = 0, sent_ = 0;
};

}  // namespace

ClusterTimes run_on_clock(const ClusterModel& model, const std::vector<RankScript>& scripts) {
    return Clock(model, scripts).run();
}

}  // namespace gemmill
