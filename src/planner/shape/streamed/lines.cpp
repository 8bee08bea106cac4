// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/streamed/lines.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "gemmill/error.hpp"
#include "planner/shape/seats.hpp"
#include "planner/split/fit.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// How the problem is cut, and what of it lies on the device at a time.
struct Layout {
    std::vector<Part> along;  ///< blocks, in the order in which they are taken
    std::vector<Part> lines;
    bool stays = false;                               ///< all of A, in panels
    index_t height = 0;                               ///< of parts of A that pass
    std::int64_t part_a = 0, sums = 0, block = 0;     ///< bytes of a seat
    index_t parts_a = 0, lines_here = 0, blocks = 0;  ///< seats
};

class LinesPlanner : OneDevicePlanner {
  public:
    LinesPlanner(Draft& plan, const Choice& choice)
        : OneDevicePlanner(plan, choice),
          beside_(p_.routine == Routine::trsm ? builder_.urgent_queue(choice.devices.front())
                                              : queue_) {}

    void make() {
        layout_ = find_layout();
        panels_.assign(layout_.along.size(), Ref::home);
        parts_a_ = make_ring(builder_, memory_, layout_.part_a, layout_.parts_a);
        sums_ = make_ring(builder_, memory_, layout_.sums, layout_.lines_here);
        blocks_ = make_ring(builder_, memory_, layout_.block, layout_.blocks);
        const std::span<const Part> all(layout_.lines);
        for (std::size_t first = 0; first < all.size();) {
            const std::size_t count = std::min(take_from(first), all.size() - first);
            take_lines(all.subspan(first, count));
            first += count;
        }
    }

  private:
    bool multiplies() const { return p_.routine == Routine::trmm; }

    // --- room -----------------------------------------------------------------------------------

    /// Halves blocks and lines until they fit.
    Layout find_layout() const {
        constexpr index_t least = 32;
        for (Cut cut = choice_.cut;; cut = {cut.edge / 2, cut.other / 2, cut.taper, cut.tail}) {
            Layout layout = cut_up(cut);
            if (seat_all(layout)) return layout;
            require(!choice_.fixed_tile && std::max(cut.edge, cut.other) / 2 >= least,
                    Code::out_of_memory, "room for a few blocks",
                    "lines of C do not fit the device's memory");
        }
    }

    Layout cut_up(const Cut& cut) const {
        const index_t edge = std::max<index_t>(1, cut.edge),
                      other = std::max<index_t>(1, cut.other);
        Layout layout;
        layout.along = cut_along(edge, cut.taper);
        layout.lines = cut_lines(left() ? p_.n : p_.m, other, cut.tail);
        const index_t e = widest(layout.along), w = widest(layout.lines);
        layout.sums = slot_bytes(left() ? p_.k : w, left() ? w : p_.k, p_.type, plan_.grain);
        layout.block = slot_bytes(left() ? e : w, left() ? w : e, p_.type, plan_.grain);
        return layout;
    }

    /// Blocks in the order in which they are taken. Columns of C that cross a border of 64 KiB are
    /// copied slowly (on an H200 at 29 GB/s instead of 47, 26 KiB beside a product), so there is a
    /// cut at each, where they are at the same rows of all columns.
    std::vector<Part> cut_along(index_t edge, int taper) const {
        const index_t border = (64 << 10) / bytes_of(p_.type);
        const bool borders = left() && p_.k > border && p_.k % border == 0;
        const index_t start = borders ? border : p_.k;
        std::vector<Part> along = cut_from_small(start, edge, taper);
        for (index_t first = start; first < p_.k; first += border)
            for (const Part& part : cut_equally({first, border}, edge)) along.push_back(part);
        return goes_forward(p_) ? along : from_the_end(std::move(along), p_.k);
    }

    /// Seats for A, sums and blocks; false where there is no room for the fewest.
    bool seat_all(Layout& layout) const {
        const std::int64_t room = plan_.limit[at(memory_)];
        layout.stays = true;
        if (seat_lines(layout, room - bytes_of_a(layout))) return true;
        layout.stays = false;
        const index_t e = widest(layout.along);
        layout.height = std::min(p_.k, std::max<index_t>(e, 4096));
        layout.part_a = slot_bytes(layout.height, e, p_.type, plan_.grain);
        layout.parts_a = local(operand::A) ? 0 : 4;
        return seat_lines(layout, room - layout.parts_a * layout.part_a);
    }

    bool seat_lines(Layout& layout, std::int64_t room) const {
        const auto lines = static_cast<index_t>(layout.lines.size());
        const index_t all = lines * std::ssize(layout.along);
        const bool several = layout.along.size() > 1;
        const bool adds = several || !multiplies();
        const bool brings = local(operand::C) ? !adds : multiplies() || several;
        // Where A passes, each line of trmm has a block there, and the next one comes.
        const index_t each = brings && multiplies() && !layout.stays ? 2 : 0;
        layout.blocks = brings && each == 0 ? std::min<index_t>(all, 4) : 0;
        room -= layout.blocks * layout.block;
        const std::int64_t line = (adds ? layout.sums : 0) + each * layout.block;
        layout.lines_here = line == 0 ? lines : std::min(lines, room / line);
        const index_t fewest = layout.stays ? std::min<index_t>(2, lines) : 1;
        if (room < 0 || layout.lines_here < fewest) return false;
        room -= layout.lines_here * line;
        layout.blocks += each * layout.lines_here;
        if (brings) layout.blocks = std::min(all, layout.blocks + room / layout.block);
        return true;
    }

    std::int64_t bytes_of_a(const Layout& layout) const {
        std::int64_t sum = 0;
        for (const Part& k : layout.along) {
            const Tile panel = a_block(from(k), k);
            sum += slot_bytes(panel.rows, panel.cols, p_.type, plan_.grain);
        }
        return local(operand::A) ? 0 : sum;
    }

    /// Lines that are made together: with A on the device some while it arrives, then one by one,
    /// so that writes are spread; else as many as there is room for.
    std::size_t take_from(std::size_t first) const {
        const auto here = at(layout_.lines_here);
        if (!layout_.stays) {  // about as many each time
            const std::size_t takes = (layout_.lines.size() + here - 1) / here;
            return (layout_.lines.size() + takes - 1) / takes;
        }
        const std::size_t wanted = at(parts_within(layout_.lines, choice_.outer));
        const std::size_t most = here < layout_.lines.size() ? here - 1 : here;
        return first > 0 ? 1 : std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, most));
    }

    // --- blocks ---------------------------------------------------------------------------------

    /// A block and all that it goes into.
    Part from(const Part& k) const {
        return goes_forward(p_) ? Part{k.first, p_.k - k.first} : Part{0, end_of(k)};
    }
    Tile c_block(const Part& along, const Part& line) const {
        return line_block(operand::C, along, line);
    }
    /// op(A) from a block to others, as it is stored.
    Tile a_block(const Part& to, const Part& k) const {
        return stored_tile(operand::A, p_.op_a, left() ? to : k, left() ? k : to);
    }

    /// A from block l to some others, on the device.
    Ref bring_a(std::size_t l, const Part& to) {
        const Part& k = layout_.along[l];
        const TileId tile = builder_.tile(a_block(to, k));
        if (local(operand::A)) return {tile, Ref::home};
        if (!layout_.stays) {
            const Ref ref{tile, builder_.sit(parts_a_.turn(), tile)};
            fetch(ref);
            return ref;
        }
        if (panels_[l] == Ref::home) {
            const TileId panel = builder_.tile(a_block(from(k), k));
            panels_[l] = builder_.keep(memory_, panel);
            fetch({panel, panels_[l]});
        }
        return {tile, panels_[l]};
    }

    /// The user's block of C in a seat.
    Ref fetch_c(TileId c) {
        const Ref ref{c, builder_.sit(blocks_.turn(), c)};
        fetch(ref);
        return ref;
    }

    // --- steps ----------------------------------------------------------------------------------

    void compute(QueueId queue, const Ref& out, Keep keep, const Ref& first, const Ref& second) {
        builder_.emit(compute_step(plan_, p_, queue, out, keep, first, second));
    }

    void add(const Ref& out, Keep keep, const Ref& in) {
        builder_.emit(add_step(plan_, beside_, out, keep, in));
    }

    /// A line while it is made.
    struct Line {
        Part part;
        BufferId sums = Ref::home;
        Ref block;  ///< the one that goes into those behind it
    };

    void take_lines(std::span<const Part> parts) {
        std::vector<Line> lines;
        for (const Part& part : parts) {
            const TileId whole = builder_.tile(c_block({0, p_.k}, part));
            lines.push_back(
                {part, sums_.seats.empty() ? Ref::home : builder_.sit(sums_.turn(), whole), {}});
        }
        // What passes of A serves all lines before it goes; what stays, one line after the other.
        const std::size_t step = layout_.stays ? 1 : lines.size();
        for (std::size_t l = 0; l < layout_.along.size(); ++l)
            for (std::size_t i = 0; i < lines.size(); i += step)
                if (multiplies())
                    multiply(l, std::span(lines).subspan(i, step));
                else
                    solve(l, std::span(lines).subspan(i, step));
    }

    /// Blocks from `first` to `last` in parts for one product each: whole blocks, as many as a seat
    /// for A holds.
    std::vector<Part> parts_of(std::size_t first, std::size_t last) const {
        std::vector<Part> parts;
        for (std::size_t l = first; l < last; ++l) {
            const Part& block = layout_.along[l];
            const bool fits = !parts.empty() &&
                              (layout_.stays || parts.back().count + block.count <= layout_.height);
            if (!fits) parts.push_back({block.first, 0});
            parts.back().first = std::min(parts.back().first, block.first);
            parts.back().count += block.count;
        }
        return parts;
    }

    /// The blocks l of all lines into the sums of some behind them.
    void pass_on(QueueId queue, std::size_t l, const std::vector<Part>& parts,
                 std::span<const Line> lines) {
        for (const Part& rows : parts) {
            const Ref a = bring_a(l, rows);
            for (const Line& line : lines) {
                const Ref out{builder_.tile(c_block(rows, line.part)), line.sums};
                compute(queue, out, l == 0 ? Keep::zero : Keep::sum, left() ? a : line.block,
                        left() ? line.block : a);
            }
        }
    }

    // A block of trmm is multiplied when all have read it. Squares of trsm use a small part of a
    // device: they run beside the products, as soon as the one that they need is there, which is
    // made before the others.

    void multiply(std::size_t l, std::span<Line> lines) {
        const Part& k = layout_.along[l];
        const bool at_home = local(operand::C);
        // Before C, whose short columns are packed meanwhile.
        if (layout_.stays) bring_a(l, k);
        for (Line& line : lines) {
            const TileId c = builder_.tile(c_block(k, line.part));
            line.block = at_home ? Ref{c, Ref::home} : fetch_c(c);
        }
        pass_on(queue_, l, parts_of(l + 1, layout_.along.size()), lines);
        const Ref square = bring_a(l, k);
        for (Line& line : lines) {
            Ref out{line.block.tile, line.sums};
            if (line.sums == Ref::home) {  // one block: no sums
                if (at_home) line.block = fetch_c(line.block.tile);
                out = line.block;
                compute(queue_, out, Keep::zero, square, {});
            } else {
                compute(queue_, out, l > 0 ? Keep::sum : Keep::zero, left() ? square : line.block,
                        left() ? line.block : square);
            }
            write(out);
        }
    }

    void solve(std::size_t l, std::span<Line> lines) {
        const Part& k = layout_.along[l];
        const Ref square = bring_a(l, k);
        for (Line& line : lines) {
            const TileId c = builder_.tile(c_block(k, line.part));
            line.block = {c, line.sums};
            if (l == 0)
                fetch(line.block);
            else
                add(line.block, Keep::old, local(operand::C) ? Ref{c, Ref::home} : fetch_c(c));
            compute(beside_, line.block, l == 0 ? Keep::old : Keep::sum, square, {});
            write(line.block);
        }
        const std::size_t all = layout_.along.size();
        pass_on(beside_, l, parts_of(l + 1, std::min(l + 2, all)), lines);
        pass_on(queue_, l, parts_of(l + 2, all), lines);
    }

    const QueueId beside_;
    Layout layout_;
    std::vector<BufferId> panels_;  // of A, where it stays
    Ring parts_a_, sums_, blocks_;
};

}  // namespace

void plan_lines(Draft& plan, const Choice& choice) { LinesPlanner(plan, choice).make(); }

}  // namespace gemmill
