// SPDX-License-Identifier: Apache-2.0
#include "plan/text/step_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "plan/access.hpp"
#include "plan/text/fields.hpp"
#include "plan/text/formula.hpp"
#include "plan/text/queue_names.hpp"
#include "plan/text/words.hpp"

namespace gemmill {
namespace {

constexpr std::string_view solve_word = "solve";
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// "from:to" as a span.
Span range(const Record& record, std::string_view text) {
    const auto [from, to] = halves(record, text, ":");
    const index_t first = whole(record, from, 0, largest);
    return {first, whole(record, to, first, largest) - first};
}

OperandId find_operand(const Plan& plan, std::string_view name) {
    const auto found = std::ranges::find(plan.operands, name, &Operand::name);
    return found == plan.operands.end() ? -1
                                        : static_cast<OperandId>(found - plan.operands.begin());
}

/// What stands between plus signs.
std::vector<std::vector<std::string>> groups_of(const Record& record, std::size_t first) {
    std::vector<std::vector<std::string>> groups(1);
    for (std::size_t i = first; i < record.words.size(); ++i)
        if (record.words[i] == "+")
            groups.emplace_back();
        else
            groups.back().push_back(record.words[i]);
    for (const auto& group : groups)
        if (group.empty()) fail(record, "nothing stands between two signs of a sum");
    return groups;
}

/// The scale that a group begins with, and how many words it takes.
std::pair<Scale, std::size_t> scale_of(const std::vector<std::string>& group) {
    const int found = find_word(scale_words, group.front());
    if (found < 0) return {Scale::one, 0};
    return {static_cast<Scale>(found), 1};
}

bool is_zero(const std::vector<std::string>& group) {
    return group.size() == 1 && group.front() == scale_words[0];
}

Opcode opcode_of(const Record& record, std::string_view name) {
    const auto found =
        std::ranges::find_if(op_table, [&](const OpInfo& info) { return name == info.name; });
    if (found == op_table.end()) fail(record, fmt::format("there is no step {}", shown(name)));
    return static_cast<Opcode>(found - op_table.begin());
}

void expect_arrow(const Record& record, std::size_t at) {
    if (at >= record.words.size() || record.words[at] != "<-" || at + 1 == record.words.size())
        fail(record, "'<-' and a sum follow what is made");
}

}  // namespace

bool is_name(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text,
                               [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
           find_word(scale_words, text) < 0 && text != solve_word;
}

Tile parse_tile(const Plan& plan, const Record& record, std::string_view text) {
    const auto [name, rest] = halves(record, text, "[");
    Tile tile;
    tile.operand = find_operand(plan, name);
    if (tile.operand < 0) fail(record, fmt::format("there is no operand {}", shown(name)));
    if (!rest.ends_with(']')) fail(record, fmt::format("{} does not end with ]", shown(text)));
    const auto [rows, cols] = halves(record, rest.substr(0, rest.size() - 1), ",");
    const Span r = range(record, rows), c = range(record, cols);
    tile.row = r.first, tile.rows = r.count, tile.col = c.first, tile.cols = c.count;
    return tile;
}

std::size_t StepReader::TileHash::operator()(const Tile& t) const noexcept {
    auto hash = static_cast<std::uint64_t>(t.operand);
    for (const index_t i : {t.row, t.col, t.rows, t.cols})
        hash = (hash ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
}

StepReader::StepReader(const Plan& plan, std::int64_t buffers) : plan_(plan), buffers_(buffers) {
    for (QueueId id = 0; std::string & name : queue_names(plan)) queues_.emplace(name, id++);
    for (TileId id = 0; const Tile& tile : plan.tiles) tiles_.emplace(tile, id++);
}

OperandId StepReader::operand(const Record& record, std::string_view name) const {
    const OperandId id = find_operand(plan_, name);
    if (id < 0) fail(record, fmt::format("there is no operand {}", shown(name)));
    return id;
}

Term StepReader::term(const Record& record, Scale weight, const Words& group,
                      std::size_t first) const {
    if (group.size() != first + 2) fail(record, "a term is a product of two operands");
    std::string_view one = group[first], two = group[first + 1];
    Term term;
    term.weight = weight;
    term.op_first = cut_suffix(one);
    term.op_second = cut_suffix(two);
    term.first = operand(record, one);
    term.second = operand(record, two);
    return term;
}

Goal StepReader::goal(const Record& record) const {
    Goal goal;
    goal.solves = record.words.size() > 1 && record.words[1] == solve_word;
    const std::size_t target = goal.solves ? 2 : 1;
    expect_arrow(record, target + 1);
    goal.target = operand(record, record.words[target]);
    for (const auto& group : groups_of(record, target + 2)) {
        if (is_zero(group)) continue;
        const auto [scale, used] = scale_of(group);
        if (group.size() == used + 1 && group[used] == record.words[target])
            goal.keep = scale;
        else
            goal.terms.push_back(term(record, scale, group, used));
    }
    return goal;
}

Ref StepReader::ref(const Record& record, std::string_view text) const {
    const auto [tile, buffer] = halves(record, text, "@");
    const auto found = tiles_.find(parse_tile(plan_, record, tile));
    if (found == tiles_.end()) fail(record, fmt::format("{} is no tile of the plan", shown(tile)));
    Ref result{found->second, Ref::home};
    if (buffer != "home") result.buffer = index_below(record, buffer, buffers_);
    return result;
}

void StepReader::flags(const Record& record, Step& step, std::size_t& next) const {
    const OpInfo& info = info_of(step.op);
    const auto take = [&](const auto& words) {
        const int found = next < record.words.size() ? find_word(words, record.words[next]) : -1;
        next += found >= 0 ? 1 : 0;
        return found;
    };
    if (info.side) step.side = take(side_words) == 1 ? Side::Right : Side::Left;
    if (info.triangle)
        if (const int found = take(triangle_words); found >= 0)
            step.triangle = static_cast<Triangle>(found);
    if (info.diag) step.diag = take(diag_words) == 1 ? Diag::Unit : Diag::NonUnit;
}

void StepReader::inputs(const Record& record, Step& step, const Words& group,
                        std::size_t first) const {
    const std::size_t count = group.size() - first;
    if (count < 1 || count > 2) fail(record, "a product has one factor or two");
    std::array<Op, 2> ops{};
    for (std::size_t i = 0; i < count; ++i) {
        std::string_view text = group[first + i];
        ops[i] = cut_suffix(text);
        step.in[i] = ref(record, text);
    }
    for (std::size_t i = 0; i < count; ++i) set_op_of_input(step, static_cast<int>(i), ops[i]);
}

/// What is kept, or what is added.
void StepReader::part(const Record& record, Step& step, const Words& group) const {
    if (is_zero(group)) return;
    const auto [scale, used] = scale_of(group);
    const bool kept = group.size() == used + 1 && is_name(group[used]);
    if (!kept) {
        if (step.in[0].tile >= 0) fail(record, "a step adds one product");
        if (info_of(step.op).weight) step.weight = scale;
        return inputs(record, step, group, used);
    }
    if (operand(record, group[used]) != tile_of(plan_, step.out).operand)
        fail(record, "a step keeps a part of what it makes, and of nothing else");
    step.keep = scale;
}

void StepReader::check(const Record& record, const Step& step) {
    const OpInfo& info = info_of(step.op);
    const int inputs = inputs_of(step);
    if (inputs < info.least || inputs > info.most)
        fail(record, info.least == info.most
                         ? fmt::format("{} has {} inputs, not {}", info.name, info.least, inputs)
                         : fmt::format("{} has {} or {} inputs, not {}", info.name, info.least,
                                       info.most, inputs));
    if (step.keep != Scale::zero && !info.keep)
        fail(record, fmt::format("{} keeps nothing of what it makes", info.name));
}

Step StepReader::step(const Record& record) const {
    if (record.words.size() < 5) fail(record, "a step has a queue, a name, and what it makes");
    const auto queue = queues_.find(record.words[2]);
    if (queue == queues_.end())
        fail(record, fmt::format("there is no queue {}", shown(record.words[2])));
    Step step;
    step.queue = queue->second;
    step.op = opcode_of(record, record.words[3]);
    std::size_t next = 4;
    flags(record, step, next);
    expect_arrow(record, next + 1);
    step.out = ref(record, record.words[next]);
    for (const auto& group : groups_of(record, next + 2)) part(record, step, group);
    check(record, step);
    const bool on_link =
        plan_.queues[static_cast<std::size_t>(step.queue)].kind == QueueKind::transfer;
    if (moves(step) != on_link)
        fail(record, fmt::format("a {} step must be on a {} queue", name_of(step.op),
                                 moves(step) ? "transfer" : "compute"));
    return step;
}

}  // namespace gemmill
