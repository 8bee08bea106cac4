// SPDX-License-Identifier: Apache-2.0
// The products of a rank's program and its sums of C: on the host, or on a device, where the sums
// stay from the first stage of a block to the last.
#pragma once

#include "rank/program/program.hpp"
#include "rank/program/shared.hpp"

namespace gemmill {

class RankProducts {
  public:
    /// The arena begins with room for the sums, which those of a device pass through.
    RankProducts(const RankProgram& program, const DistUpdate& update, const LocalKernels& kernels,
                 const SharedPanels& shared, std::byte* arena);
    /// Waits for what a device still does.
    ~RankProducts();
    RankProducts(const RankProducts&) = delete;
    RankProducts& operator=(const RankProducts&) = delete;

    /// The sums of a block begin at zero.
    void clear();
    /// Makes the product of a stage, or begins it on a device that must have ended the one before.
    /// `look` is called between parts of a product that this thread makes; `quiet`: there is
    /// nothing to look for.
    void make(int stage, const std::function<void()>& look, bool quiet);
    /// Whether no product is under way; throws what a product threw.
    bool are_done();
    /// The stage of the last product that was begun on a device or made here.
    int last_stage() const { return last_; }
    /// A block of C = beta C + sums; all products must be done.
    void write(const CBlock& block);
    /// Brings sums that nobody writes to C into the arena.
    void bring_sums();

  private:
    const Stage& stage(int index) const { return program_.stages[static_cast<std::size_t>(index)]; }
    const CBlock& block(int index) const {
        return program_.blocks[static_cast<std::size_t>(index)];
    }
    bool on_device() const { return sums_ != arena_; }
    std::byte* data_of(int stage, int operand) const;
    GemmArgs arguments(int stage) const;
    index_t slab_of(const Stage& x, bool quiet) const;
    bool cut_slab(const Stage& x, index_t col, index_t cols, GemmArgs& args) const;
    void for_columns(const CBlock& block,
                     const std::function<void(index_t first, index_t count)>& f) const;

    const RankProgram& program_;
    const DistUpdate& update_;
    const LocalKernels& kernels_;
    const SharedPanels& shared_;
    std::byte* arena_;
    std::byte* sums_;
    HasEnded running_;
    int last_ = -1;
};

}  // namespace gemmill
