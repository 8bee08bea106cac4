// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process, which hand one another copies of their messages.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "rank/message/node.hpp"
#include "rank/message/transport.hpp"

namespace gemmill::test {

/// Memory that all ranks see, as all memory of one process is.
class ThreadMemory : public NodeMemory {
  public:
    struct Rank {
        NodeBoard board;
        std::shared_ptr<std::byte[]> taken, seen;
        std::byte *device_taken = nullptr, *device_seen = nullptr;
    };
    ThreadMemory(std::vector<Rank>& ranks, int rank) : ranks_(ranks), rank_(rank) {}
    NodeBoard& board(int rank) override { return at(rank).board; }
    std::shared_ptr<std::byte[]> take(std::int64_t bytes) override {
        at(rank_).taken =
            std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
        return at(rank_).taken;
    }
    void publish() override { at(rank_).seen = at(rank_).taken; }
    std::byte* memory(int rank) override { return at(rank).seen.get(); }
    void take_device(std::int64_t bytes) override { at(rank_).device_taken = allocate(bytes); }
    void publish_device() override { at(rank_).device_seen = at(rank_).device_taken; }
    std::byte* device(int rank) override { return at(rank).device_seen; }

    /// Memory of a device that all ranks share.
    std::function<std::byte*(std::int64_t bytes)> allocate;

  private:
    Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    std::vector<Rank>& ranks_;
    int rank_;
};

/// What is under way between all ranks.
struct Mailboxes {
    std::mutex mutex;
    std::map<std::tuple<int, int, std::int64_t>, std::deque<std::vector<std::byte>>> mail;
    std::vector<ThreadMemory::Rank> memory;  // by rank
};

class ThreadTransport : public Transport {
  public:
    ThreadTransport(Mailboxes& boxes, int rank, int size, double patience)
        : boxes_(boxes), rank_(rank), size_(size), patience_(patience), node_(boxes.memory, rank) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    Request send(int to, std::int64_t tag, const void* data, std::int64_t bytes) override {
        const auto* first = static_cast<const std::byte*>(address ? address(data) : data);
        const std::lock_guard lock(boxes_.mutex);
        boxes_.mail[{rank_, to, tag}].emplace_back(first, first + bytes);
        sent_bytes += bytes;
        return next_++;
    }
    Request receive(int from, std::int64_t tag, void* data, std::int64_t bytes) override {
        awaited_[next_] = {from, tag, data, bytes};
        return next_++;
    }
    bool is_done(Request request) override {
        const auto found = awaited_.find(request);
        if (found == awaited_.end()) return true;
        const Awaited& x = found->second;
        const std::lock_guard lock(boxes_.mutex);
        auto& mail = boxes_.mail[{x.from, rank_, x.tag}];
        if (mail.empty()) return false;
        if (static_cast<std::int64_t>(mail.front().size()) != x.bytes)
            throw std::logic_error("a message of another size was expected");
        if (x.bytes > 0) std::memcpy(x.data, mail.front().data(), mail.front().size());
        mail.pop_front();
        awaited_.erase(found);
        return true;
    }
    void pause() override { std::this_thread::yield(); }
    void give_up(std::shared_ptr<void>) override { awaited_.clear(); }
    double patience() const override { return patience_; }
    ThreadMemory* node() override { return &node_; }

    std::int64_t sent_bytes = 0;
    /// Where the bytes of a message really are, where not all of memory is the host's.
    std::function<const void*(const void*)> address;

  private:
    struct Awaited {
        int from;
        std::int64_t tag;
        void* data;
        std::int64_t bytes;
    };
    Mailboxes& boxes_;
    int rank_, size_;
    double patience_;
    ThreadMemory node_;
    Request next_ = 1;
    std::map<Request, Awaited> awaited_;
};

/// Runs f on so many ranks; what a rank threw is at its place afterwards. No message may be left.
inline std::vector<std::exception_ptr> run_ranks(int size, double patience,
                                                 const std::function<void(ThreadTransport&)>& f,
                                                 bool* all_received = nullptr) {
    Mailboxes boxes;
    boxes.memory = std::vector<ThreadMemory::Rank>(static_cast<std::size_t>(size));
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < size; ++rank)
            threads.emplace_back([&, rank] {
                try {
                    ThreadTransport transport(boxes, rank, size, patience);
                    f(transport);
                } catch (...) {
                    errors[static_cast<std::size_t>(rank)] = std::current_exception();
                }
            });
    }
    if (all_received != nullptr) {
        *all_received = true;
        for (const auto& [key, mail] : boxes.mail) *all_received &= mail.empty();
    }
    return errors;
}

/// The same where no rank may fail.
inline void run_ranks(int size, const std::function<void(ThreadTransport&)>& f) {
    constexpr double patience = 60;
    for (const std::exception_ptr& error : run_ranks(size, patience, f))
        if (error) std::rethrow_exception(error);
}

}  // namespace gemmill::test
