// SPDX-License-Identifier: Apache-2.0
// Reads the text form of a plan. What it returns can be indexed without checks: every number that
// names a memory, device, link, queue, tile, buffer or step names one that is there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/text/fields.hpp"
#include "plan/text/machine_names.hpp"
#include "plan/text/queue_names.hpp"
#include "plan/text/step_reader.hpp"
#include "plan/text/words.hpp"

namespace gemmill {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

constexpr std::array head_words{"gemmill-plan", "goal", "policy", "devices",
                                "limit",        "slab", "grain",  "prediction"};
constexpr std::array list_words{"operand", "queue", "tile", "buffer", "step"};

bool is_machine_record(const Record& record) {
    static constexpr std::array words{"machine", "memory",   "device", "chip",   "efficiency",
                                      "rates",   "resource", "link",   "library"};
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
        // What steps and tiles name may stand behind them.
        for (const char* first : {"operand", "queue", "tile"})
            for (const Record& record : records_)
                if (record.words[0] == first) read_record(record);
        StepReader steps(plan_, buffers_);
        for (const Record& record : records_) {
            const std::string& word = record.words[0];
            if (word == "step")
                read_step(record, steps);
            else if (word == "goal")
                read_goal(record, steps);
            else if (word != "operand" && word != "queue" && word != "tile")
                read_record(record);
        }
        return std::move(plan_);
    }

  private:
    void check_words() {
        const Record nothing{.line = 1, .words = {}, .fields = {}};
        const Record& first = records_.empty() ? nothing : records_[0];
        const bool plan = first.words.size() == 2 && first.words[0] == "gemmill-plan";
        if (plan && first.words[1] == "1")
            fail(
                first,
                "a plan of form 1, made by an older Gemmill: make it again, this one reads form 2");
        if (!plan || first.words[1] != "2" || !first.fields.empty())
            fail(first, "a plan begins with 'gemmill-plan 2'");
        for (const Record& record : records_) {
            if (record.words.empty()) fail(record, "a line must begin with a word");
            const std::string& word = record.words[0];
            if (!is_machine_record(record) && find_word(head_words, word) < 0 &&
                find_word(list_words, word) < 0)
                fail(record, fmt::format("a plan has no {} record", shown(word)));
            ++counts_[word];
        }
        for (const char* word :
             {"machine", "operand", "goal", "policy", "devices", "limit", "slab"})
            if (counts_[word] == 0) fail(first, fmt::format("the plan has no {} record", word));
    }

    void read_record(const Record& record) {
        const std::string& word = record.words[0];
        if (word == "operand")
            read_operand(record);
        else if (word == "queue")
            read_queue(record);
        else if (word == "tile")
            read_tile(record);
        else if (word == "buffer")
            read_buffer(record);
        else if (!is_machine_record(record))
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
        else if (word == "grain")
            expect(record, 2, {}), plan_.grain = whole(record, record.words[1], 1, INT32_MAX);
        else if (word == "slab")
            plan_.slab = read_bytes(record);
        else if (word == "prediction")
            read_prediction(record);
    }

    void read_operand(const Record& record) {
        expect(record, 2, {"type", "rows", "cols", "triangle", "structure", "pitch", "at"});
        Operand o;
        o.name = record.words[1];
        if (!is_name(o.name)) fail(record, "an operand's name has letters and digits only");
        for (const Operand& other : plan_.operands)
            if (other.name == o.name) fail(record, fmt::format("{} is there twice", o.name));
        const std::string_view type = value_of(record, "type");
        const std::size_t letter = std::string_view("sdczhb").find(type);
        if (type.size() != 1 || letter > 5) fail(record, "type= takes one letter of sdczhb");
        o.type = static_cast<Type>(letter);
        o.rows = whole(record, value_of(record, "rows"), 0, largest);
        o.cols = whole(record, value_of(record, "cols"), 0, largest);
        o.triangle = static_cast<Triangle>(
            choose(record, triangle_words, value_or(record, "triangle", triangle_words[0])));
        o.structure = static_cast<Structure>(
            choose(record, structure_words, value_or(record, "structure", structure_words[0])));
        o.pitch = whole(record, value_or(record, "pitch", "0"), 0, largest);
        o.home = parse_memory(plan_.machine, record, value_of(record, "at"));
        plan_.operands.push_back(o);
    }

    void read_goal(const Record& record, StepReader& steps) {
        if (counts_["goal"] > 1) fail(record, "goal is given twice");
        expect(record, record.words.size(), {});
        plan_.goal = steps.goal(record);
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
        transfer ? expect(record, 3, {"link"}) : expect(record, 3, {"device", "urgent"});
        check_id(record, plan_.queues.size());
        Queue queue;
        queue.kind = static_cast<QueueKind>(choose(record, queue_words, record.words[2]));
        queue.index = transfer ? parse_link(plan_.machine, links_, record, value_of(record, "link"))
                               : parse_device(plan_.machine, record, value_of(record, "device"));
        constexpr std::array<const char*, 2> answers{"no", "yes"};
        queue.urgent = choose(record, answers, value_or(record, "urgent", "no")) == 1;
        plan_.queues.push_back(queue);
    }

    void read_tile(const Record& record) {
        expect(record, 3, {});
        check_id(record, plan_.tiles.size());
        plan_.tiles.push_back(parse_tile(plan_, record, record.words[2]));
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

    void read_step(const Record& record, StepReader& steps) {
        expect(record, record.words.size(), {"piece", "after"});
        if (record.words.size() < 2) fail(record, "a step has a number");
        check_id(record, plan_.steps.size());
        Step step = steps.step(record);
        read_piece(record, step);
        read_waits(record, step);
        plan_.steps.push_back(step);
    }

    void read_piece(const Record& record, Step& step) {
        const auto [piece, pieces] = halves(record, value_or(record, "piece", "0/1"), "/");
        step.pieces = static_cast<std::uint16_t>(whole(record, pieces, 1, UINT16_MAX));
        step.piece = static_cast<std::uint16_t>(whole(record, piece, 0, step.pieces - 1));
    }

    void read_waits(const Record& record, Step& step) {
        step.wait_begin = static_cast<std::int32_t>(plan_.waits.size());
        for (const auto part : listed(value_or(record, "after", "")))
            plan_.waits.push_back(index_below(record, part, steps_));
        if (plan_.waits.size() > INT32_MAX) fail(record, "the plan has too many waits");
        step.wait_count = static_cast<std::int32_t>(plan_.waits.size()) - step.wait_begin;
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

    std::vector<Record> records_;
    std::map<std::string, int> counts_;  // by first word
    std::int64_t tiles_ = 0, buffers_ = 0, steps_ = 0;
    LinkTable links_;
    Plan plan_;
};

}  // namespace

Plan parse_plan(std::string_view text) { return PlanReader(text).read(); }

}  // namespace gemmill
