// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/streamed/bands_cut.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/split/parts.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr index_t fewest_seats = 3, most_seats = 16;  // of a ring
constexpr index_t in_head = 8;                        // the head is one in so many parts of A

std::size_t at(auto id) { return static_cast<std::size_t>(id); }

index_t widest(const std::vector<Part>& parts) {
    index_t most = 0;
    for (const Part& part : parts) most = std::max(most, part.count);
    return most;
}

/// A cut with so many bands and strips, with as many seats as fit; none when these are too few.
class Cutter {
  public:
    Cutter(const Draft& plan, const Strips& strips, MemoryId memory)
        : plan_(plan), p_(plan.problem), strips_(strips), memory_(memory) {}

    BandCut find() const {
        const index_t most = std::max<index_t>(1, p_.m / least_part);
        for (index_t bands = std::clamp<index_t>(strips_.bands, 1, most); bands <= most; ++bands)
            for (index_t strips = strips_.strips; strips <= most_strips(); strips *= 2)
                if (const auto cut = make(bands, strips)) return *cut;
        throw Error(Code::out_of_memory, "bands of 128 rows do not fit the device's memory",
                    "more device memory");
    }

  private:
    index_t most_strips() const { return std::max(strips_.strips, 2 * p_.n / least_part); }
    bool lives(OperandId operand) const { return p_.home[at(operand)] == memory_; }

    std::optional<BandCut> make(index_t bands, index_t strips) const {
        BandCut cut;
        cut.bands = bands;
        cut.rows = rounded((p_.m + bands - 1) / bands, p_.m, least_part);
        cut.bands = (p_.m + cut.rows - 1) / cut.rows;
        const auto wanted = static_cast<index_t>(
            std::lround(std::clamp(strips_.front, 0.05, 1.0) * static_cast<double>(p_.n)));
        const index_t wide = std::max(rounded(wanted, p_.n, block_of(plan_.machine, wanted)),
                                      std::min(p_.n, least_part));
        cut.front = taper(plan_.machine, {0, wide}, strips, wide == p_.n ? strips_.drain : 0);
        cut.rest = taper(plan_.machine, {wide, p_.n - wide}, strips, strips_.drain);
        cut.depth = std::max(least_part, p_.k / strips_.panels);
        cut.head = cut.bands == 1 ? p_.k
                                  : std::max(rounded(p_.k / in_head, p_.k, least_part),
                                             std::min(p_.k, least_part));
        return with_seats(cut, wide) ? std::optional(cut) : std::nullopt;
    }

    bool with_seats(BandCut& cut, index_t wide) const {
        const auto bytes = [&](index_t rows, index_t cols) {
            return slot_bytes(rows, cols, p_.type, plan_.grain);
        };
        const index_t strip = std::max(widest(cut.front), widest(cut.rest));
        cut.front_c = bytes(cut.rows, wide);
        cut.seat_c = bytes(cut.rows, strip);
        cut.seat_b = std::max(bytes(cut.depth, wide), bytes(p_.k, widest(cut.rest)));
        std::int64_t left = plan_.limit[at(memory_)] - cut.front_c;
        if (!lives(operand::A))
            left -= (cut.bands == 1 ? 1 : 2) * bytes(cut.rows, cut.head) +
                    (cut.bands == 1 ? 0 : bytes(cut.rows, p_.k - cut.head));
        const std::int64_t both = (lives(operand::B) ? 0 : cut.seat_b) + cut.seat_c;
        cut.seats = std::min(most_seats, left / both);
        return left > 0 && cut.seats >= fewest_seats;
    }

    const Draft& plan_;
    const Problem& p_;
    const Strips& strips_;
    MemoryId memory_;
};

}  // namespace

BandCut find_cut(const Draft& plan, const Strips& strips, MemoryId memory) {
    return Cutter(plan, strips, memory).find();
}

}  // namespace gemmill
