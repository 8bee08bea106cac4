// SPDX-License-Identifier: Apache-2.0
// Copies between devices and host memory that is not pinned, or of which only short pieces lie
// together: threads pack it into pinned slots, or out of them, while other slots travel. It then
// moves nearly as fast as whole columns of pinned memory.
//
// A move to a device may be packed long before its stream may take it: begin() says what will be
// needed, release() that its turn has come. Moves are packed in the order of begin(), so that the
// first one never waits for slots that later ones hold. All threads work on a slot together, those
// of the other direction when they have nothing of their own, so that the first slot of a move is
// soon on its way and the last one soon emptied: one thread alone copies at a tenth of the link's
// rate. Threads that wait for a device make the pages of what it will bring: a program's new result
// has none yet.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backend/gpu/resources.hpp"
#include "backend/gpu/staging/setup.hpp"

namespace gemmill {

class Staging {
  public:
    Staging(const GpuDriver& driver, EventPool& events, const StagingSetup& setup);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// One copy. Stays where it is until all calls that it gets have been made, or cancel()
    /// returned.
    struct Move {
        CopyArgs args;
        Lane lane;
        bool to_device = true;
        /// Of a move from a device: the pages that it writes may not be there yet.
        bool new_pages = false;
        /// Called by a thread of ours when the last part is in the stream, unless release() said
        /// so. 0, or the first fault.
        std::function<void(int fault)> issued;
        /// Called by a thread of ours when all of a move from a device has reached the host.
        std::function<void(int fault)> ended;

      private:
        friend class Staging;
        index_t parts = 0, taken = 0, sent = 0, through = 0;
        index_t touched = 0;  // parts whose pages a thread has made, or makes
        int touching = 0;     // threads that make them
        int fault = 0;
        bool released = false;
        std::vector<std::pair<std::size_t, index_t>> packed;  // slot and part, not yet sent
    };

    /// Announces a move; one to a device is packed from now on. Throws Error(out_of_memory) when
    /// there is no room for the slots or no thread, both of which the first move makes.
    void begin(Move& move);
    /// The stream may take it now. Returns 0 or the first fault when it has taken all of it
    /// already.
    std::optional<int> release(Move& move);
    /// Drops a move that was not released.
    void cancel(Move& move);

  private:
    /// Pinned slots of one direction, each with an event that says when it may be used again.
    struct Ring {
        std::byte* memory = nullptr;
        std::vector<std::pair<int, GpuEvent*>> events;  // of each slot, with the event's device
        std::vector<std::size_t> free;
        std::deque<std::size_t> travelling;  // to a device, the oldest first
    };
    struct Arriving {
        Move* move;
        std::size_t slot;
        index_t part;
        bool travels;
    };
    /// A part of a move that threads copy into its slot, or out of it, in shares.
    struct SlotCopy {
        Move* move;
        std::size_t slot;
        index_t part;
        CopyArgs copy;
        bool streams;  // past the caches
        int shares, taken = 0, done = 0;
    };
    /// What is to be copied in one direction, and how its threads learn of it.
    struct Crew {
        std::list<SlotCopy> pieces;
        std::atomic<int> open{0};       // shares that nobody has taken
        std::atomic<unsigned> news{0};  // changes when there may be something to do
        std::condition_variable changed;

        void wake() {
            ++news;
            changed.notify_all();
        }
    };
    using Lock = std::unique_lock<std::mutex>;

    void open();
    void start_threads(std::size_t wanted);
    void open(Ring& ring) const;
    void close(Ring& ring) const;
    void pack_all();
    void unpack_all();
    void begin_packing(Lock& lock);
    void end_packing(Lock& lock, const SlotCopy& piece);
    void begin_unpacking(Lock& lock);
    void end_unpacking(Lock& lock, const SlotCopy& piece);
    void share(Crew& crew, const SlotCopy& piece);
    bool do_share(Lock& lock, Crew& crew);
    bool has_shares() const { return packing_.open > 0 || unpacking_.open > 0; }
    Crew& other(const Crew& crew) { return &crew == &packing_ ? unpacking_ : packing_; }
    int all_threads() const { return 2 * setup_.threads; }
    template <class F>
    void wait(Lock& lock, Crew& crew, const F& ready) const;
    int wait_for(Lock& lock, GpuEvent* event, Crew& crew);
    void touch_until(Lock& lock, GpuEvent* event);
    /// Pages are made while threads do not pack: there is nothing, or no slot is free.
    bool can_touch() const { return !to_touch_.empty() && (to_pack_.empty() || in_.free.empty()); }
    bool touch_one(Lock& lock);
    std::size_t take_slot(Lock& lock);
    void send(Lock& lock, Move& move, std::size_t slot, index_t part);
    void fetch_back(Lock& lock);
    static void call(Lock& lock, const std::function<void(int)>& function, int fault);
    void end_if_through(Lock& lock, const Move& move);
    void tell_issued(Lock& lock);
    bool travel(Lock& lock, Ring& ring, std::size_t slot, Move& move, index_t part);
    std::pair<bool, int> travel(Ring& ring, std::size_t slot, const Move& move, index_t part);
    std::byte* at(const Ring& ring, std::size_t slot) const;

    const GpuDriver& driver_;
    EventPool& events_;
    const StagingSetup setup_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Ring in_, out_;
    Crew packing_, unpacking_;
    std::deque<Move*> to_pack_;   // in the order of begin()
    index_t announced_ = 0;       // bytes to be packed, since there were none
    std::deque<Move*> to_fetch_;  // from devices, in the order of release()
    std::deque<Move*> to_touch_;  // whose pages are to be made, in the order of begin()
    std::deque<Arriving> to_unpack_;
    std::vector<Move*> issued_;  // whose `issued` is to be called
    std::vector<std::thread> threads_;
    bool stop_ = false;
};

}  // namespace gemmill
