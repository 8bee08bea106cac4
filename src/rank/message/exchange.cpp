// SPDX-License-Identifier: Apache-2.0
#include "rank/message/exchange.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "gemmill/error.hpp"
#include "rank/message/agree.hpp"
#include "rank/message/patience.hpp"

namespace gemmill {
namespace {

Message message_of(const ExchangeSpec& spec, const std::vector<Holding>& from,
                   const std::vector<Holding>& to, int peer) {
    Message message{peer, {}, 0};
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t j = 0; j < to.size(); ++j) {
            const bool straight = spec.op == Op::NoTrans;
            Box box;
            box.rows = meet(from[i].rows, straight ? to[j].rows : to[j].cols);
            if (box.rows.empty()) continue;
            box.cols = meet(from[i].cols, straight ? to[j].cols : to[j].rows);
            if (box.cols.empty()) continue;
            message.bytes += box.elements() * bytes_of(spec.type);
            message.parcels.push_back({std::move(box), i, j});
        }
    return message;
}

void pack(Type type, const Message& message, const std::vector<Address>& from, std::byte* buffer) {
    for (const Parcel& parcel : message.parcels) {
        pack_box(type, parcel.box, from[parcel.from], buffer);
        buffer += parcel.box.elements() * bytes_of(type);
    }
}

void unpack_message(Type type, Op op, const Arrived& arrived, const std::vector<Address>& to) {
    const std::byte* bytes = arrived.bytes;
    for (const Parcel& parcel : arrived.message->parcels) {
        unpack_box(type, parcel.box, bytes, to[parcel.to], op);
        bytes += parcel.box.elements() * bytes_of(type);
    }
}

/// The messages of one exchange while they are under way.
class Flight {
  public:
    Flight(Transport& transport, const Exchange& exchange, std::shared_ptr<std::byte[]> memory)
        : transport_(transport), exchange_(exchange), memory_(std::move(memory)) {}

    void run(Type type, const std::vector<Address>& from,
             const std::function<void(const std::vector<Arrived>&)>& place) {
        std::byte* next = memory_.get();
        std::vector<Arrived> arrived;
        for (const Message& message : exchange_.receives) {
            requests_.push_back(
                {transport_.receive(message.peer, exchange_tag, next, message.bytes),
                 message.peer});
            arrived.push_back({&message, next});
            next += message.bytes;
        }
        pack(type, exchange_.own, from, next);
        arrived.push_back({&exchange_.own, next});
        next += exchange_.own.bytes;
        for (const Message& message : exchange_.sends) {
            pack(type, message, from, next);
            requests_.push_back(
                {transport_.send(message.peer, exchange_tag, next, message.bytes), message.peer});
            next += message.bytes;
        }
        wait();
        place(arrived);
    }

  private:
    struct Pending {
        Transport::Request request;
        int peer;
    };

    void wait() {
        try {
            wait_until(
                transport_, [&] { return requests_.empty(); },
                [&] {
                    return std::erase_if(requests_, [&](const Pending& x) {
                               return transport_.is_done(x.request);
                           }) > 0;
                },
                [&] {
                    return fmt::format("rank {} sent or took nothing", requests_.front().peer);
                });
        } catch (const Error&) {
            transport_.give_up(memory_);
            throw;
        }
    }

    Transport& transport_;
    const Exchange& exchange_;
    std::shared_ptr<std::byte[]> memory_;
    std::vector<Pending> requests_;
};

}  // namespace

std::int64_t Exchange::sent_bytes() const {
    std::int64_t bytes = 0;
    for (const Message& message : sends) bytes += message.bytes;
    return bytes;
}

std::int64_t Exchange::buffer_bytes() const {
    std::int64_t bytes = sent_bytes() + own.bytes;
    for (const Message& message : receives) bytes += message.bytes;
    return bytes;
}

Exchange exchange_of(const ExchangeSpec& spec, int rank, int ranks) {
    Exchange result;
    result.own.peer = rank;
    const std::vector<Holding> have = spec.from(rank), need = spec.to(rank);
    for (int step = 0; step < ranks; ++step) {
        // Everyone begins with the next rank, so that nobody gets all messages at once.
        const int peer = (rank + step) % ranks;
        if (spec.serves(rank, peer)) {
            Message message = message_of(spec, have, peer == rank ? need : spec.to(peer), peer);
            if (peer == rank)
                result.own = std::move(message);
            else if (message.bytes > 0)
                result.sends.push_back(std::move(message));
        }
        if (peer != rank && spec.serves(peer, rank)) {
            Message message = message_of(spec, spec.from(peer), need, peer);
            if (message.bytes > 0) result.receives.push_back(std::move(message));
        }
    }
    return result;
}

std::shared_ptr<std::byte[]> memory_for(const Exchange& exchange) {
    return std::make_shared_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(exchange.buffer_bytes()));
}

void run_exchange(Transport& transport, Type type, const Exchange& exchange,
                  std::shared_ptr<std::byte[]> memory, const std::vector<Address>& from,
                  const std::function<void(const std::vector<Arrived>&)>& place) {
    Flight(transport, exchange, std::move(memory)).run(type, from, place);
}

void run_copy_exchange(Transport& transport, Type type, Op op, const Exchange& exchange,
                       std::shared_ptr<std::byte[]> memory, const RankMatrix& from,
                       const RankMatrix& to) {
    run_exchange(transport, type, exchange, std::move(memory), from.at,
                 [&](const std::vector<Arrived>& arrived) {
                     for (const Arrived& x : arrived) unpack_message(type, op, x, to.at);
                 });
}

Exchange copy_of(const Distribution& from, const Distribution& to, Op op, Type type, int rank,
                 int ranks) {
    return exchange_of(
        {[&](int r) { return from.holdings_of(r); }, [&](int r) { return to.holdings_of(r); },
         [&](int holder, int reader) { return from.serves(holder, reader); }, op, type},
        rank, ranks);
}

std::int64_t copy_matrix(Transport& transport, Type type, Op op, const RankMatrix& from,
                         const RankMatrix& to) {
    const Exchange exchange =
        copy_of(from.distribution, to.distribution, op, type, transport.rank(), transport.size());
    run_copy_exchange(transport, type, op, exchange, memory_for(exchange), from, to);
    return exchange.sent_bytes();
}

}  // namespace gemmill
