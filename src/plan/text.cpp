// SPDX-License-Identifier: Apache-2.0
// The text form of a plan: its machine, then one record for each tile, buffer, queue and step.
#include "base/text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/machine_names.hpp"
#include "plan/words.hpp"

namespace gemmill {
namespace {

class PlanWriter {
  public:
    explicit PlanWriter(const Plan& plan) : plan_(plan), names_(plan.machine) {}

    std::string write() {
        put("gemmill-plan 1\n{}", to_text(plan_.machine));
        head();
        prediction();
        queues();
        tiles();
        buffers();
        steps();
        return std::move(text_);
    }

  private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }

    void head() {
        const Problem& p = plan_.problem;
        if (!text_.ends_with('\n')) put("\n");
        put("\nproblem {} type={} trans={}{} m={} n={} k={}", name_of(p.routine), letter_of(p.type),
            letter(p.op_a), letter(p.op_b), p.m, p.n, p.k);
        if (p.routine != Routine::gemm)
            put(" side={} uplo={} diag={}", word_of(side_words, p.side == Side::Right),
                word_of(uplo_words, p.uplo == Uplo::Lower),
                word_of(diag_words, p.diag == Diag::Unit));
        put(" alpha={} beta={} at={},{},{}\n", word_of(factor_words, p.alpha),
            word_of(factor_words, p.beta), names_.memory(p.home[0]), names_.memory(p.home[1]),
            names_.memory(p.home[2]));
        put("policy {}\ndevices", quoted(plan_.policy));
        for (const DeviceId id : plan_.devices) put(" {}", names_.device(id));
        put("\n# bytes of each memory\nlimit");
        for (const std::int64_t bytes : plan_.limit) put(" {}", bytes);
        put("\nslab");
        for (const std::int64_t bytes : plan_.slab) put(" {}", bytes);
        put("\n");
    }

    static char letter(Op op) { return op == Op::NoTrans ? 'n' : op == Op::Trans ? 't' : 'c'; }

    void prediction() {
        const Prediction& p = plan_.prediction;
        put("# busy: seconds of each device; bytes: over each link\n");
        put("prediction seconds={} bound={}", exact(p.seconds), exact(p.bound_seconds));
        if (!p.device_busy.empty()) put(" busy={}", fmt::join(p.device_busy, ","));
        if (!p.link_bytes.empty()) put(" bytes={}", fmt::join(p.link_bytes, ","));
        put("\n");
    }

    void queues() {
        put("\n");
        for (int id = 0; const Queue& queue : plan_.queues) {
            put("queue {} {} ", id++, word_of(queue_words, queue.kind));
            if (queue.kind == QueueKind::compute)
                put("device={}\n", names_.device(queue.index));
            else
                put("link={}\n", names_.link(queue.index));
        }
    }

    void tiles() {
        put("\n# first:end\n");
        for (int id = 0; const Tile& t : plan_.tiles)
            put("tile {} {} rows={}:{} cols={}:{}\n", id++, word_of(operand_words, t.operand),
                t.row, t.row + t.rows, t.col, t.col + t.cols);
    }

    void buffers() {
        put("\n# steps: first..last that use it\n");
        for (int id = 0; const Buffer& b : plan_.buffers)
            put("buffer {} memory={} tile={} offset={} bytes={} ld={} steps={}..{}\n", id++,
                names_.memory(b.memory), b.tile, b.offset, b.bytes, b.ld, b.first, b.last);
    }

    void steps() {
        put("\n# out, in: tile@buffer\n");
        for (int id = 0; const Step& s : plan_.steps) step(id++, s);
    }

    void step(StepId id, const Step& s) {
        put("step {} {}", id, word_of(step_words, s.kind));
        if (s.keep != Keep::zero) put(" keep={}", word_of(keep_words, s.keep));
        put(" queue={} out=", s.queue);
        ref(s.out);
        inputs(s);
        if (s.piece != 0 || s.pieces != 1) put(" piece={}/{}", s.piece, s.pieces);
        if (s.wait_count != 0) put(" wait={}", fmt::join(checked_waits(id, s), ","));
        put("\n");
    }

    void inputs(const Step& s) {
        const bool two = s.in[1] != Ref{};
        if (!two && s.in[0] == Ref{}) return;
        put(" in=");
        ref(s.in[0]);
        if (!two) return;
        put(",");
        ref(s.in[1]);
    }

    void ref(const Ref& r) {
        if (r.tile == -1)
            put("-");
        else
            put("{}", r.tile);
        if (r.tile != -1 && r.buffer == Ref::home)
            put("@home");
        else if (r.buffer != Ref::home)
            put("@{}", r.buffer);
    }

    std::span<const StepId> checked_waits(StepId id, const Step& s) const {
        const std::int64_t end = std::int64_t{s.wait_begin} + s.wait_count;
        require(s.wait_begin >= 0 && s.wait_count >= 0 && end <= std::ssize(plan_.waits),
                Code::invalid_plan, "wait_begin + wait_count <= waits",
                fmt::format("step {} has waits outside the plan's", id));
        return waits_of(plan_, s);
    }

    const Plan& plan_;
    MachineNames names_;
    std::string text_;
};

}  // namespace

std::string to_text(const Plan& plan) { return PlanWriter(plan).write(); }

}  // namespace gemmill
