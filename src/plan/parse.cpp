// SPDX-License-Identifier: Apache-2.0
// Reads the text form of a plan. What it returns can be indexed without checks: every number that
// names a memory, device, link, queue, tile, buffer or step names one that is there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/routine.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/fields.hpp"
#include "plan/machine_names.hpp"
#include "plan/words.hpp"

namespace gemmill {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

constexpr std::array head_words{"gemmill-plan", "problem", "policy",    "devices",
                                "limit",        "slab",    "prediction"};
constexpr std::array list_words{"queue", "tile", "buffer", "step"};

bool is_machine_record(const Record& record) {
    static constexpr std::array words{"machine",  "memory", "device", "rates",
                                      "resource", "link",   "library"};
    return find_word(words, record.words[0]) >= 0;
}

/// The lines of the machine alone, at their old places so that messages name the right line.
std::string machine_lines(std::string_view text, const std::vector<Record>& records) {
    std::string lines;
    int line = 1;
    for (const Record& record : records) {
        if (!is_machine_record(record)) continue;
        for (; line < record.line; ++line) {
            text.remove_prefix(text.find('\n') + 1);
            lines += '\n';
        }
        lines += text.substr(0, text.find('\n'));
    }
    return lines;
}

template <std::size_t N>
int choose(const Record& record, const std::array<const char*, N>& words, std::string_view text) {
    const int found = find_word(words, text);
    if (found < 0)
        fail(record, fmt::format("{} is none of {}", shown(text), fmt::join(words, ", ")));
    return found;
}

Op parse_op(const Record& record, char letter) {
    switch (letter) {
        case 'n':
            return Op::NoTrans;
        case 't':
            return Op::Trans;
        case 'c':
            return Op::ConjTrans;
        default:
            fail(record, "trans= takes two letters of n, t and c");
    }
}

class PlanReader {
  public:
    explicit PlanReader(std::string_view text) : records_(parse_records(text)) {
        check_words();
        tiles_ = counts_["tile"];
        buffers_ = counts_["buffer"];
        steps_ = counts_["step"];
        plan_.machine = parse_machine(machine_lines(text, records_));
        links_ = links_of(plan_.machine);
    }

    Plan read() {
        // A step is checked against its queue and its routine, which may stand behind it.
        for (const Record& record : records_)
            if (record.words[0] == "queue")
                read_queue(record);
            else if (record.words[0] == "problem")
                read_problem(record);
        for (const Record& record : records_) read_record(record);
        return std::move(plan_);
    }

  private:
    void check_words() {
        const Record nothing{.line = 1, .words = {}, .fields = {}};
        const Record& first = records_.empty() ? nothing : records_[0];
        if (first.words != std::vector<std::string>{"gemmill-plan", "1"} || !first.fields.empty())
            fail(first, "a plan begins with 'gemmill-plan 1'");
        for (const Record& record : records_) {
            if (record.words.empty()) fail(record, "a line must begin with a word");
            const std::string& word = record.words[0];
            if (!is_machine_record(record) && find_word(head_words, word) < 0 &&
                find_word(list_words, word) < 0)
                fail(record, fmt::format("a plan has no {} record", shown(word)));
            ++counts_[word];
        }
        for (const char* word : {"machine", "problem", "policy", "devices", "limit", "slab"})
            if (counts_[word] == 0) fail(first, fmt::format("the plan has no {} record", word));
    }

    void read_record(const Record& record) {
        const std::string& word = record.words[0];
        if (word == "step")
            read_step(record);
        else if (word == "buffer")
            read_buffer(record);
        else if (word == "tile")
            read_tile(record);
        else if (word != "queue" && !is_machine_record(record))
            read_head(record);
    }

    void read_head(const Record& record) {
        const std::string& word = record.words[0];
        if (counts_[word] > 1) fail(record, fmt::format("{} is given twice", word));
        if (word == "policy")
            expect(record, 2, {}), plan_.policy = record.words[1];
        else if (word == "devices")
            read_devices(record);
        else if (word == "limit")
            plan_.limit = read_bytes(record);
        else if (word == "slab")
            plan_.slab = read_bytes(record);
        else if (word == "prediction")
            read_prediction(record);
    }

    void read_problem(const Record& record) {
        expect(record, 2,
               {"type", "trans", "m", "n", "k", "side", "uplo", "diag", "alpha", "beta", "at"});
        Problem& p = plan_.problem;
        p.routine = static_cast<Routine>(choose(record, routine_names, record.words[1]));
        if (p.routine != Routine::gemm) read_flags(record, p);
        const std::string_view type = value_of(record, "type");
        const std::size_t letter = std::string_view("sdczhb").find(type);
        if (type.size() != 1 || letter > 5) fail(record, "type= takes one letter of sdczhb");
        p.type = static_cast<Type>(letter);
        const std::string_view trans = value_of(record, "trans");
        if (trans.size() != 2) fail(record, "trans= takes two letters of n, t and c");
        p.op_a = parse_op(record, trans[0]);
        p.op_b = parse_op(record, trans[1]);
        p.m = whole(record, value_of(record, "m"), 0, largest);
        p.n = whole(record, value_of(record, "n"), 0, largest);
        p.k = whole(record, value_of(record, "k"), 0, largest);
        p.alpha = static_cast<Factor>(choose(record, factor_words, value_of(record, "alpha")));
        p.beta = static_cast<Factor>(choose(record, factor_words, value_of(record, "beta")));
        const auto homes = listed(value_of(record, "at"));
        if (homes.size() != 3) fail(record, "at= takes the memories of A, B and C");
        for (std::size_t i = 0; i < 3; ++i)
            p.home[i] = parse_memory(plan_.machine, record, homes[i]);
    }

    static void read_flags(const Record& record, Problem& p) {
        const auto second = [&](const auto& words, const char* key) {
            return choose(record, words, value_of(record, key)) == 1;
        };
        p.side = second(side_words, "side") ? Side::Right : Side::Left;
        p.uplo = second(uplo_words, "uplo") ? Uplo::Lower : Uplo::Upper;
        p.diag = second(diag_words, "diag") ? Diag::Unit : Diag::NonUnit;
    }

    void read_devices(const Record& record) {
        expect(record, record.words.size(), {});
        if (record.words.size() > plan_.machine.devices.size() + 1)
            fail(record, "devices names more than the machine has");
        for (std::size_t i = 1; i < record.words.size(); ++i)
            plan_.devices.push_back(parse_device(plan_.machine, record, record.words[i]));
    }

    std::vector<std::int64_t> read_bytes(const Record& record) {
        expect(record, plan_.machine.memories.size() + 1, {});
        std::vector<std::int64_t> bytes;
        for (std::size_t i = 1; i < record.words.size(); ++i)
            bytes.push_back(whole(record, record.words[i], smallest, largest));
        return bytes;
    }

    void read_prediction(const Record& record) {
        expect(record, 1, {"seconds", "bound", "busy", "bytes"});
        Prediction& p = plan_.prediction;
        p.seconds = real(record, value_of(record, "seconds"));
        p.bound_seconds = real(record, value_of(record, "bound"));
        for (const auto part : listed(value_or(record, "busy", "")))
            p.device_busy.push_back(real(record, part));
        for (const auto part : listed(value_or(record, "bytes", "")))
            p.link_bytes.push_back(whole(record, part, smallest, largest));
        if (!p.device_busy.empty() && p.device_busy.size() != plan_.machine.devices.size())
            fail(record, "busy= takes a number for each device");
        if (!p.link_bytes.empty() && p.link_bytes.size() != plan_.machine.links.size())
            fail(record, "bytes= takes a number for each link");
    }

    void read_queue(const Record& record) {
        const bool transfer = record.words.size() == 3 && record.words[2] == "transfer";
        expect(record, 3, {transfer ? "link" : "device"});
        check_id(record, plan_.queues.size());
        Queue queue;
        queue.kind = static_cast<QueueKind>(choose(record, queue_words, record.words[2]));
        queue.index = transfer ? parse_link(plan_.machine, links_, record, value_of(record, "link"))
                               : parse_device(plan_.machine, record, value_of(record, "device"));
        plan_.queues.push_back(queue);
    }

    void read_tile(const Record& record) {
        expect(record, 3, {"rows", "cols"});
        check_id(record, plan_.tiles.size());
        Tile tile;
        tile.operand = static_cast<Operand>(choose(record, operand_words, record.words[2]));
        std::tie(tile.row, tile.rows) = range(record, value_of(record, "rows"));
        std::tie(tile.col, tile.cols) = range(record, value_of(record, "cols"));
        plan_.tiles.push_back(tile);
    }

    void read_buffer(const Record& record) {
        expect(record, 2, {"memory", "tile", "offset", "bytes", "ld", "steps"});
        check_id(record, plan_.buffers.size());
        Buffer buffer;
        buffer.memory = parse_memory(plan_.machine, record, value_of(record, "memory"));
        buffer.tile = index_below(record, value_of(record, "tile"), tiles_);
        buffer.offset = whole(record, value_of(record, "offset"), smallest, largest);
        buffer.bytes = whole(record, value_of(record, "bytes"), smallest, largest);
        buffer.ld = whole(record, value_of(record, "ld"), smallest, largest);
        const auto [first, last] = halves(record, value_of(record, "steps"), "..");
        buffer.first = life_end(record, first);
        buffer.last = life_end(record, last);
        plan_.buffers.push_back(buffer);
    }

    void read_step(const Record& record) {
        expect(record, 3, {"keep", "queue", "out", "in", "piece", "wait"});
        check_id(record, plan_.steps.size());
        Step step;
        step.kind = static_cast<StepKind>(choose(record, step_words, record.words[2]));
        const std::string_view keep = value_or(record, "keep", keep_words[0]);
        step.keep = static_cast<Keep>(choose(record, keep_words, keep));
        step.queue = index_below(record, value_of(record, "queue"), std::ssize(plan_.queues));
        step.out = ref(record, value_of(record, "out"));
        read_inputs(record, step);
        read_piece(record, step);
        read_waits(record, step);
        check_step(record, step);
        plan_.steps.push_back(step);
    }

    void read_inputs(const Record& record, Step& step) {
        const auto inputs = listed(value_or(record, "in", ""));
        if (inputs.size() > 2) fail(record, "in= takes two tiles at most");
        for (std::size_t i = 0; i < inputs.size(); ++i) step.in[i] = ref(record, inputs[i]);
    }

    void read_piece(const Record& record, Step& step) {
        const auto [piece, pieces] = halves(record, value_or(record, "piece", "0/1"), "/");
        step.pieces = static_cast<std::uint16_t>(whole(record, pieces, 1, UINT16_MAX));
        step.piece = static_cast<std::uint16_t>(whole(record, piece, 0, step.pieces - 1));
    }

    void read_waits(const Record& record, Step& step) {
        step.wait_begin = static_cast<std::int32_t>(plan_.waits.size());
        for (const auto part : listed(value_or(record, "wait", "")))
            plan_.waits.push_back(index_below(record, part, steps_));
        if (plan_.waits.size() > INT32_MAX) fail(record, "the plan has too many waits");
        step.wait_count = static_cast<std::int32_t>(plan_.waits.size()) - step.wait_begin;
    }

    void check_step(const Record& record, const Step& step) const {
        const bool moves = step.kind == StepKind::fetch || step.kind == StepKind::write;
        const bool on_link = plan_.queues[step.queue].kind == QueueKind::transfer;
        if (moves != on_link)
            fail(record, fmt::format("a {} step must be on a {} queue", name_of(step.kind),
                                     moves ? "transfer" : "compute"));
        const int inputs = (step.in[0].tile >= 0) + (step.in[1].tile >= 0);
        const bool compute = step.kind == StepKind::compute;
        // Other routines have steps with one matrix beside C.
        const bool pairs = plan_.problem.routine == Routine::gemm;
        const bool first = step.in[0].tile >= 0 || inputs == 0;
        const bool good = compute ? first && (inputs != 1 || !pairs) : inputs == 1 && first;
        if (!good || step.out.tile < 0)
            fail(record, fmt::format("a {} step has one out and {}", name_of(step.kind),
                                     !compute ? "one in"
                                     : pairs  ? "two in, or none"
                                              : "two in, one or none"));
    }

    static void check_id(const Record& record, std::size_t next) {
        const std::int64_t id = whole(record, record.words[1], 0, INT32_MAX);
        if (id != static_cast<std::int64_t>(next))
            fail(record, fmt::format("{} {} follows, not {}", record.words[0], next, id));
    }

    /// A step that begins or ends a buffer's life; -1 when nothing uses the buffer.
    StepId life_end(const Record& record, std::string_view text) {
        return static_cast<StepId>(whole(record, text, -1, steps_ - 1));
    }

    /// "from:to" as from and length.
    static std::pair<index_t, index_t> range(const Record& record, std::string_view text) {
        const auto [from, to] = halves(record, text, ":");
        const index_t first = whole(record, from, 0, largest);
        return {first, whole(record, to, first, largest) - first};
    }

    /// "5@3", "5@home", or "-" for none.
    Ref ref(const Record& record, std::string_view text) {
        if (text == "-") return {};
        const auto [tile, buffer] = halves(record, text, "@");
        Ref result;
        if (tile != "-") result.tile = index_below(record, tile, tiles_);
        if (buffer != "home") result.buffer = index_below(record, buffer, buffers_);
        return result;
    }

    std::vector<Record> records_;
    std::map<std::string, int> counts_;  // by first word
    std::int64_t tiles_ = 0, buffers_ = 0, steps_ = 0;
    LinkTable links_;
    Plan plan_;
};

}  // namespace

Plan parse_plan(std::string_view text) { return PlanReader(text).read(); }

}  // namespace gemmill
