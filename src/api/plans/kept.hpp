// SPDX-License-Identifier: Apache-2.0
// Matrices that the caller promised not to change, and their copies in device memory.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "exec/backend.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

/// A copy of a matrix, without gaps between its columns. Freed with its last user.
struct KeptCopy {
    KeptCopy(Backend& backend, MemoryId memory, const Operand& shape);
    ~KeptCopy();
    KeptCopy(const KeptCopy&) = delete;
    KeptCopy& operator=(const KeptCopy&) = delete;

    Backend& backend;
    const MemoryId memory;
    const Type type;
    const index_t rows, cols;
    void* data = nullptr;
};

/// Safe to use from several threads.
class Kept {
  public:
    void keep(const void* pointer);
    void drop(const void* pointer);

    /// Whether there is nothing to look for; costs no lock.
    bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

    /// Lets a call read copies instead of what is kept: changes homes of the problem and pointers
    /// of the binding. What the call writes is dropped. The copies stay as long as the result is
    /// held. Under a cap on device memory, which is all for plans, there are none.
    using Held = std::vector<std::shared_ptr<KeptCopy>>;
    Held use(Backend& backend, bool capped, Problem& problem, Binding& binding);
    /// Frees all copies that no call uses; they are not made again. Whether there were some.
    bool give_up();

  private:
    struct Entry {
        std::shared_ptr<KeptCopy> copy;
        bool given_up = false;
        index_t ld = 0;      // of what was copied
        index_t extent = 0;  // bytes of the largest matrix that was copied; 0: not known
    };
    void drop_written(const Operand& target, const void* data, index_t ld);
    std::shared_ptr<KeptCopy> copy_of(Entry& entry, Backend& backend, const Operand& shape,
                                      const void* data, index_t ld);

    std::mutex mutex_;
    std::map<const void*, Entry> entries_;
    std::atomic<std::size_t> count_ = 0;
};

}  // namespace gemmill
