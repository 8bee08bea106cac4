// SPDX-License-Identifier: Apache-2.0
// The device with which all ranks of a node compute, each on matrices in its memory that all of
// them see. A GPU has the products of one process at a time: between those of two it saves and
// restores all that it has on its multiprocessors, and stands still until the next one has come.
// So one rank's process makes the products of all.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "rank/message/node.hpp"
#include "rank/program/program.hpp"
#include "rank/program/walk/shared.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

/// One rank's view of it while its program runs. Of a program without such a device it does
/// nothing.
class SharedDevice {
  public:
    SharedDevice(Transport& transport, const RankProgram& program, const LocalKernels& kernels,
                 const SharedPanels& panels);
    /// Other ranks' products are no longer made.
    ~SharedDevice();
    SharedDevice(const SharedDevice&) = delete;
    SharedDevice& operator=(const SharedDevice&) = delete;

    /// The first rank begins to make what ranks ask for, when shared memory is open.
    void open();
    /// Has a product made and waits for its end; for one thread of a rank at a time. Throws what
    /// kept it from being made.
    void make(const GemmArgs& product) const;

  private:
    void serve(int first);
    bool serve_one(int rank);
    void make_for(NodeBoard& board);

    Transport& transport_;
    const LocalKernels& kernels_;
    const SharedPanels& panels_;
    NodeMemory* node_;  // null: there is no such device
    std::atomic<bool> stopped_ = false;
    std::vector<std::shared_ptr<void>> makers_;
};

}  // namespace gemmill
