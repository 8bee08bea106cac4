// SPDX-License-Identifier: Apache-2.0
// The text form of a plan: its machine, then one record for each tile, buffer, queue and step.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/queues.hpp"
#include "plan/text/formula.hpp"
#include "plan/text/machine_names.hpp"
#include "plan/text/queue_names.hpp"
#include "plan/text/words.hpp"

namespace gemmill {
namespace {

class PlanWriter {
  public:
    explicit PlanWriter(const Plan& plan)
        : plan_(plan), names_(plan.machine), queue_names_(queue_names(plan)) {}

    std::string write() {
        put("gemmill-plan 2\n{}", to_text(plan_.machine));
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
        if (!text_.ends_with('\n')) put("\n");
        put("\n");
        for (const Operand& o : plan_.operands) operand(o);
        put("goal{} {} <- {}\n", plan_.goal.solves ? " solve" : "", target(),
            sum_of(plan_, plan_.goal));
        put("policy {}\ndevices", quoted(plan_.policy));
        for (const DeviceId id : plan_.devices) put(" {}", names_.device(id));
        put("\n# bytes of each memory\nlimit");
        for (const std::int64_t bytes : plan_.limit) put(" {}", bytes);
        put("\nslab");
        for (const std::int64_t bytes : plan_.slab) put(" {}", bytes);
        put("\n# kernels have beside it");
        for (MemoryId m = 0; m < std::ssize(plan_.slab); ++m) put(" {}", kernel_room(plan_, m));
        put("\n");
    }

    void operand(const Operand& o) {
        put("operand {} type={} rows={} cols={}", quoted(o.name), letter_of(o.type), o.rows,
            o.cols);
        if (o.triangle != Triangle::none) put(" triangle={}", word_of(triangle_words, o.triangle));
        if (o.structure != Structure::general)
            put(" structure={}", word_of(structure_words, o.structure));
        if (o.pitch != 0) put(" pitch={}", o.pitch);
        put(" at={}\n", names_.memory(o.home));
    }

    std::string target() const {
        return quoted(plan_.operands.at(static_cast<std::size_t>(plan_.goal.target)).name);
    }

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
            put("queue {} {} ", id, word_of(queue_words, queue.kind));
            if (queue.kind == QueueKind::transfer)
                put("link={}\n", names_.link(queue.index));
            else
                put("device={}{}\n", names_.device(queue.index), queue.urgent ? " urgent=yes" : "");
            ++id;
        }
    }

    void tiles() {
        put("\n# rows,columns as first:end\n");
        for (int id = 0; const Tile& t : plan_.tiles) put("tile {} {}\n", id++, name_of(plan_, t));
    }

    void buffers() {
        if (plan_.grain != 1) put("\ngrain {}\n", plan_.grain);
        put("\n# steps: first..last that use it\n");
        for (int id = 0; const Buffer& b : plan_.buffers)
            put("buffer {} memory={} tile={} offset={} bytes={} ld={} steps={}..{}\n", id++,
                names_.memory(b.memory), b.tile, b.offset, b.bytes, b.ld, b.first, b.last);
    }

    void steps() {
        put("\n# queue, what is done, to tiles@buffer\n");
        for (int id = 0; const Step& s : plan_.steps) step(id++, s);
    }

    void step(StepId id, const Step& s) {
        put("step {} {} {}", id, queue_names_[static_cast<std::size_t>(s.queue)],
            step_text(plan_, s));
        if (s.piece != 0 || s.pieces != 1) put(" piece={}/{}", s.piece, s.pieces);
        if (s.wait_count != 0) put(" after={}", fmt::join(checked_waits(id, s), ","));
        put("\n");
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
    std::vector<std::string> queue_names_;
    std::string text_;
};

}  // namespace

std::string to_text(const Plan& plan) { return PlanWriter(plan).write(); }

}  // namespace gemmill
