// SPDX-License-Identifier: Apache-2.0
// What each cell holds, followed step by step in issue order: the user's elements, or their mirror
// image, or for the target which parts of the goal's terms and whether its old value are in the
// sum, and where the goal solves, whether it is solved.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "plan/access.hpp"
#include "plan/check/faults.hpp"
#include "plan/check/match.hpp"

namespace gemmill {
namespace {

enum class State : std::uint8_t { nothing, raw, mirrored, sum, solved };

struct Content {
    State state = State::nothing;
    bool old = false;      // the old value is in the sum
    int written = 0;       // how often the user's target was written here
    std::vector<Span> ks;  // parts of the terms in the sum, in their order, neighbours joined
    bool operator==(const Content&) const = default;
};

constexpr const char* already_written = "reads a tile of the target that was written";

class Sums {
  public:
    Sums(const Plan& plan, const Cells& cells, Faults& faults)
        : plan_(plan),
          cells_(cells),
          faults_(faults),
          triangular_(triangular_of(plan)),
          complete_{{0, offset_of(static_cast<int>(plan.goal.terms.size()))}},
          contents_(cells.count()) {
        each_of_target([&](std::size_t cell, const Tile&) { contents_[cell] = raw_; });
    }

    void check() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(i, plan_.steps[i]);
        each_of_target([&](std::size_t cell, const Tile& block) {
            const int written = contents_[cell].written;
            if (written != (is_beyond(block) ? 0 : 1))
                faults_.add(fmt::format("{} is written {} times{}", name_of(plan_, block), written,
                                        written == 0 ? ": the writes do not cover it" : ""));
        });
    }

  private:
    void fault(std::size_t step, const char* text) {
        faults_.add(fmt::format("step {}: {}", step, text));
    }

    template <class Visit>
    void each_of_target(Visit visit) const {
        cells_.each(Ref::home, whole_target(plan_), visit);
    }

    const Tile& tile(const Ref& ref) const { return tile_of(plan_, ref); }

    /// Has nothing of the triangle that is made.
    bool is_beyond(const Tile& block) const {
        return place_of(target_of(plan_).triangle, block) == Place::beyond;
    }

    /// What a block holds when it holds the same all over, else nothing.
    const Content& held(std::size_t step, const Ref& ref, const Tile& block) {
        const Content* all = nullptr;
        cells_.each(ref.buffer, block, [&](std::size_t cell, const Tile&) {
            const Content& part = contents_[cell];
            if (part.written > 0 && part.state != State::solved) fault(step, already_written);
            all = all == nullptr || *all == part ? &part : &nothing_;
        });
        return all == nullptr ? raw_ : *all;  // the user's A and B
    }

    void check_step(std::size_t i, const Step& s) {
        switch (s.op) {
            case Opcode::fetch:
                return fetch(i, s);
            case Opcode::add:
                return add(i, s);
            case Opcode::write:
                return write(i, s);
            case Opcode::mirror:
                return mirror(i, s);
            default:
                return compute(i, s);
        }
    }

    void fetch(std::size_t i, const Step& s) {
        const auto fetch_cell = [&](std::size_t cell, const Tile& block) {
            const Content& from = held(i, s.in[0], block);
            Content& to = contents_[cell];
            if (from.state == State::nothing)
                fault(i, "fetches from where the tile is not, or is not one sum");
            else if (from.state == State::sum && to.state != State::nothing)
                fault(i, "fetches into a buffer that is in use");
            else if (to.state == State::sum)
                fault(i, "fetches over a sum");
            else if (to.state != State::nothing)
                fault(i, "fetches the same part twice");
            to = from;
            to.written = 0;
        };
        cells_.each(s.out.buffer, touched(plan_, s, s.out), fetch_cell);
    }

    void compute(std::size_t i, const Step& s) {
        for (const Ref& in : s.in)
            if (in.tile >= 0) check_input(i, s, in);
        cells_.each(s.out.buffer, tile(s.out), [&](std::size_t cell, const Tile& block) {
            if (is_beyond(block)) return;
            Content& out = contents_[cell];
            if (s.op == Opcode::trmm && in_place(s))
                overwrite(i, out);
            else
                keep(i, s.op == Opcode::trsm ? s.weight : s.keep, out);
            if (s.op == Opcode::trsm)
                solve(i, s, block, out);
            else
                add_products(i, s, block, out);
            if (s.out.buffer != Ref::home) return;
            check_result(i, block, out);
            ++out.written;
        });
    }

    void check_input(std::size_t i, const Step& s, const Ref& in) {
        const bool solved = is_target(plan_, tile(in)) && plan_.goal.solves;
        if (is_half(tile(in)) && !takes_triangle(s.op))
            check_half(i, in);
        else if (held(i, in, tile(in)).state != (solved ? State::solved : State::raw))
            fault(i, solved ? "reads a tile that is not solved" : "an input has not arrived");
    }

    /// The other half follows from what is stored.
    bool is_half(const Tile& t) const {
        const Structure structure = operand_of(plan_, t).structure;
        return structure == Structure::symmetric || structure == Structure::hermitian;
    }

    /// Products take the stored elements off the diagonal, and all others mirrored.
    void check_half(std::size_t i, const Ref& in) {
        const Triangle triangle = operand_of(plan_, tile(in)).triangle;
        cells_.each(in.buffer, tile(in), [&](std::size_t cell, const Tile& block) {
            const bool stored = off_diagonal(triangle, block);
            const State state = contents_[cell].state;
            if (state == (stored ? State::raw : State::mirrored)) return;
            fault(i, stored || state == State::nothing ? "an input has not arrived"
                                                       : "reads what is not stored");
        });
    }

    void mirror(std::size_t i, const Step& s) {
        cells_.each(s.in[0].buffer, tile(s.in[0]), [&](std::size_t cell, const Tile& block) {
            if (place_of(s.triangle, block) != Place::beyond && contents_[cell].state != State::raw)
                fault(i, "mirrors what has not arrived");
        });
        cells_.each(s.out.buffer, tile(s.out), [&](std::size_t cell, const Tile& block) {
            if (!off_diagonal(s.triangle, block)) contents_[cell].state = State::mirrored;
        });
    }

    void add_products(std::size_t i, const Step& s, const Tile& block, Content& out) {
        for (const Product& p : products_of(s)) {
            Span span = first_factor(p.op_first, tile(p.first)).inner;
            if (s.op == Opcode::trmm) span = clipped(span, block);
            span.first += offset_of(find_term(plan_, p));
            add_span(i, out, span);
        }
        note_complete(block, out);
    }

    /// Complete sums are alike, however far along the triangle they are.
    void note_complete(const Tile& block, Content& out) const {
        if (total(out) > 0 && total(out) == wanted(block)) out.ks = complete_;
    }

    /// One term stands behind the other, each with all of its k.
    index_t offset_of(int term) const {
        index_t offset = 0;
        for (int t = 0; t < term; ++t) offset += depth_of(plan_.goal.terms[at(t)]);
        return offset;
    }
    index_t depth_of(const Term& term) const {
        const Operand& first = operand_of(plan_, term.first);
        return term.op_first == Op::NoTrans ? first.cols : first.rows;
    }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// At the diagonal of a triangular operand the parts of k end, or begin, with the block.
    Span clipped(const Span& span, const Tile& block) const {
        const Span own = along(block);
        const index_t end = triangular_.forward ? end_of(own) : end_of(span);
        const index_t first = triangular_.forward ? span.first : own.first;
        return {first, end - first};
    }

    void solve(std::size_t i, const Step& s, const Tile& block, Content& out) {
        const Span span = clipped(k_span(plan_, s), block);
        if (total(out) + span.count != wanted(block))
            fault(i, "solves before all that is solved before it is subtracted");
        out.state = State::solved;
        out.ks.clear();  // all of them, however far along the triangle
    }

    /// Rows of a block, or columns when the triangular operand stands on the right.
    Span along(const Tile& block) const {
        return triangular_.left ? rows_of(block) : cols_of(block);
    }

    /// A triangular product takes what it overwrites.
    void overwrite(std::size_t i, Content& out) {
        if (out.written > 0) fault(i, already_written);
        if (out.state != State::raw) fault(i, "an input has not arrived");
        out.state = State::sum;
    }

    /// Makes a sum of what is there.
    void keep(std::size_t i, Scale keep, Content& out) {
        if (keep != Scale::zero && out.written > 0) fault(i, already_written);
        if (keep == Scale::zero || out.state != State::sum) {
            out.old = keep != Scale::zero;
            out.ks.clear();
        }
        if (keep != Scale::zero) check_kept(i, keep, out.state);
        out.state = State::sum;
    }

    /// The old value is scaled as the goal says, a sum is taken as it is.
    void check_kept(std::size_t i, Scale keep, State state) {
        if (state == State::raw ? keep == plan_.goal.keep
                                : state == State::sum && keep == Scale::one)
            return;
        fault(i, keep == Scale::one ? "adds to what is no sum"
                                    : "scales a tile of the target that has not arrived");
    }

    void add(std::size_t i, const Step& s) {
        const auto add_cell = [&](std::size_t cell, const Tile& block) {
            const Content& in = held(i, s.in[0], block);
            Content& out = contents_[cell];
            if (out.state != State::sum) return fault(i, "adds to what is no sum");
            if (in.state == State::raw) {
                if (s.weight != plan_.goal.keep || out.old)
                    fault(i, "adds the old value twice or not as the goal says");
                out.old = true;
                return;
            }
            if (in.state != State::sum || s.weight != Scale::one || (in.old && out.old))
                fault(i, "adds what is no partial sum");
            out.old = out.old || in.old;
            for (const Span& span : in.ks) add_span(i, out, span);
            note_complete(block, out);
        };
        cells_.each(s.out.buffer, tile(s.out), add_cell);
    }

    void add_span(std::size_t i, Content& out, const Span& span) {
        auto next = std::ranges::lower_bound(out.ks, span.first, {}, &Span::first);
        const bool first = next == out.ks.begin(), last = next == out.ks.end();
        if ((!first && end_of(*std::prev(next)) > span.first) ||
            (!last && next->first < end_of(span)))
            return fault(i, "adds a part of a term twice");
        if (!first && end_of(*std::prev(next)) == span.first)
            std::prev(next)->count += span.count;
        else
            next = std::next(out.ks.insert(next, span));
        if (last || next->first != end_of(span)) return;
        std::prev(next)->count += next->count;
        out.ks.erase(next);
    }

    void write(std::size_t i, const Step& s) {
        const auto write_cell = [&](std::size_t cell, const Tile& block) {
            if (is_beyond(block)) return;
            check_result(i, block, contents_[cell]);
        };
        cells_.each(s.in[0].buffer, tile(s.in[0]), write_cell);
        cells_.each(Ref::home, tile(s.out), [&](std::size_t cell, const Tile& block) {
            if (is_beyond(block)) return;
            Content& home = contents_[cell];
            ++home.written;
            if (is_solved()) home.state = State::solved;
        });
    }

    /// Results are solutions.
    bool is_solved() const { return plan_.goal.solves; }

    static index_t total(const Content& c) {
        index_t sum = 0;
        for (const Span& k : c.ks) sum += k.count;
        return sum;
    }

    /// How much of all terms goes into a block.
    index_t wanted(const Tile& block) const {
        if (triangular_.operand >= 0) {
            const index_t depth = depth_of(plan_.goal.terms.front());
            return triangular_.forward ? end_of(along(block)) : depth - along(block).first;
        }
        return offset_of(static_cast<int>(plan_.goal.terms.size()));
    }

    void check_result(std::size_t i, const Tile& block, const Content& result) {
        if (result.state != (is_solved() ? State::solved : State::sum))
            fault(i, "writes what is no sum");
        if (!is_solved() && total(result) != wanted(block) && result.ks != complete_)
            fault(i, "the sum lacks a part of a term");
        if (result.old != (plan_.goal.keep != Scale::zero))
            fault(i, "the old value is missing or must not be there");
    }

    const Plan& plan_;
    const Cells& cells_;
    Faults& faults_;
    const Triangular triangular_;
    const std::vector<Span> complete_;
    const Content nothing_, raw_{State::raw, false, 0, {}};
    std::vector<Content> contents_;
};

}  // namespace

void check_sums(const Plan& plan, const Cells& cells, Faults& faults) {
    Sums(plan, cells, faults).check();
}

}  // namespace gemmill
