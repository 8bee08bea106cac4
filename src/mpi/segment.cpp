// SPDX-License-Identifier: Apache-2.0
#include "mpi/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

[[noreturn]] void fail(const char* what, std::int64_t bytes) {
    throw Error(Code::out_of_memory, fmt::format("{} of {} bytes that ranks of a node share: {}",
                                                 what, bytes, std::strerror(errno)));
}

/// Closes the file where it cannot be mapped.
std::byte* map(int fd, std::int64_t bytes) {
    void* data =
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data != MAP_FAILED) return static_cast<std::byte*>(data);
    ::close(fd);
    fail("mmap", bytes);
}

}  // namespace

std::shared_ptr<Segment> Segment::make(std::int64_t bytes) {
    const int fd = ::memfd_create("gemmill", MFD_CLOEXEC);
    if (fd < 0) fail("memfd_create", bytes);
    if (::ftruncate(fd, bytes) != 0) {
        ::close(fd);
        fail("ftruncate", bytes);
    }
    return std::shared_ptr<Segment>(new Segment(map(fd, bytes), bytes, fd));
}

std::shared_ptr<Segment> Segment::of_process(int pid, int fd, std::int64_t bytes) {
    const std::string path = fmt::format("/proc/{}/fd/{}", pid, fd);
    const int here = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (here < 0) fail("open", bytes);
    std::byte* data = map(here, bytes);
    ::close(here);
    return std::shared_ptr<Segment>(new Segment(data, bytes, -1));
}

Segment::~Segment() {
    ::munmap(data_, static_cast<std::size_t>(bytes_));
    if (fd_ >= 0) ::close(fd_);
}

}  // namespace gemmill
