// SPDX-License-Identifier: Apache-2.0
// The memory that ranks of one node see, where all ranks of a communicator are on it.
#pragma once

#include <functional>
#include <vector>

#include "base/gpu_shared.hpp"
#include "mpi/segment.hpp"
#include "rank/message/node.hpp"

namespace gemmill {

/// Makes memory fast for the devices of this rank as long as the result is kept; null: it is not.
using Pin = std::function<std::shared_ptr<void>(void* data, std::int64_t bytes)>;

/// Memory of the GPU with which the ranks of a node compute. Both throw Error.
struct NodeDevice {
    /// So many bytes, and the name by which other ranks open them.
    std::function<std::shared_ptr<std::byte[]>(std::int64_t bytes, GpuSharedBlock& name)> make;
    std::function<std::shared_ptr<std::byte[]>(const GpuSharedBlock& name)> open;
};

class SegmentMemory final : public NodeMemory {
  public:
    /// What the others must know of a rank to see its board.
    struct Card {
        std::int64_t pid = 0, fd = -1;
        std::uint64_t secret = 0;  ///< a process with the same number elsewhere does not have it
    };

    SegmentMemory(int rank, int size);
    Card card() const;
    /// Sees the boards of all ranks. Throws Error(out_of_memory) where one cannot be seen.
    void meet(const std::vector<Card>& cards);
    void set_pin(Pin pin) { pin_ = std::move(pin); }
    /// Before take_device; what it makes must last until it is set anew.
    void set_device(NodeDevice device) { node_device_ = std::move(device); }

    NodeBoard& board(int rank) override;
    std::shared_ptr<std::byte[]> take(std::int64_t bytes) override;
    void take_device(std::int64_t bytes) override;
    void publish() override;
    void publish_device() override;
    std::byte* memory(int rank) override;
    std::byte* device(int rank) override;

  private:
    /// What lies in the first segment of a rank.
    struct Shown {
        NodeBoard board;
        std::uint64_t secret = 0;
        /// Of the segment that has its panels; `serial` grows with each new one.
        std::int64_t fd = -1, bytes = 0, serial = 0;
        /// The same of its device memory.
        GpuSharedBlock device;
        std::int64_t device_serial = 0;
    };
    struct Seen {
        std::int64_t pid = 0, serial = 0;
        std::shared_ptr<Segment> board, panels;
        std::shared_ptr<void> pinned;
        std::int64_t device_serial = 0;
        std::shared_ptr<std::byte[]> device;
    };
    Shown& shown(int rank) const;
    Seen& seen(int rank) { return seen_[static_cast<std::size_t>(rank)]; }
    std::shared_ptr<void> pin(const Segment& segment) const;

    int rank_;
    Pin pin_;
    std::vector<Seen> seen_;  // by rank
    /// Taken, but not yet seen by others.
    std::shared_ptr<Segment> next_;
    std::shared_ptr<void> next_pinned_;
    NodeDevice node_device_;
    std::int64_t device_bytes_ = 0;
    std::shared_ptr<std::byte[]> next_device_, old_device_;
    GpuSharedBlock next_name_;
};

}  // namespace gemmill
