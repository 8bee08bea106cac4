// SPDX-License-Identifier: Apache-2.0
// A system that runs out of threads. The program's own pthread_create stands before the library's.
#pragma once

namespace gemmill::test {

/// As long as it lives so many more threads can be made by this process, and then none.
class FewThreads {
  public:
    explicit FewThreads(int left);
    ~FewThreads();
    FewThreads(const FewThreads&) = delete;
    FewThreads& operator=(const FewThreads&) = delete;
};

}  // namespace gemmill::test
