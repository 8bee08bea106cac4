// SPDX-License-Identifier: Apache-2.0
// Matrices in the memory of a device, as the host sees them: messages are packed from and unpacked
// into copies in host memory, products take the matrices where they lie.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "rank/message/exchange.hpp"

namespace gemmill {

/// Columns of host memory and of a device; all but `cols` in bytes.
struct BlockCopy {
    void* to = nullptr;
    index_t to_ld = 0;
    const void* from = nullptr;
    index_t from_ld = 0, rows = 0, cols = 0;
};

/// The memory of a rank's devices. Empty functions: there is none.
struct DeviceMemory {
    std::function<bool(const void*)> holds;
    /// Between host and device, also by several threads at a time; done when it returns.
    std::function<void(void* to, const void* from, std::int64_t bytes)> copy;
    /// The same between pinned memory and memory that only this library uses.
    std::function<void(void* to, const void* from, std::int64_t bytes)> copy_own;
    /// Blocks of any host memory to device memory that only this library uses, by one thread at a
    /// time; done when it returns.
    std::function<void(std::span<const BlockCopy>)> upload;
    /// Host memory that it copies fast.
    std::function<std::shared_ptr<std::byte[]>(std::int64_t bytes)> host;
    /// Memory of the device that messages can be sent from, null where there is not so much; empty:
    /// they cannot.
    std::function<std::shared_ptr<std::byte[]>(std::int64_t bytes)> messages = {};
};

/// Whether a box of a matrix that lies on a device is one piece of its memory.
bool is_one_piece(const Box& box, const RankMatrix& matrix);

/// A matrix of a rank with its holdings in host memory. What already lies there is left alone.
class Mirror {
  public:
    Mirror(const RankMatrix& matrix, Type type, int rank, const DeviceMemory& memory);

    /// With `at` on the host, and `device` where it lies on a device.
    const RankMatrix& matrix() const { return matrix_; }
    /// Copies from the device, once.
    void bring();
    /// Copies to the device what belongs to the matrix, and nothing beside it.
    void take_back() const;
    std::int64_t bytes() const { return bytes_; }

  private:
    /// A rectangle of a local array, whose columns lie `ld` bytes apart.
    struct Place {
        std::byte* device = nullptr;
        std::byte* host = nullptr;
        std::int64_t column = 0, ld = 0,
                     cols = 0;  ///< bytes of a column, between two, and how many
    };
    void add(const Holding& holding, const Address& at, std::size_t index);

    const DeviceMemory& memory_;
    index_t size_;
    RankMatrix matrix_;
    std::vector<Place> places_;
    std::vector<std::shared_ptr<std::byte[]>> owners_;
    std::int64_t bytes_ = 0;
    bool is_here_ = false;
};

}  // namespace gemmill
