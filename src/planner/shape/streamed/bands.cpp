// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/streamed/bands.hpp"

#include <algorithm>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/route/timed.hpp"
#include "planner/shape/streamed/bands_cut.hpp"
#include "planner/split/parts.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t at(auto id) { return static_cast<std::size_t>(id); }

/// A seat, and when its buffer is not used any more.
struct Spot {
    Builder::Seat seat;
    double free = 0;
    int write = -1;  ///< or when this write is done
};

struct Ring {
    std::vector<Spot> spots;
    std::size_t next = 0;

    Spot& turn() {
        Spot& spot = spots[next];
        next = (next + 1) % spots.size();
        return spot;
    }
};

/// A part of A of a band, and where it is.
struct Held {
    Part k;
    BufferId place = Ref::home;
};

class BandPlanner {
  public:
    BandPlanner(Draft& plan, const Choice& choice)
        : plan_(plan),
          problem_(plan.problem),
          strips_(choice.strips),
          memory_(device_memory(plan.machine, choice.devices.front())),
          cut_(find_cut(plan, choice.strips, memory_)),
          builder_(plan, plan.most_steps),
          timed_(plan, builder_),
          queue_(builder_.compute_queue(choice.devices.front(), 0)),
          beside_(reads_c() ? builder_.urgent_queue(choice.devices.front()) : queue_) {}

    void make() {
        reserve();
        for (index_t b = 0; b < cut_.bands; ++b) {
            start_band(b);
            make_front(b);
            finish(b);
            for (Spot& spot : heads_.spots)
                if (spot.seat.taken == a_.front().place) spot.free = done_;
        }
        timed_.issue();
    }

  private:
    bool lives(OperandId operand) const { return problem_.home[at(operand)] == memory_; }
    bool reads_c() const { return is_read(problem_, operand::C); }

    Part rows_of(index_t band) const {
        const index_t first = band * cut_.rows;
        return {first, std::min(cut_.rows, problem_.m - first)};
    }

    TileId tile(OperandId operand, const Part& rows, const Part& cols) {
        return builder_.tile(stored_tile(problem_, operand, rows, cols));
    }

    void reserve() {
        const auto seat = [&](std::int64_t bytes) {
            return Spot{builder_.make_seat(memory_, bytes)};
        };
        const auto bytes = [&](index_t k) {
            return slot_bytes(cut_.rows, k, problem_.type, plan_.grain);
        };
        if (!lives(operand::A)) {
            for (index_t i = 0; i < std::min<index_t>(cut_.bands, 2); ++i)
                heads_.spots.push_back(seat(bytes(cut_.head)));
            if (cut_.head < problem_.k) tail_ = seat(bytes(problem_.k - cut_.head));
        }
        front_ = seat(cut_.front_c);
        for (index_t i = 0; i < cut_.seats; ++i) {
            if (!lives(operand::B)) b_.spots.push_back(seat(cut_.seat_b));
            c_.spots.push_back(seat(cut_.seat_c));
        }
    }

    /// Small panels first while there is nothing else to do; a cut where the head ends.
    std::vector<Part> panels_of(index_t band) const {
        const index_t count = (problem_.k + cut_.depth - 1) / cut_.depth;
        std::vector<Part> panels;
        for (const Part whole : {Part{0, cut_.head}, Part{cut_.head, problem_.k - cut_.head}}) {
            const bool first = band == 0 && whole.first == 0;
            for (const Part& part : first ? opening(whole) : growing(whole, count, 1.0))
                for (index_t at = 0; at < part.count; at += cut_.depth)
                    panels.push_back({part.first + at, std::min(cut_.depth, part.count - at)});
        }
        return panels;
    }

    /// Panels that grow to the full depth.
    std::vector<Part> opening(const Part& whole) const {
        std::vector<Part> parts;
        double depth = static_cast<double>(least_part);
        for (index_t at = 0; at < whole.count;) {
            const auto wanted = static_cast<index_t>(depth) / least_part * least_part;
            const index_t count = std::min({wanted, cut_.depth, whole.count - at});
            parts.push_back({whole.first + at, count});
            at += count;
            depth = std::min(depth * std::max(strips_.growth, 1.1),
                             static_cast<double>(std::max(cut_.depth, least_part)));
        }
        return parts;
    }

    // --- A --------------------------------------------------------------------------------------

    /// Seats for A of a band; its head was taken with the band before, but for the first.
    void start_band(index_t band) {
        rows_ = rows_of(band);
        if (lives(operand::A)) {
            a_ = {{{0, problem_.k}, Ref::home}};
            return;
        }
        if (band == 0) next_head_ = sit_head(0);
        a_ = {next_head_};
        if (tail_.seat.memory < 0) return;
        tail_.free = done_;
        const Part k{cut_.head, problem_.k - cut_.head};
        a_.push_back({k, builder_.sit(tail_.seat, tile(operand::A, rows_, k))});
    }

    Held sit_head(index_t band) {
        const Part k{0, cut_.head};
        Spot& spot = heads_.turn();
        head_free_ = spot.free;
        return {k, builder_.sit(spot.seat, tile(operand::A, rows_of(band), k))};
    }

    const Held& holder(const Part& k) const {
        return k.first < a_.front().k.count ? a_.front() : a_.back();
    }

    double bring(OperandId operand, TileId id, BufferId place, double ready) {
        if (lives(operand) && operand != operand::C) return 0;
        return timed_.move(Opcode::fetch, {id, Ref::home}, {id, place}, ready);
    }

    /// A panel of the band's A; those of a head came before.
    double bring_a(index_t band, const Part& k) {
        const bool head = k.first < cut_.head;
        if (band > 0 && head) return head_there_;
        return bring(operand::A, tile(operand::A, rows_, k), holder(k).place,
                     head ? 0 : tail_.free);
    }

    // --- B and C --------------------------------------------------------------------------------

    struct There {
        BufferId place = Ref::home;
        double ready = 0;
        Spot* spot = nullptr;
    };

    /// A part of B in the next seat of its ring.
    There bring_b(const Part& k, const Part& cols) {
        if (lives(operand::B)) return {};
        const TileId id = tile(operand::B, k, cols);
        Spot& spot = b_.turn();
        const BufferId place = builder_.sit(spot.seat, id);
        return {place, bring(operand::B, id, place, spot.free), &spot};
    }

    /// A seat for a strip of C, with the user's C in it where that is read.
    There bring_c(const Part& cols) {
        const TileId id = tile(operand::C, rows_, cols);
        Spot& spot = c_.turn();
        const BufferId place = builder_.sit(spot.seat, id);
        double ready = spot.free;
        if (reads_c()) {
            if (spot.write >= 0) ready = timed_.also_wait(at(spot.write));
            ready = bring(operand::C, id, place, ready);
        } else if (spot.write >= 0) {
            ready = timed_.written(at(spot.write));
        }
        spot.write = -1;
        return {place, ready, &spot};
    }

    double multiply(const Part& cols, const Part& k, Keep keep, BufferId out, BufferId b,
                    double ready) {
        const Ref sum{tile(operand::C, rows_, cols), out};
        const Ref first{tile(operand::A, rows_, k), holder(k).place};
        const Ref second{tile(operand::B, k, cols), b};
        return done_ = timed_.compute(
                   compute_step(plan_, plan_.problem, queue_, sum, keep, first, second), ready);
    }

    // --- a band ---------------------------------------------------------------------------------

    /// Every panel adds to the whole front; the last one finishes it strip by strip.
    void make_front(index_t band) {
        const Part whole = span_of(cut_.front);
        for (const std::size_t write : front_writes_)
            front_.free = std::max(front_.free, timed_.written(write));
        front_writes_.clear();
        front_done_.clear();
        sums_ = builder_.sit(front_.seat, tile(operand::C, rows_, whole));
        const std::vector<Part> panels = panels_of(band);
        for (const Part& k : panels) {
            const double a = bring_a(band, k);
            const There b = bring_b(k, whole);
            const bool first = k.first == 0, last = &k == &panels.back();
            const Keep keep = first ? Keep::zero : Keep::sum;
            const double ready = std::max({a, b.ready, first ? front_.free : 0});
            if (last)
                for (const Part& cols : cut_.front)
                    front_done_.push_back(multiply(cols, k, keep, sums_, b.place, ready));
            else
                multiply(whole, k, keep, sums_, b.place, ready);
            if (b.spot != nullptr) b.spot->free = done_;
        }
    }

    /// Strips of the rest, between them what the front still lacks, and the head of the next band.
    void finish(index_t band) {
        const std::size_t fronts = cut_.front.size(), rests = cut_.rest.size();
        const std::vector<Part> heads = heads_after(band);
        std::size_t h = 0;
        for (std::size_t f = 0, r = 0; f < fronts || r < rests;) {
            const bool front_next = f * (rests + 1) <= r * (fronts + 1);
            if (f < fronts && (front_next || r == rests))
                finish_front(f++);
            else
                make_strip(cut_.rest[r++]);
            while (h < heads.size() && h * (fronts + rests) < heads.size() * (f + r))
                bring_head(band + 1, heads[h++]);
        }
    }

    std::vector<Part> heads_after(index_t band) {
        if (band + 1 == cut_.bands || lives(operand::A)) return {};
        next_head_ = sit_head(band + 1);
        return growing({0, cut_.head}, std::max<index_t>(1, cut_.head / cut_.depth), 1.0);
    }

    void bring_head(index_t band, const Part& k) {
        head_there_ =
            bring(operand::A, tile(operand::A, rows_of(band), k), next_head_.place, head_free_);
    }

    void finish_front(std::size_t i) {
        const Part& cols = cut_.front[i];
        const TileId id = tile(operand::C, rows_, cols);
        double ready = front_done_[i];
        if (reads_c()) {
            const There c = bring_c(cols);
            const Step add = add_step(plan_, beside_, {id, sums_}, Keep::old, {id, c.place});
            ready = timed_.beside(add, std::max(ready, c.ready));
            c.spot->free = ready;
        }
        front_writes_.push_back(timed_.write({id, sums_}, ready));
    }

    void make_strip(const Part& cols) {
        const There b = bring_b({0, problem_.k}, cols);
        const There c = bring_c(cols);
        Keep keep = reads_c() ? Keep::old : Keep::zero;
        for (const Held& a : a_) {
            multiply(cols, a.k, keep, c.place, b.place, std::max(b.ready, c.ready));
            keep = Keep::sum;
        }
        if (b.spot != nullptr) b.spot->free = done_;
        c.spot->write =
            static_cast<int>(timed_.write({tile(operand::C, rows_, cols), c.place}, done_));
    }

    Draft& plan_;
    const Problem& problem_;
    const Strips strips_;
    const MemoryId memory_;
    const BandCut cut_;
    Builder builder_;
    Timed timed_;
    const QueueId queue_, beside_;
    Ring heads_, b_, c_;
    Spot tail_, front_;
    Part rows_;            // of the band
    std::vector<Held> a_;  // of the band
    Held next_head_;       // of the next one
    double head_free_ = 0, head_there_ = 0;
    double done_ = 0;            // the last product so far
    BufferId sums_ = Ref::home;  // of the front
    std::vector<double> front_done_;
    std::vector<std::size_t> front_writes_;
};

}  // namespace

bool needs_bands(const Draft& frame, std::span<const DeviceId> devices) {
    if (devices.size() != 1) return false;
    const MemoryId memory = device_memory(frame.machine, devices.front());
    std::int64_t left = frame.limit[at(memory)];
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        if (frame.problem.home[at(operand)] != memory)
            left -= operand_bytes(frame.problem, operand);
    return left < 0;
}

void plan_bands(Draft& plan, const Choice& choice) { BandPlanner(plan, choice).make(); }

}  // namespace gemmill
