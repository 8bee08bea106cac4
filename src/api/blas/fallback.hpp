// SPDX-License-Identifier: Apache-2.0
// Calls that were for devices and that the host did instead, and why.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace gemmill::blas {

class Fallbacks {
  public:
    /// Devices could not take a call, for which there was no room or no way. True for the first.
    bool refuse(const std::string& why);
    /// A device failed while it worked: no call goes to devices from now on. True for the first.
    bool lose(const std::string& why);
    /// A call that would have gone to devices, had they not failed.
    void miss() { missed_.fetch_add(1, std::memory_order_relaxed); }
    bool lost() const { return lost_; }

    /// A line of the report for each of both; empty when nothing fell back.
    std::string text() const;

    void forget();

  private:
    mutable std::mutex mutex_;  // of the texts
    std::string refusal_, loss_;
    std::atomic<bool> lost_ = false;
    std::atomic<std::int64_t> refused_ = 0, failed_ = 0, missed_ = 0;
};

}  // namespace gemmill::blas
