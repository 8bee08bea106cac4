// SPDX-License-Identifier: Apache-2.0
// All messages that bring elements from where they are to where they are needed, one for each pair
// of ranks: as data that a rank makes for itself alone, and their run.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "matrix/distribution.hpp"
#include "rank/message/boxes.hpp"
#include "rank/message/transport.hpp"

namespace gemmill {

/// A distributed matrix as one rank sees it.
struct RankMatrix {
    Distribution distribution;
    std::vector<Address> at;  ///< by holding of this rank, in host memory
    /// Where the holdings lie on a device, of which `at` has copies; empty or null: they do not.
    std::vector<Address> device = {};
    /// For products: the first holding where it lies.
    const Address& home() const {
        return device.empty() || device.front().data == nullptr ? at.front() : device.front();
    }
};

/// Which elements a rank has or needs.
using HoldingsOf = std::function<std::vector<Holding>(int rank)>;

/// A box and the holdings of the two ranks that it lies in.
struct Parcel {
    Box box;
    std::size_t from = 0, to = 0;
};

/// What one rank sends to another, parcel behind parcel.
struct Message {
    int peer = -1;
    std::vector<Parcel> parcels;
    std::int64_t bytes = 0;
};

struct Exchange {
    std::vector<Message> sends, receives;
    Message own;  ///< what stays on this rank

    std::int64_t sent_bytes() const;
    std::int64_t buffer_bytes() const;
};

/// Elements of `to` are needed as op of `from`; serves(holder, reader) picks among several holders.
struct ExchangeSpec {
    HoldingsOf from, to;
    std::function<bool(int, int)> serves;
    Op op = Op::NoTrans;
    Type type = Type::d;
};
Exchange exchange_of(const ExchangeSpec& spec, int rank, int ranks);

/// A message, this rank's own one too, and its packed bytes.
struct Arrived {
    const Message* message = nullptr;
    const std::byte* bytes = nullptr;
};

/// Memory for the messages of an exchange.
std::shared_ptr<std::byte[]> memory_for(const Exchange& exchange);

/// Sends and receives everything, by way of such memory; `place` is given what came once all of it
/// is there.
void run_exchange(Transport& transport, Type type, const Exchange& exchange,
                  std::shared_ptr<std::byte[]> memory, const std::vector<Address>& from,
                  const std::function<void(const std::vector<Arrived>&)>& place);

/// to = op(from), elements of the same type. Every rank calls it; returns the bytes it sent.
std::int64_t copy_matrix(Transport& transport, Type type, Op op, const RankMatrix& from,
                         const RankMatrix& to);
/// The same with its messages and their memory made before.
void run_copy_exchange(Transport& transport, Type type, Op op, const Exchange& exchange,
                       std::shared_ptr<std::byte[]> memory, const RankMatrix& from,
                       const RankMatrix& to);
/// Its messages.
Exchange copy_of(const Distribution& from, const Distribution& to, Op op, Type type, int rank,
                 int ranks);

}  // namespace gemmill
