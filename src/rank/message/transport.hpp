// SPDX-License-Identifier: Apache-2.0
// How ranks reach one another: src/mpi does it with MPI, tests with threads.
#pragma once

#include <cstdint>
#include <memory>

#include "gemmill/types.hpp"

namespace gemmill {

class NodeMemory;

/// The ranks of one group, as one of them sees it. Messages between two ranks with one tag arrive
/// in the order in which they were sent and are asked for in the order in which they were awaited;
/// no two messages under way between them have the same tag otherwise. Used by one thread at a
/// time.
class Transport {
  public:
    using Request = std::int64_t;
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Both return at once; the bytes must stay until the request is done.
    virtual Request send(int to, std::int64_t tag, const void* data, std::int64_t bytes) = 0;
    virtual Request receive(int from, std::int64_t tag, void* data, std::int64_t bytes) = 0;
    /// Whether it has ended; a request that has is forgotten.
    virtual bool is_done(Request request) = 0;
    /// Leaves the core to others for a moment; for any thread.
    virtual void pause() = 0;
    /// Nothing is awaited any more, here or in later calls: `memory`, which messages under way may
    /// still read or write, is kept as long as this is.
    virtual void give_up(std::shared_ptr<void> memory) = 0;
    /// Seconds without any message after which a rank counts as lost; 0: never. For any thread.
    virtual double patience() const = 0;
    /// Memory that all of these ranks see; null: they are not on one node.
    virtual NodeMemory* node() { return nullptr; }
};

}  // namespace gemmill
