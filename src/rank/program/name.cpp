// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "rank/program/program.hpp"

namespace gemmill {

std::string name_of(const RankProgram& program, const RankStep& step) {
    constexpr const char* names[] = {"receive", "send",    "keep",  "unpack", "mask",
                                     "clear",   "product", "write", "drain"};
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

}  // namespace gemmill
