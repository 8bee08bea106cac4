// SPDX-License-Identifier: Apache-2.0
// A step with its pointers, as calls of a driver.
#pragma once

#include "backend/gpu/resources.hpp"
#include "backend/perform.hpp"

namespace gemmill {

/// Puts a step into its stream. 0, or the driver's fault.
int issue(const GpuDriver& driver, const Lane& lane, const Task& task);
/// Of that only what is cleared beside what a step brings.
int issue_border(const GpuDriver& driver, const Lane& lane, const BorderArgs& border);

/// A named range in the profiler, as long as it lives.
class ProfileRange {
  public:
    ProfileRange(const GpuDriver& driver, const char* name) : driver_(driver) {
        driver.begin_range(name);
    }
    ~ProfileRange() { driver_.end_range(); }
    ProfileRange(const ProfileRange&) = delete;
    ProfileRange& operator=(const ProfileRange&) = delete;

  private:
    const GpuDriver& driver_;
};

}  // namespace gemmill
