// SPDX-License-Identifier: Apache-2.0
// The products of a rank's program: on the host, or on a device.
#pragma once

#include <deque>
#include <functional>

#include "rank/program/program.hpp"
#include "rank/program/walk/shared.hpp"
#include "rank/program/walk/shared_device.hpp"
#include "rank/program/walk/sums.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

class RankProducts {
  public:
    /// The arena begins with room for the sums, which those of a device pass through.
    RankProducts(const RankProgram& program, const DistUpdate& update, const LocalKernels& kernels,
                 const SharedPanels& shared, const SharedDevice& device, std::byte* arena);
    /// Waits for what a device still does.
    ~RankProducts();
    RankProducts(const RankProducts&) = delete;
    RankProducts& operator=(const RankProducts&) = delete;

    /// Finds room for the sums, when shared memory is open.
    void open();
    /// Makes the product of a stage, or begins it on a device that must have room for it. `look` is
    /// called between parts of a product that this thread makes; `quiet`: there is nothing to look
    /// for. Before a block is written some stages are held back and made together in parts, so that
    /// one part is written while the next is made.
    void make(int stage, const std::function<void()>& look, bool quiet);
    /// Takes note of what has ended; throws what a product threw.
    void look();
    bool are_done() const { return tasks_.empty(); }
    /// Whether a device can be given the next stage.
    bool has_room(int stage) const;
    /// Whether panels of a stage, or of one before, are still read where they lie.
    bool reads(int stage) const;
    /// The last stage that is begun or made, with all before it, and whose panels are not read.
    int last_read() const;
    /// Columns of the block, from its first on, that are made.
    index_t columns_made(const CBlock& block) const;
    /// What is made of C.
    RankSums& sums() { return sums_; }

  private:
    const Stage& stage(int index) const { return program_.stages[static_cast<std::size_t>(index)]; }
    const CBlock& block(int index) const {
        return program_.blocks[static_cast<std::size_t>(index)];
    }
    /// Whether products find panels on the device.
    bool panels_are_there() const { return uploads_ != nullptr || program_.on_device; }
    /// Products under way, and what they still read.
    struct Task {
        int stage;
        int first;    ///< stage whose panels it reads, with all from there to `stage`
        index_t col;  ///< of the block, the first that it makes
        DeviceTask task;
        bool is_copied;
    };
    std::byte* host_data(int stage, int operand) const;
    bool is_uploaded(int stage, int operand) const;
    std::byte* device_data(int stage, int operand) const;
    const void* data_of(int stage, int operand) const;
    std::vector<DeviceCopy> copies_of(int stage) const;
    std::function<void(const std::vector<GemmArgs>&)> made_for_all(int first, int last) const;
    int end_of_block(int stage) const;
    int first_held(int end) const;
    void make_held(int stage, int end);
    std::vector<GemmArgs> stripes_of(int stage, index_t width) const;
    GemmArgs arguments(int stage) const;
    index_t stripe_width(const Stage& x, bool quiet) const;
    bool cut_stripe(const Stage& x, index_t col, index_t cols, GemmArgs& args) const;

    const RankProgram& program_;
    const DistUpdate& update_;
    const LocalKernels& kernels_;
    const SharedPanels& shared_;
    const SharedDevice& device_;
    std::byte* arena_;
    RankSums sums_;
    std::byte* uploads_ = nullptr;  // where panels lie on the device; null: they are not copied
    std::deque<Task> tasks_;
    int held_ = -1;  // first stage whose products wait for those of a later one; -1: none
    int last_ = -1;  // stage that was begun on a device or made here
};

}  // namespace gemmill
