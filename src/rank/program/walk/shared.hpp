// SPDX-License-Identifier: Apache-2.0
// Panels of a program that lie in memory which all ranks of the node see.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rank/message/node.hpp"
#include "rank/program/program.hpp"

namespace gemmill {

/// Waits until something holds; `awaited` says who is to blame if it does not.
using WaitUntil = std::function<void(const std::function<bool()>& holds,
                                     const std::function<std::string()>& awaited)>;

/// One rank's view of them while its program runs. Of a program that shares none it does nothing.
class SharedPanels {
  public:
    SharedPanels(Transport& transport, const RankProgram& program, WaitUntil wait);

    /// Lays out this rank's memory, which all others must have left, and finds that of others.
    void open();
    /// All others have found what they need, and have had products made by this rank, so that it
    /// may go on to other things.
    void close();

    /// Where a panel of a stage lies.
    std::byte* panel(int stage, int operand, int group) const;
    /// Nobody reads what lay in the place of a stage's panels before.
    void await_readers(int stage);
    /// Nobody reads a stage's panels in this rank's memory, where it is used again.
    void await_readers_of(int stage);
    /// This rank's parts of a stage's panels are in place.
    void tell_placed(int stage);
    /// All parts of this rank's panels of a stage are in place.
    void await_sources(int stage);
    /// The same for a thread that does nothing else meanwhile.
    void await_sources_apart(int stage) const;
    /// Where something lies in memory of a rank that this one has found, and back.
    SharedPlace place_of(const void* data) const;
    std::byte* address_of(const SharedPlace& place) const;
    /// This rank's own memory.
    std::byte* own() const { return memories_[static_cast<std::size_t>(rank_)]; }
    /// This rank no longer reads the panels of any stage up to this one.
    void tell_done(int stage);

  private:
    const Stage& stage(int index) const { return program_.stages[static_cast<std::size_t>(index)]; }
    const std::vector<int>& readers(int operand, int group) const {
        return program_.readers[static_cast<std::size_t>(operand)][static_cast<std::size_t>(group)];
    }
    void find(int owner);
    using IsPlaced = std::function<void(int source, std::uint64_t value, const char* missing)>;
    void for_sources(int stage, const IsPlaced& f) const;
    void await_apart(const std::atomic<std::uint64_t>& there, std::uint64_t value,
                     const std::function<std::string()>& missing) const;
    void await(int rank, std::atomic<std::uint64_t> NodeBoard::*what, std::uint64_t value,
               const char* missing);

    Transport& transport_;
    const RankProgram& program_;
    WaitUntil wait_;
    NodeMemory* node_;  // null: nothing is shared
    int rank_, size_;
    std::uint64_t number_ = 0;          // of the program
    std::vector<std::byte*> memories_;  // by rank; null: not needed
    int done_ = 0;                      // stages
};

}  // namespace gemmill
