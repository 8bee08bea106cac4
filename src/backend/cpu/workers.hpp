// SPDX-License-Identifier: Apache-2.0
// Threads in groups; each group takes jobs from a line of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gemmill {

class Workers {
  public:
    /// Where the system has fewer threads to give there are fewer, and groups that got none share
    /// those of others. Throws Error(out_of_memory) when there is not one.
    Workers(std::size_t groups, int threads_per_group)
        : Workers(std::vector<int>(groups, threads_per_group)) {}
    /// So many threads for each group.
    explicit Workers(const std::vector<int>& threads);
    /// Waits for running jobs; jobs still in line are dropped.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Jobs must not throw.
    void add(std::size_t group, std::function<void()> job);
    /// Drops the jobs in line and waits for those that run.
    void drain();

  private:
    struct Group {
        std::deque<std::function<void()>> line;
        std::condition_variable wake;
    };
    void start(const std::vector<int>& threads);
    void work(Group& group);

    std::mutex mutex_;
    std::condition_variable idle_;
    std::vector<Group> groups_;
    std::vector<std::thread> threads_;  // of group 0, 1, ... and again from 0
    int running_ = 0;
    bool stop_ = false;
};

}  // namespace gemmill
