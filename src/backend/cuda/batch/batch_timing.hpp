// SPDX-License-Identifier: Apache-2.0
// Trials of calls whose times events in streams take. Nobody waits for them: they are looked at in
// later calls.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "batch/choice/trials.hpp"

namespace gemmill {

class TimedTrials {
  public:
    TimedTrials() = default;
    TimedTrials(int device, const BatchTrials& trials) : device_(device), trials_(trials) {}
    TimedTrials(TimedTrials&&) = delete;
    TimedTrials& operator=(TimedTrials&& other) noexcept;
    ~TimedTrials();

    /// Who makes the next call, which goes into the stream before end(). What a graph captures is
    /// not timed, and no event is looked at meanwhile.
    int begin(cudaStream_t stream);
    void end(cudaStream_t stream);

    /// The time of the fastest that is known.
    double least() const { return trials_.least(); }
    /// Whether all times have come, and there are some.
    bool are_over() const {
        return !trials_.has_turns() && calls_.empty() && least() < BatchTrials::unknown;
    }

  private:
    struct Call {
        int candidate = 0;
        cudaEvent_t begin = nullptr, end = nullptr;
    };
    void look();
    void begin_timing(int candidate, cudaStream_t stream);
    void give_back(const Call& call) const;

    int device_ = 0;
    BatchTrials trials_;
    std::vector<Call> calls_;  // in streams
    bool timing_ = false;      // the last of them has begun
};

}  // namespace gemmill
