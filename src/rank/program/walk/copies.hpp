// SPDX-License-Identifier: Apache-2.0
// Copies of a rank's elements into panels and messages; large ones are shared among threads.
#pragma once

#include <functional>
#include <vector>

#include "rank/message/boxes.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

class BoxCopies {
  public:
    BoxCopies(Type type, const LocalKernels& kernels) : type_(type), kernels_(kernels) {}

    /// Copies a box into a panel, for whoever makes products of it.
    void put(const Box& box, const Address& from, const Address& to) const;
    /// Copies it into a message, and from there.
    void pack(const Box& box, const Address& from, std::byte* to) const;
    void unpack(const Box& box, const std::byte* from, const Address& to) const;
    /// Appends the copies that put it into a panel on a device.
    void add_blocks(const Box& box, const Address& from, const Address& to,
                    std::vector<BlockCopy>& blocks) const;

  private:
    void in_parts(const Box& box, const std::function<void(const Box&, std::int64_t)>& f) const;

    Type type_;
    const LocalKernels& kernels_;
};

}  // namespace gemmill
