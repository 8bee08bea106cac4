// SPDX-License-Identifier: Apache-2.0
#include "tune/times.hpp"

#include <fmt/format.h>

#include <sstream>

#include "gemmill/error.hpp"

namespace gemmill::command {
namespace {

constexpr std::string_view types = "sdczhb", ops = "ntc";

char letter(Op op) { return op == Op::NoTrans ? ops[0] : op == Op::Trans ? ops[1] : ops[2]; }
bool read_op(char c, Op& op) {
    constexpr Op all[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
    const std::size_t at = ops.find(c);
    if (at != std::string_view::npos) op = all[at];
    return at != std::string_view::npos;
}

/// Columns of `rows` elements with gaps between them, one matrix behind the other.
BatchMatrix matrix_of(index_t rows, index_t cols, index_t gap, bool by_pointers) {
    static const void* const none = nullptr;
    BatchMatrix of;
    of.ld.all = rows + gap;
    of.stride = of.ld.all * cols;
    of.array = by_pointers ? &none : nullptr;
    return of;
}

Batch batch_of(const BatchBenchCase& one, index_t count) {
    const bool a_as_is = one.op_a == Op::NoTrans, b_as_is = one.op_b == Op::NoTrans;
    const bool by_pointers = one.kind == BatchKind::pointers;
    Batch x;
    x.type = one.type;
    x.count = count;
    x.m = {one.m}, x.n = {one.n}, x.k = {one.k};
    x.op_a = {one.op_a}, x.op_b = {one.op_b};
    x.alpha.all = x.beta.all = Scalar{1, 0};
    x.a = matrix_of(a_as_is ? one.m : one.k, a_as_is ? one.k : one.m, one.gaps[0], by_pointers);
    x.b = matrix_of(b_as_is ? one.k : one.n, b_as_is ? one.n : one.k, one.gaps[1], by_pointers);
    x.c = matrix_of(one.m, one.n, one.gaps[2], by_pointers);
    return x;
}

bool parse_case(const std::string& text, BatchResult& r) {
    std::istringstream words(text);
    std::string type, kind, both;
    BatchBenchCase& one = r.one;
    if (!(words >> type >> kind >> both >> one.m >> one.n >> one.k)) return false;
    for (index_t& gap : one.gaps)
        if (!(words >> gap)) return false;
    const std::size_t at = types.find(type);
    if (!(words >> r.count) || type.size() != 1 || at == std::string_view::npos) return false;
    if (both.size() != 2 || !read_op(both[0], one.op_a) || !read_op(both[1], one.op_b))
        return false;
    if (kind != "strided" && kind != "pointers") return false;
    one.type = static_cast<Type>(at);
    one.kind = kind == "strided" ? BatchKind::strided : BatchKind::pointers;
    one.count = r.count;
    r.batch = batch_of(one, r.count);
    return true;
}

bool parse_timings(const std::string& text, std::vector<BatchTiming>& all) {
    constexpr double microsecond = 1e-6;
    std::istringstream words(text);
    for (BatchTiming t; words >> t.who; all.push_back(t)) {
        if (!(words >> t.seconds)) return false;
        t.seconds *= microsecond;
    }
    return true;
}

}  // namespace

std::string times_line(const BatchResult& r) {
    const auto& [a, b, c] = r.one.gaps;
    std::string text =
        fmt::format("{} {} {}{} {} {} {} {} {} {} {}:", letter_of(r.one.type),
                    r.one.kind == BatchKind::strided ? "strided" : "pointers", letter(r.one.op_a),
                    letter(r.one.op_b), r.one.m, r.one.n, r.one.k, a, b, c, r.count);
    for (const BatchTiming& t : r.timings)
        if (t.fault.empty() && t.error <= 1)
            text += fmt::format(" {} {:.6g}", t.who, 1e6 * t.seconds);
    return text + "\n";
}

std::vector<BatchResult> parse_times(std::string_view text) {
    std::vector<BatchResult> all;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t colon = line.find(':');
        BatchResult r;
        require(colon != std::string::npos && parse_case(line.substr(0, colon), r) &&
                    parse_timings(line.substr(colon + 1), r.timings),
                Code::parse, "times of a batch", line);
        all.push_back(std::move(r));
    }
    return all;
}

}  // namespace gemmill::command
