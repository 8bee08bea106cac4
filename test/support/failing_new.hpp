// SPDX-License-Identifier: Apache-2.0
// Memory that runs out. The program's own operator new stands before the library's.
#pragma once

namespace gemmill::test {

/// As long as it lives, allocation number `first` (from 0) throws std::bad_alloc, in any thread;
/// with `all`, every later one does too.
class FailingNew {
  public:
    explicit FailingNew(int first, bool all = false);
    ~FailingNew();
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    /// Whether one has failed by now.
    static bool failed();
};

}  // namespace gemmill::test
