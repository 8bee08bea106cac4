// SPDX-License-Identifier: Apache-2.0
// What each place holds, followed step by step in issue order: parts of a tile that were fetched,
// and for C which parts of k and whether beta C are in the sum.
#include <fmt/format.h>

#include <algorithm>

#include "plan/access.hpp"
#include "plan/faults.hpp"

namespace gemmill {
namespace {

/// `raw` counts the columns of the user's tile that are here; a sum replaces them.
struct Content {
    std::vector<bool> pieces;  // fetched pieces of the tile
    bool sum = false;          // holds a sum of products (and beta C)
    bool beta = false;         // beta C is in the sum
    std::vector<Span> ks;      // parts of k in the sum, in order

    bool raw_complete() const {
        return !sum && !pieces.empty() && std::ranges::all_of(pieces, [](bool b) { return b; });
    }
    bool raw_piece(std::size_t piece, std::size_t count) const {
        return raw_complete() || (!sum && pieces.size() == count && pieces[piece]);
    }
};

class Sums {
  public:
    Sums(const Plan& plan, Faults& faults)
        : plan_(plan),
          faults_(faults),
          buffers_(plan.buffers.size()),
          written_(plan.tiles.size()) {}

    void check() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(i, plan_.steps[i]);
        for (std::size_t t = 0; t < plan_.tiles.size(); ++t)
            if (plan_.tiles[t].operand == Operand::C && written_[t] != 1)
                faults_.add(fmt::format("tile {} of C is written {} times", t, written_[t]));
    }

  private:
    void fault(std::size_t step, const char* text) {
        faults_.add(fmt::format("step {}: {}", step, text));
    }

    /// What a reference holds; the user's own tile is all there until it is written.
    Content content(std::size_t step, const Ref& ref) {
        if (ref.buffer != Ref::home) return buffers_[static_cast<std::size_t>(ref.buffer)];
        if (written_[static_cast<std::size_t>(ref.tile)] != 0)
            fault(step, "reads a tile of C that was written");
        Content user;
        user.pieces = {true};
        return user;
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
        }
    }

    void fetch(std::size_t i, const Step& s) {
        const Content from = content(i, s.in[0]);
        Content& to = buffers_[static_cast<std::size_t>(s.out.buffer)];
        if (from.sum) {
            if (s.pieces != 1) fault(i, "fetches a sum in pieces");
            if (to.sum || !to.pieces.empty()) fault(i, "fetches into a buffer that is in use");
            to = from;
            return;
        }
        if (!from.raw_piece(s.piece, s.pieces)) fault(i, "fetches from where the tile is not");
        if (to.sum) fault(i, "fetches over a sum");
        if (to.pieces.empty()) to.pieces.assign(s.pieces, false);
        if (to.pieces.size() != s.pieces || to.pieces[s.piece])
            fault(i, "fetches the same part twice");
        else
            to.pieces[s.piece] = true;
    }

    void compute(std::size_t i, const Step& s) {
        const bool product = s.in[0].tile >= 0;
        for (const Ref& in : s.in)
            if (product && !content(i, in).raw_complete()) fault(i, "an input has not arrived");
        Content out =
            s.out.buffer != Ref::home || s.keep == Keep::beta ? content(i, s.out) : Content{};
        switch (s.keep) {
            case Keep::zero:
                out = {};
                break;
            case Keep::beta:
                if (!out.raw_complete()) fault(i, "scales a tile of C that has not arrived");
                out = {};
                out.beta = true;
                break;
            case Keep::one:
                if (!out.sum || s.out.buffer == Ref::home) fault(i, "adds to what is no sum");
                break;
        }
        out.sum = true;
        if (product) add_span(i, out, k_span(plan_.problem, tile(s.in[0])));
        if (s.out.buffer != Ref::home) {
            buffers_[static_cast<std::size_t>(s.out.buffer)] = std::move(out);
            return;
        }
        finish(i, out, s.out.tile);
    }

    void add(std::size_t i, const Step& s) {
        const Content in = content(i, s.in[0]);
        Content& out = buffers_[static_cast<std::size_t>(s.out.buffer)];
        if (!out.sum) return fault(i, "adds to what is no sum");
        if (s.keep == Keep::beta) {
            if (!in.raw_complete() || out.beta) fault(i, "adds beta C twice or before it arrived");
            out.beta = true;
            return;
        }
        if (!in.sum || (in.beta && out.beta)) fault(i, "adds what is no partial sum");
        out.beta = out.beta || in.beta;
        for (const Span& span : in.ks) add_span(i, out, span);
    }

    void add_span(std::size_t i, Content& out, const Span& span) {
        for (const Span& k : out.ks)
            if (span.first < k.first + k.count && k.first < span.first + span.count)
                return fault(i, "adds a part of k twice");
        if (!out.ks.empty() && out.ks.back().first + out.ks.back().count == span.first)
            out.ks.back().count += span.count;
        else
            out.ks.push_back(span);
    }

    void write(std::size_t i, const Step& s) {
        const Content in = content(i, s.in[0]);
        if (!in.sum) fault(i, "writes what is no sum");
        finish(i, in, s.out.tile);
    }

    void finish(std::size_t i, const Content& result, TileId id) {
        const Problem& p = plan_.problem;
        index_t total = 0;
        for (const Span& k : result.ks) total += k.count;
        if (total != (is_read(p, Operand::A) ? p.k : 0)) fault(i, "the sum lacks a part of k");
        if (result.beta != is_read(p, Operand::C))
            fault(i, "beta C is missing or must not be there");
        ++written_[static_cast<std::size_t>(id)];
    }

    const Tile& tile(const Ref& ref) const {
        return plan_.tiles[static_cast<std::size_t>(ref.tile)];
    }

    const Plan& plan_;
    Faults& faults_;
    std::vector<Content> buffers_;
    std::vector<int> written_;
};

}  // namespace

void check_sums(const Plan& plan, Faults& faults) { Sums(plan, faults).check(); }

}  // namespace gemmill
