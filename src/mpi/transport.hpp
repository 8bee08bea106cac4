// SPDX-License-Identifier: Apache-2.0
// Messages between ranks by MPI, on a communicator of its own.
#pragma once

#include <mpi.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "rank/message/node.hpp"
#include "rank/message/transport.hpp"

namespace gemmill {

class MpiTransport : public Transport {
  public:
    /// Bytes of one message; larger ones are sent in parts. Counts of MPI have 31 bits.
    static constexpr std::int64_t usual_part = std::int64_t{1} << 30;

    /// Takes over a communicator that nobody else sends on.
    explicit MpiTransport(MPI_Comm own, std::int64_t part = usual_part);

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    Request send(int to, std::int64_t tag, const void* data, std::int64_t bytes) override;
    Request receive(int from, std::int64_t tag, void* data, std::int64_t bytes) override;
    bool is_done(Request request) override;
    void pause() override;
    void give_up(std::shared_ptr<void> memory) override;
    double patience() const override { return patience_; }
    NodeMemory* node() override { return node_.get(); }

    /// Memory that all ranks of the communicator see; null: there is none.
    void set_node(std::shared_ptr<NodeMemory> node) { node_ = std::move(node); }

    void set_patience(double seconds) { patience_ = seconds; }
    /// Throws Error(failed_step) when an earlier call gave up: messages of it may still come.
    void require_whole() const;
    MPI_Comm communicator() const { return comm_; }

  private:
    int mpi_tag(std::int64_t tag) const;

    MPI_Comm comm_;
    std::int64_t part_;
    int rank_ = 0, size_ = 1;
    std::int64_t tags_ = 32767;
    double patience_ = 0;
    Request next_ = 1;
    struct Pending {
        std::vector<MPI_Request> parts;
        bool is_receive = false;
    };
    std::unordered_map<Request, Pending> requests_;
    std::vector<std::shared_ptr<void>> kept_;
    std::shared_ptr<NodeMemory> node_;
};

/// Throws Error(failed_step) with MPI's words unless it is MPI_SUCCESS.
void require_mpi(int code, const char* what);

}  // namespace gemmill
