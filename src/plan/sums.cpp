// SPDX-License-Identifier: Apache-2.0
// What each cell holds, followed step by step in issue order: the user's elements, or their mirror
// image, or for C which parts of k and whether beta C are in the sum, and of trsm whether it is
// solved.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "plan/access.hpp"
#include "plan/faults.hpp"
#include "plan/form.hpp"

namespace gemmill {
namespace {

enum class State : std::uint8_t { nothing, raw, mirrored, sum, solved };

struct Content {
    State state = State::nothing;
    bool beta = false;     // beta C is in the sum
    int written = 0;       // how often the user's C was written here
    std::vector<Span> ks;  // parts of k in the sum, in the order of k, neighbours joined
    bool operator==(const Content&) const = default;
};

constexpr const char* already_written = "reads a tile of C that was written";

index_t end_of(const Span& span) { return span.first + span.count; }

class Sums {
  public:
    Sums(const Plan& plan, const Cells& cells, Faults& faults)
        : plan_(plan), cells_(cells), faults_(faults), contents_(cells.count()) {
        each_of_c([&](std::size_t cell, const Tile&) { contents_[cell] = raw_; });
    }

    void check() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(i, plan_.steps[i]);
        each_of_c([&](std::size_t cell, const Tile& block) {
            const int written = contents_[cell].written;
            if (written != (is_beyond(block) ? 0 : 1))
                faults_.add(fmt::format("{} is written {} times{}", name_of(plan_, block), written,
                                        written == 0 ? ": the writes do not cover C" : ""));
        });
    }

  private:
    void fault(std::size_t step, const char* text) {
        faults_.add(fmt::format("step {}: {}", step, text));
    }

    template <class Visit>
    void each_of_c(Visit visit) const {
        cells_.each(Ref::home, {Operand::C, 0, 0, plan_.problem.m, plan_.problem.n}, visit);
    }

    const Tile& tile(const Ref& ref) const {
        return plan_.tiles[static_cast<std::size_t>(ref.tile)];
    }

    /// Has nothing of the triangle that is computed.
    bool is_beyond(const Tile& c) const {
        const Problem& p = plan_.problem;
        return writes_triangle(p.routine) && place_of(p.uplo, c) == Place::beyond;
    }
    bool is_trsm() const { return plan_.problem.routine == Routine::trsm; }

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
        switch (s.kind) {
            case StepKind::fetch:
                return fetch(i, s);
            case StepKind::compute:
                return compute(i, s);
            case StepKind::add:
                return add(i, s);
            case StepKind::write:
                return write(i, s);
            case StepKind::mirror:
                return mirror(i, s);
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
        const Form form = form_of(plan_, s);
        for (const Ref& in : s.in) {
            if (in.tile < 0) continue;
            if (is_half(tile(in)) && !form.own)
                check_half(i, in);
            else if (!is_input(held(i, in, tile(in)), tile(in)))
                fault(i, tile(in).operand == Operand::C && is_trsm()
                             ? "reads a tile that is not solved"
                             : "an input has not arrived");
        }
        cells_.each(s.out.buffer, tile(s.out), [&](std::size_t cell, const Tile& block) {
            if (is_beyond(block)) return;
            Content& out = contents_[cell];
            if (overwrites(s, form))
                overwrite(i, out);
            else
                keep(i, s.keep, out);
            if (s.in[0].tile >= 0) add_products(i, s, form, block, out);
            if (s.out.buffer != Ref::home) return;
            check_result(i, block, out);
            ++out.written;
        });
    }

    /// trmm at the diagonal, where it is not told what to read instead.
    bool overwrites(const Step& s, const Form& form) const {
        return form.own && plan_.problem.routine == Routine::trmm && s.in[1].tile < 0;
    }

    /// What a kernel may read: the user's elements, or of trsm what is solved.
    bool is_input(const Content& held, const Tile& t) const {
        const bool solved = t.operand == Operand::C && is_trsm();
        return held.state == (solved ? State::solved : State::raw);
    }

    bool is_half(const Tile& t) const {
        return t.operand == Operand::A && mirrors(plan_.problem.routine);
    }

    /// Products take the stored elements off the diagonal, and all others mirrored.
    void check_half(std::size_t i, const Ref& in) {
        cells_.each(in.buffer, tile(in), [&](std::size_t cell, const Tile& block) {
            const bool stored = off_diagonal(plan_.problem.uplo, block);
            const State state = contents_[cell].state;
            if (state == (stored ? State::raw : State::mirrored)) return;
            fault(i, stored || state == State::nothing ? "an input has not arrived"
                                                       : "reads what A does not store");
        });
    }

    void mirror(std::size_t i, const Step& s) {
        const Uplo uplo = plan_.problem.uplo;
        cells_.each(s.in[0].buffer, tile(s.in[0]), [&](std::size_t cell, const Tile& block) {
            if (place_of(uplo, block) != Place::beyond && contents_[cell].state != State::raw)
                fault(i, "mirrors what has not arrived");
        });
        cells_.each(s.out.buffer, tile(s.out), [&](std::size_t cell, const Tile& block) {
            if (!off_diagonal(uplo, block)) contents_[cell].state = State::mirrored;
        });
    }

    void add_products(std::size_t i, const Step& s, const Form& form, const Tile& block,
                      Content& out) {
        const Problem& p = plan_.problem;
        Span span = k_span(plan_, s);
        if (is_rank_2(p.routine)) {  // the second product stands behind the first
            const bool second = tile(s.in[0]).operand == Operand::B;
            if (form.own || !second) add_span(i, out, span);
            span.first += p.k;
            if (form.own || second) add_span(i, out, span);
            return;
        }
        if (!form.own || !is_in_place(p.routine)) return add_span(i, out, span);
        // At the diagonal the parts of k end, or begin, with the block.
        const Span own = along(block);
        const index_t end = goes_forward(p) ? end_of(own) : end_of(span);
        if (!goes_forward(p)) span.first = own.first;
        span.count = end - span.first;
        if (is_trsm() && total(out) + span.count != wanted(block))
            fault(i, "solves before all that is solved before it is subtracted");
        add_span(i, out, span);
        if (is_trsm()) out.state = State::solved;
    }

    /// Rows of a block, or columns when A stands on the right.
    Span along(const Tile& block) const {
        return plan_.problem.side == Side::Left ? Span{block.row, block.rows}
                                                : Span{block.col, block.cols};
    }

    /// trmm at the diagonal takes what it overwrites.
    void overwrite(std::size_t i, Content& out) {
        if (out.written > 0) fault(i, already_written);
        if (out.state != State::raw) fault(i, "an input has not arrived");
        out.state = State::sum;
    }

    /// Makes a sum of what is there.
    void keep(std::size_t i, Keep keep, Content& out) {
        if (keep != Keep::zero && out.written > 0) fault(i, already_written);
        if (keep == Keep::one) {
            if (out.state != State::sum) fault(i, "adds to what is no sum");
        } else {
            if (keep == Keep::beta && out.state != State::raw)
                fault(i, "scales a tile of C that has not arrived");
            out.beta = keep == Keep::beta;
            out.ks.clear();
        }
        out.state = State::sum;
    }

    void add(std::size_t i, const Step& s) {
        const auto add_cell = [&](std::size_t cell, const Tile& block) {
            const Content& in = held(i, s.in[0], block);
            Content& out = contents_[cell];
            if (out.state != State::sum) return fault(i, "adds to what is no sum");
            if (s.keep == Keep::beta) {
                if (in.state != State::raw || out.beta)
                    fault(i, "adds beta C twice or before it arrived");
                out.beta = true;
                return;
            }
            if (in.state != State::sum || (in.beta && out.beta))
                fault(i, "adds what is no partial sum");
            out.beta = out.beta || in.beta;
            for (const Span& span : in.ks) add_span(i, out, span);
        };
        cells_.each(s.out.buffer, tile(s.out), add_cell);
    }

    void add_span(std::size_t i, Content& out, const Span& span) {
        auto next = std::ranges::lower_bound(out.ks, span.first, {}, &Span::first);
        const bool first = next == out.ks.begin(), last = next == out.ks.end();
        if ((!first && end_of(*std::prev(next)) > span.first) ||
            (!last && next->first < end_of(span)))
            return fault(i, "adds a part of k twice");
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
            const Content& from = contents_[cell];
            if (from.state != (is_solved() ? State::solved : State::sum))
                fault(i, "writes what is no sum");
            check_result(i, block, from);
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
    bool is_solved() const { return is_trsm() && is_read(plan_.problem, Operand::A); }

    static index_t total(const Content& c) {
        index_t sum = 0;
        for (const Span& k : c.ks) sum += k.count;
        return sum;
    }

    /// How much of k goes into a block.
    index_t wanted(const Tile& block) const {
        const Problem& p = plan_.problem;
        if (!is_read(p, Operand::A)) return 0;
        if (is_rank_2(p.routine)) return 2 * p.k;
        if (!is_in_place(p.routine)) return p.k;
        return goes_forward(p) ? end_of(along(block)) : p.k - along(block).first;
    }

    void check_result(std::size_t i, const Tile& block, const Content& result) {
        const Problem& p = plan_.problem;
        if (total(result) != wanted(block)) fault(i, "the sum lacks a part of k");
        const bool old = p.routine == Routine::trmm ? false : is_read(p, Operand::C);
        if (result.beta != old) fault(i, "beta C is missing or must not be there");
    }

    const Plan& plan_;
    const Cells& cells_;
    Faults& faults_;
    const Content nothing_, raw_{State::raw, false, 0, {}};
    std::vector<Content> contents_;
};

}  // namespace

void check_sums(const Plan& plan, const Cells& cells, Faults& faults) {
    Sums(plan, cells, faults).check();
}

}  // namespace gemmill
