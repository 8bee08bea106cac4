// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rank/cluster/clock.hpp"

namespace gemmill {
namespace {

/// A rank's share of what its node sends and receives.
class InStep {
  public:
    InStep(const ClusterModel& model, const RankScript& script, int rank, int ranks)
        : model_(model),
          script_(script),
          rank_(rank),
          alone_(ranks <= model.cluster.ranks),
          // The slowest of many sets the pace.
          speed_(1 - model.cluster.spread),
          arrival_(script.messages.size(), 0),
          gone_(script.stages.size(), 0) {}

    ClusterTimes run() {
        for (const RankStep& step : script_.steps) perform(step);
        times_.seconds = now_;
        return times_;
    }

  private:
    void perform(const RankStep& step) {
        const auto at = static_cast<std::size_t>(step.index);
        if (step.op == RankOp::receive) receive(at);
        if (step.op == RankOp::send) send(script_.messages[at], now_);
        if (step.op == RankOp::unpack) now_ = std::max(now_, arrival_[at]);
        if (step.op == RankOp::drain) now_ = std::max(now_, gone_[at]);
        if (step.op != RankOp::product) return;
        const double seconds = seconds_of(model_.node, model_.tiles, script_.stages[at]) / speed_;
        now_ += seconds, times_.computing += seconds;
    }

    bool is_near(int other) const {
        return alone_ || other / model_.cluster.ranks == rank_ / model_.cluster.ranks;
    }
    double rate(int other) const {
        return is_near(other) ? model_.cluster.within
                              : model_.cluster.injection / model_.cluster.ranks;
    }

    void receive(std::size_t at) {
        const ScriptMessage& x = script_.messages[at];
        const double hop = model_.cluster.latency + static_cast<double>(x.piece) / rate(x.from);
        in_ = std::max(in_, now_ + hop * x.hop + model_.cluster.latency) +
              static_cast<double>(x.bytes) / rate(x.from);
        arrival_[at] = in_;
        send(x, in_);
    }

    void send(const ScriptMessage& x, double from) {
        for (const int to : x.to) {
            const auto bytes = static_cast<double>(x.bytes);
            const double piece = static_cast<double>(x.piece) / rate(to);
            out_ = std::max(out_ + bytes / rate(to), from + piece);
            double& gone = gone_[static_cast<std::size_t>(x.stage)];
            gone = std::max(gone, out_ + model_.cluster.latency);
            times_.sent += bytes;
            times_.network += is_near(to) ? 0 : bytes;
        }
    }

    const ClusterModel& model_;
    const RankScript& script_;
    int rank_;
    bool alone_;
    double speed_;
    std::vector<double> arrival_, gone_;  // by message, by stage
    double now_ = 0, in_ = 0, out_ = 0;
    ClusterTimes times_;
};

}  // namespace

ClusterTimes run_in_step(const ClusterModel& model, const RankScript& script, int rank, int ranks) {
    return InStep(model, script, rank, ranks).run();
}

}  // namespace gemmill
