// SPDX-License-Identifier: Apache-2.0
// The sums of a rank's program: on the host, or on a device, where they stay from the first stage
// of a block to the last.
#pragma once

#include <functional>

#include "rank/program/program.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

class RankSums {
  public:
    /// The arena begins with room for them, which those of a device pass through.
    RankSums(const RankProgram& program, const DistUpdate& update, const LocalKernels& kernels,
             std::byte* arena)
        : program_(program), update_(update), kernels_(kernels), arena_(arena), data_(arena) {}

    /// They lie on a device, from before the first product on.
    void move_to(std::byte* data) { data_ = data; }
    std::byte* data() const { return data_; }
    /// Those of a block begin at zero.
    void clear();
    /// Columns of a block of C = beta C + sums; they must be made.
    void write(const CBlock& block, index_t first, index_t count);
    /// Brings those that nobody writes to C into the arena.
    void bring();

  private:
    bool on_device() const { return data_ != arena_; }
    index_t width_of(index_t count) const;
    /// Is given columns, and the thread that does them.
    using ForColumns = std::function<void(index_t first, index_t count, index_t worker)>;
    void for_columns(index_t first, index_t count, const ForColumns& f) const;

    const RankProgram& program_;
    const DistUpdate& update_;
    const LocalKernels& kernels_;
    std::byte* arena_;
    std::byte* data_;
};

}  // namespace gemmill
