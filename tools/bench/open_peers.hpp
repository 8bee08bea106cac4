// SPDX-License-Identifier: Apache-2.0
// The peers of gemm on a GPU: libgemmill_peers.so, opened when it is needed.
#pragma once

#include <string>

#include "peers/peers.hpp"

namespace gemmill::command {

/// The table of the library. Throws Error(no_device) when it cannot be had.
const Peers& peers_library();

/// Peers with a device. Everything throws Error(failed_step) with the peer's own words.
class OpenPeers {
  public:
    OpenPeers(const Peers& table, int device);
    ~OpenPeers();
    OpenPeers(const OpenPeers&) = delete;
    OpenPeers& operator=(const OpenPeers&) = delete;

    std::string gpu_name() const;
    int default_block() const;
    void copy(void* to, const void* from, std::size_t bytes) const;
    void xt(const GemmArgs& args, int block, bool pins) const;
    void copy_all(const GemmArgs& args) const;
    void in_core(const GemmArgs& args) const;
    void xt(const Level3Args& args, int block, bool pins) const;
    void in_core(const Level3Args& args) const;
    void* stream() const { return table_.stream(state_); }
    void synchronize() const;
    void batched(const Batch& batch) const;
    void set_groups(const Batch& batch) const;
    void grouped() const;
    void one_by_one(const Batch& batch) const;

  private:
    void require_ok(int code, const char* what) const;

    const Peers& table_;
    PeerState* state_ = nullptr;
};

}  // namespace gemmill::command
