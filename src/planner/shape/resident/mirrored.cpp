// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/resident/mirrored.hpp"

#include <algorithm>
#include <span>

#include "gemmill/error.hpp"
#include "planner/shape/seats.hpp"
#include "planner/split/fit.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Lines, and how many of them are on the device at a time.
struct Layout {
    std::vector<Part> lines;
    std::int64_t line = 0;        ///< bytes of one, in B as in C
    index_t here = 0, spare = 0;  ///< lines with all that they need, and places for C that comes
};

class MirroredPlanner : OneDevicePlanner {
  public:
    MirroredPlanner(Draft& plan, const Choice& choice) : OneDevicePlanner(plan, choice) {
        // In this order each column of A brings the rows that the next ones need.
        const auto& cut = choice_.cut;
        along_ = cut_from_small(p_.k, cut.edge, cut.taper);
        if (!lower()) along_ = from_the_end(std::move(along_), p_.k);
        brought_.assign(along_.size(), false);
        // One product with all of A is the routine itself, which fills up nothing.
        whole_ = along_.size() > 1;
        at_home_ = local(operand::C) && !whole_;
        late_ = is_read(p_, operand::C) && !at_home_ && (choice_.late || local(operand::C));
    }

    void make() {
        const Layout layout = find_layout();
        if (holds_a()) a_ = builder_.keep(memory_, builder_.tile({operand::A, 0, 0, p_.k, p_.k}));
        if (!at_home_) sums_ = make_ring(builder_, memory_, layout.line, layout.here);
        if (!local(operand::B)) b_ = make_ring(builder_, memory_, layout.line, layout.here);
        if (brings_late()) raw_ = make_ring(builder_, memory_, layout.line, layout.spare);
        const std::span<const Part> all(layout.lines);
        const std::size_t first = std::min(all.size(), at(layout.here));
        make_first(all.first(first));
        for (const Part& part : all.subspan(first)) make_next(part);
    }

  private:
    bool lower() const { return p_.uplo == Uplo::Lower; }
    bool holds_a() const { return whole_ || !local(operand::A); }
    bool brings_late() const { return late_ && !local(operand::C); }

    // --- room -----------------------------------------------------------------------------------

    /// Halves the width of lines until two fit.
    Layout find_layout() const {
        constexpr index_t least = 32;
        for (index_t width = std::max<index_t>(1, choice_.cut.other);; width /= 2) {
            Layout layout;
            layout.lines = cut_lines(left() ? p_.n : p_.m, width, choice_.cut.tail);
            const index_t w = widest(layout.lines);
            layout.line = slot_bytes(left() ? p_.k : w, left() ? w : p_.k, p_.type, plan_.grain);
            if (seat_lines(layout)) return layout;
            require(!choice_.fixed_tile && width / 2 >= least, Code::out_of_memory,
                    "room for A and two lines", "lines of C do not fit the device's memory");
        }
    }

    bool seat_lines(Layout& layout) const {
        const auto lines = static_cast<index_t>(layout.lines.size());
        const std::int64_t room = plan_.limit[at(memory_)] -
                                  (holds_a() ? slot_bytes(p_.k, p_.k, p_.type, plan_.grain) : 0);
        const index_t places = (at_home_ ? 0 : 1) + (local(operand::B) ? 0 : 1);
        const index_t fewest = std::min<index_t>(2, lines);
        layout.spare = brings_late() ? fewest : 0;
        const std::int64_t rest = room - layout.spare * layout.line;
        if (room < 0 || rest < 0) return false;
        layout.here = places == 0 ? lines : std::min(lines, rest / (places * layout.line));
        if (layout.here < fewest) return false;
        if (brings_late())
            layout.spare +=
                std::min(lines - fewest, (rest - layout.here * places * layout.line) / layout.line);
        return true;
    }

    // --- A --------------------------------------------------------------------------------------

    Ref a_ref(const Tile& block) { return {builder_.tile(block), a_}; }

    /// What is stored of a part's columns, once; the rest is filled up from it and from what came
    /// before.
    void bring_panel(std::size_t l) {
        if (!holds_a() || brought_[l]) return;
        brought_[l] = true;
        const Part& k = along_[l];
        const Part before{0, k.first}, after{end_of(k), p_.k - end_of(k)};
        const Part rows = lower() ? Part{k.first, p_.k - k.first} : Part{0, end_of(k)};
        fetch(a_ref(stored_tile(operand::A, Op::NoTrans, rows, k)));
        if (!whole_) return;
        const Part& beyond = lower() == left() ? before : after;
        fill(stored_tile(operand::A, Op::NoTrans, k, k));
        fill(stored_tile(operand::A, Op::NoTrans, left() ? beyond : k, left() ? k : beyond));
    }

    void fill(const Tile& block) {
        if (block.rows == 0 || block.cols == 0) return;
        builder_.emit(mirror_step(plan_, queue_, a_ref(block), a_ref(image_of(block))));
    }

    /// The columns of A that belong to a part of k, or its rows where A stands on the right.
    Tile panel_of(const Part& k) const {
        const Part all{0, p_.k};
        return stored_tile(operand::A, Op::NoTrans, left() ? all : k, left() ? k : all);
    }

    // --- lines ----------------------------------------------------------------------------------

    /// A line while it is made.
    struct Line {
        Part part;
        BufferId b = Ref::home, sums = Ref::home;
        bool begun = false;
    };

    TileId whole_line(OperandId operand, const Part& line) {
        return builder_.tile(line_block(operand, {0, p_.k}, line));
    }

    Line sit(const Part& part) {
        Line line{part};
        if (!b_.seats.empty()) line.b = builder_.sit(b_.turn(), whole_line(operand::B, part));
        if (!sums_.seats.empty())
            line.sums = builder_.sit(sums_.turn(), whole_line(operand::C, part));
        return line;
    }

    /// What the next product keeps. The first one finds the user's C there, where it does not come
    /// late.
    Keep next_keep(Line& line) {
        if (std::exchange(line.begun, true)) return Keep::sum;
        if (late_ || !is_read(p_, operand::C)) return Keep::zero;
        if (!at_home_) fetch({whole_line(operand::C, line.part), line.sums});
        return Keep::old;
    }

    void multiply(Line& line, const Part& k) {
        const Ref b{builder_.tile(line_block(operand::B, k, line.part)), line.b};
        if (b.buffer != Ref::home) fetch(b);
        const Ref out{whole_line(operand::C, line.part), line.sums}, a = a_ref(panel_of(k));
        const Keep keep = next_keep(line);
        builder_.emit(compute_step(plan_, p_, queue_, out, keep, left() ? a : b, left() ? b : a));
    }

    /// Adds the user's C where it comes late, and writes the line.
    void finish(const Line& line) {
        if (at_home_) return;
        const Ref sum{whole_line(operand::C, line.part), line.sums};
        if (late_) {
            Ref raw{sum.tile, Ref::home};
            if (brings_late()) fetch(raw = {sum.tile, builder_.sit(raw_.turn(), sum.tile)});
            builder_.emit(add_step(plan_, queue_, sum, Keep::old, raw));
        }
        write(sum);
    }

    /// Lines that are there while A arrives: the first parts of k go over all of them, then one
    /// after the other is finished. By then the first has waited for the rest of A, which is one
    /// part for the others.
    void make_first(std::span<const Part> parts) {
        std::vector<Line> lines;
        for (const Part& part : parts) lines.push_back(sit(part));
        const auto outer = at(parts_within(along_, choice_.outer));
        for (std::size_t l = 0; l < outer; ++l) {
            bring_panel(l);
            for (Line& line : lines) multiply(line, along_[l]);
        }
        for (Line& line : lines) {
            const bool first = &line == &lines.front();
            if (first || outer == 0)  // all of A in one product would be the routine itself
                for (std::size_t l = outer; l < along_.size(); ++l) {
                    bring_panel(l);
                    multiply(line, along_[l]);
                }
            else if (outer < along_.size())
                multiply(line, span_of(outer, along_.size()));
            finish(line);
        }
    }

    /// A line when all of A is there, in two products where it is filled up.
    void make_next(const Part& part) {
        Line line = sit(part);
        const std::size_t half = along_.size() / 2;
        if (half > 0) multiply(line, span_of(0, half));
        multiply(line, span_of(half, along_.size()));
        finish(line);
    }

    /// Neighbouring parts of k as one.
    Part span_of(std::size_t first, std::size_t last) const {
        const Part &a = along_[first], &b = along_[last - 1];
        const index_t begin = std::min(a.first, b.first);
        return {begin, std::max(end_of(a), end_of(b)) - begin};
    }

    std::vector<Part> along_;
    std::vector<bool> brought_;  // parts of A
    bool whole_ = false;         // A has both triangles in its place
    bool at_home_ = false;       // one step makes each line where C lives
    bool late_ = false;          // C is added to finished sums
    BufferId a_ = Ref::home;
    Ring b_, sums_, raw_;
};

}  // namespace

void plan_mirrored(Draft& plan, const Choice& choice) { MirroredPlanner(plan, choice).make(); }

}  // namespace gemmill
