// SPDX-License-Identifier: Apache-2.0
// Products of host matrices on one device: pieces of a batch are packed into pinned slots, travel,
// are multiplied and come back, several at a time.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "backend/gpu/gpu.hpp"

namespace gemmill {

class BatchLane {
  public:
    /// Of a device of the backend.
    BatchLane(GpuBackend::State& state, DeviceId device);
    ~BatchLane();
    BatchLane(const BatchLane&) = delete;
    BatchLane& operator=(const BatchLane&) = delete;

    /// Products [first, last) of a batch; ends early when `stop` is set. When it returns or throws,
    /// nothing of it is on its way any more.
    void run(const Batch& batch, index_t first, index_t last, const Loop& loop,
             const std::atomic<bool>& stop);

  private:
    /// Where the matrices of a piece lie in a slot, in bytes: A, B and C follow one another.
    struct Piece {
        Batch batch;  ///< the user's products
        bool uniform = false;
        std::array<index_t, 3> begin{}, stride{};
        std::array<std::vector<index_t>, 3> each;  ///< when they are not uniform
        index_t bytes = 0;

        index_t at(std::size_t matrix, index_t i) const {
            return uniform ? begin[matrix] + i * stride[matrix]
                           : each[matrix][static_cast<std::size_t>(i)];
        }
    };
    struct Slot {
        std::shared_ptr<std::byte> host, device;
        index_t capacity = 0;
        GpuStream* stream = nullptr;
        GpuEvent* event = nullptr;
        bool busy = false;
        Piece piece;
    };

    static Piece lay_out(const Batch& batch);
    index_t end_of_piece(const Batch& batch, index_t first, index_t last) const;
    void make_room(Slot& slot, index_t bytes);
    struct Arrays;
    static Batch there(const Slot& slot, Arrays& arrays);
    static void pack(const Slot& slot, const Loop& loop);
    void start(Slot& slot, const Loop& loop);
    void finish(Slot& slot, const Loop& loop);
    void drain() noexcept;
    void require_ok(int fault, const char* what);

    GpuBackend::State& state_;
    const GpuDriver& driver_;
    const DeviceId device_;
    std::array<Slot, 3> slots_;
};

}  // namespace gemmill
