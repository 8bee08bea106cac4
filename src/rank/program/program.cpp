// SPDX-License-Identifier: Apache-2.0
#include "rank/program/program.hpp"

#include <fmt/format.h>

#include "rank/message/mirror.hpp"

namespace gemmill {
namespace {

template <class T>
std::int64_t bytes_in(const std::vector<T>& x) {
    return static_cast<std::int64_t>(x.capacity() * sizeof(T));
}
std::int64_t bytes_in(const Box& x) { return bytes_in(x.rows) + bytes_in(x.cols); }

}  // namespace

std::int64_t RankProgram::device_bytes() const {
    return rounded_up(sums_bytes) + panel_bytes + uploaded_stages * (uploaded[0] + uploaded[1]);
}

bool is_sent_from_device(const DistUpdate& update, const RankProgram& program, const Fetch& fetch) {
    const Stage& stage = program.stages[static_cast<std::size_t>(fetch.stage)];
    return is_one_piece(fetch.box, *factor_of(update, stage.term, fetch.operand).matrix);
}

std::string name_of(const RankProgram& program, const RankStep& step) {
    constexpr const char* names[] = {"receive", "send",  "keep",    "await", "unpack",
                                     "mask",    "clear", "product", "write", "drain"};
    const char* name = names[static_cast<int>(step.op)];
    const bool is_fetch =
        step.op == RankOp::receive || step.op == RankOp::send || step.op == RankOp::unpack;
    if (!is_fetch) return fmt::format("{} {}", name, step.index);
    const Fetch& fetch = program.fetches[static_cast<std::size_t>(step.index)];
    std::string text = fmt::format("{} {} of stage {}, {} bytes", name, "AB"[fetch.operand],
                                   fetch.stage, fetch.bytes);
    if (step.op != RankOp::send) text += fmt::format(" from {}", fetch.from);
    for (std::size_t i = 0; i < fetch.to.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? " to " : " ", fetch.to[i]);
    return text;
}

std::int64_t own_bytes(const RankProgram& program) {
    std::int64_t bytes = bytes_in(program.stages) + bytes_in(program.blocks) +
                         bytes_in(program.fetches) + bytes_in(program.steps);
    for (const Stage& stage : program.stages)
        for (const Panel& panel : stage.panels)
            bytes +=
                bytes_in(panel.own) + bytes_in(panel.row_indices) + bytes_in(panel.col_indices);
    for (const CBlock& block : program.blocks) bytes += bytes_in(block.rows) + bytes_in(block.cols);
    for (const Fetch& fetch : program.fetches) bytes += bytes_in(fetch.box) + bytes_in(fetch.to);
    return bytes;
}

}  // namespace gemmill
