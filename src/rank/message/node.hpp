// SPDX-License-Identifier: Apache-2.0
// Memory that all ranks of a node see: whoever has a part of a panel puts it there once, and those
// who need the panel read it where it lies.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gemmill/error.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// A place in memory that all ranks see: so many bytes behind the beginning of a rank's.
struct SharedPlace {
    int rank = 0;
    std::int64_t offset = 0;
};
/// A product of matrices in memory that all ranks see. The pointers of `args` mean nothing to other
/// ranks, to whom `at` says where A, B and C lie.
struct SharedProduct {
    GemmArgs args;
    std::array<SharedPlace, 3> at;
};

/// How far a rank is, told to the others of its node. Each rank writes its own board alone, but for
/// what is said of its products by whoever makes them. Counts of stages are made by `moment`; all
/// counts grow from program to program and nothing is ever reset.
struct NodeBoard {
    std::atomic<std::uint64_t> open{0};    ///< its memory is there, laid out as said below
    std::atomic<std::uint64_t> mapped{0};  ///< it sees the memory of the others that it needs
    std::atomic<std::uint64_t> placed{0};  ///< stages for which it has put its parts into place
    std::atomic<std::uint64_t> done{0};    ///< stages whose panels it reads no more
    /// Products on a device with which all compute: how many this rank has asked for, the last of
    /// which stands below, how many of them somebody has taken up, and how many have ended.
    std::atomic<std::uint64_t> asked{0}, taken{0}, ended{0};
    SharedProduct product;
    /// Why the last product was not made; `ok`: it was.
    Code failure = Code::ok;
    std::array<char, 240> why{};
    /// Panel A of stage s begins at first + s % places * stride, panel B `second` bytes behind it,
    /// and all of a rank's memory is so many bytes.
    std::int64_t first = 0, stride = 0, second = 0, bytes = 0;
};

/// So many stages of a program, the first of which on a communicator is number 1.
inline std::uint64_t moment(std::uint64_t program, std::uint64_t stages) {
    return (program - 1) << 32 | stages;
}
/// All stages of it.
inline std::uint64_t end_of(std::uint64_t program) { return moment(program + 1, 0); }

/// The memory of the ranks of one node. Used by one thread at a time, but for boards.
class NodeMemory {
  public:
    virtual ~NodeMemory() = default;

    virtual NodeBoard& board(int rank) = 0;
    /// So many bytes of this rank's own for the next program; nobody sees them before `publish`.
    virtual std::shared_ptr<std::byte[]> take(std::int64_t bytes) = 0;
    /// The same in the memory of a device with which all ranks compute. What was taken before must
    /// not be used any more, and is released when all ranks have seen the new one. Throws
    /// Error(out_of_memory).
    virtual void take_device(std::int64_t bytes) = 0;
    /// What was taken last is what others see from now on, once `open` says so.
    virtual void publish() = 0;
    /// The same for device memory, of programs in which every rank looks at that of every other.
    virtual void publish_device() = 0;
    /// The memory of a rank that is open, as this process sees it. Throws Error(out_of_memory).
    virtual std::byte* memory(int rank) = 0;
    /// The same of its device memory; null: it has taken none.
    virtual std::byte* device(int rank) = 0;

    std::uint64_t programs = 0;  ///< that were begun, on every rank alike
};

}  // namespace gemmill
