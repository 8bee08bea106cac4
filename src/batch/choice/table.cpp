// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/table.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

namespace gemmill {
namespace {

constexpr index_t any = std::numeric_limits<index_t>::max();

bool parse_limit(const std::string& text, index_t& limit) {
    limit = any;
    if (text == "*") return true;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    return error == std::errc() && end == text.data() + text.size() && limit >= 0;
}

/// What is wrong with a line; empty: nothing.
std::string parse_row(const std::vector<std::string>& words, BatchRow& row) {
    const auto is = [](const char* what, const std::string& word, const char* wanted) {
        constexpr std::size_t most = 60;  // characters of what may be a line without end
        return std::string(what) + " is '" + word.substr(0, most) + "', not " + wanted;
    };
    if (words.size() != 5)
        return std::to_string(words.size()) + " words, not type, arrays, edge, k and kernel";
    const std::size_t type =
        words[0].size() == 1 ? std::string_view("sdczhb").find(words[0]) : std::string_view::npos;
    if (type == std::string_view::npos) return is("type", words[0], "s, d, c, z, h or b");
    row.type = static_cast<Type>(type);
    const std::size_t colon = std::min(words[1].find(':'), words[1].size());
    const std::string arrays = words[1].substr(0, colon);
    if (arrays != "strided" && arrays != "pointers" && arrays != "any")
        return is("arrays", arrays, "strided, pointers or any");
    row.strided = arrays != "pointers", row.pointers = arrays != "strided";
    if (colon < words[1].size()) {
        row.ops = words[1].substr(colon + 1);
        if (row.ops != "nn" && row.ops != "nt" && row.ops != "tn" && row.ops != "tt")
            return is("ops", row.ops, "nn, nt, tn or tt");
    }
    if (!parse_limit(words[2], row.edge)) return is("edge", words[2], "a number or *");
    if (!parse_limit(words[3], row.k)) return is("k", words[3], "a number or *");
    row.kernel = words[4];
    return {};
}

std::string limit_text(index_t limit) { return limit == any ? "*" : std::to_string(limit); }

char letter_of(Op op) { return op == Op::NoTrans ? 'n' : 't'; }

}  // namespace

BatchTable parse_batch_table(std::string_view text) {
    BatchTable table;
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream rest(line.substr(0, line.find('#')));
        std::vector<std::string> words;
        for (std::string word; rest >> word;) words.push_back(word);
        if (words.empty()) continue;
        BatchRow row;
        const std::string fault = parse_row(words, row);
        if (fault.empty())
            table.rows.push_back(row);
        else
            table.faults.push_back("line " + std::to_string(number) + ": " + fault);
    }
    return table;
}

std::string to_text(const BatchRow& row) {
    const char* arrays = row.strided ? row.pointers ? "any" : "strided" : "pointers";
    return std::string(1, gemmill::letter_of(row.type)) + " " + arrays +
           (row.ops.empty() ? "" : ":" + row.ops) + " " + limit_text(row.edge) + " " +
           limit_text(row.k) + " " + row.kernel;
}

bool fits(const BatchRow& row, const Batch& x) {
    if (row.type != x.type || std::max(x.m.all, x.n.all) > row.edge || x.k.all > row.k)
        return false;
    if (!(x.c.array == nullptr ? row.strided : row.pointers)) return false;
    return row.ops.empty() ||
           (row.ops[0] == letter_of(x.op_a.all) && row.ops[1] == letter_of(x.op_b.all));
}

}  // namespace gemmill
