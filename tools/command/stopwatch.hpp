// SPDX-License-Identifier: Apache-2.0
// What the clock says, and a pause.
#pragma once

namespace gemmill::command {

/// Seconds from now on.
class Stopwatch {
  public:
    Stopwatch();
    double seconds() const;

  private:
    double start_;
};

/// A pause before a call is timed, so that nobody pays for the one before: cuBLASXt goes on copying
/// for some 15 ms after it has returned, which halves the speed of another's copies.
void rest();

}  // namespace gemmill::command
