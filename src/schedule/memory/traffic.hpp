// SPDX-License-Identifier: Apache-2.0
// What is on its way over which link, and when one more tile would arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmill/machine.hpp"

namespace gemmill {

class Traffic {
  public:
    explicit Traffic(const Machine& machine);

    /// The link between two memories, or -1.
    LinkId link(MemoryId from, MemoryId to) const {
        return links_[static_cast<std::size_t>(from) * memories_ + static_cast<std::size_t>(to)];
    }
    /// Bytes a second of a link while all links from the same memory run.
    double together(LinkId link) const { return together_[static_cast<std::size_t>(link)]; }
    /// Seconds until so many bytes that are put on a link now have arrived: behind what its queue
    /// has, and behind what shares its resources.
    double seconds(LinkId link, std::int64_t bytes) const;
    /// Seconds until a link has brought what is on it and so many bytes more, while all links from
    /// the same memory run.
    double drained(LinkId link, double more) const;
    /// A transfer held its link for so long.
    void note(LinkId link, std::int64_t bytes, double seconds);
    /// How much longer the last transfers of a link took than those of links from the same memory
    /// do in the mean; 1 where that is no more than sharing a switch explains.
    double slowdown(LinkId link) const;
    void begin(LinkId link, std::int64_t bytes) { add(link, static_cast<double>(bytes)); }
    void end(LinkId link, std::int64_t bytes) { add(link, -static_cast<double>(bytes)); }

  private:
    void add(LinkId link, double bytes);
    void share_out();

    const Machine& machine_;
    std::size_t memories_;
    std::vector<LinkId> links_;        // by memory from, then to
    std::vector<double> together_;     // by link
    std::vector<double> pace_;         // by link: seconds of the last transfers over expected ones
    std::vector<double> paces_;        // by memory: the mean of links that leave it
    std::vector<double> leaving_;      // by memory: links that leave it
    std::vector<double> on_link_;      // bytes
    std::vector<double> on_resource_;  // bytes
};

}  // namespace gemmill
