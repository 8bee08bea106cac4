// SPDX-License-Identifier: Apache-2.0
// Memory of one process that others of the same host can see. It has no name that could be left
// behind, and does not count against the size of /dev/shm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gemmill {

class Segment {
  public:
    /// Of this process. Throws Error(out_of_memory).
    static std::shared_ptr<Segment> make(std::int64_t bytes);
    /// One that process `pid` has as its file `fd`. Throws Error(out_of_memory) when it cannot be
    /// seen from here.
    static std::shared_ptr<Segment> of_process(int pid, int fd, std::int64_t bytes);
    ~Segment();
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    std::byte* data() const { return data_; }
    std::int64_t bytes() const { return bytes_; }
    int fd() const { return fd_; }  ///< -1: it is another process's

  private:
    Segment(std::byte* data, std::int64_t bytes, int fd) : data_(data), bytes_(bytes), fd_(fd) {}
    std::byte* data_;
    std::int64_t bytes_;
    int fd_;
};

}  // namespace gemmill
