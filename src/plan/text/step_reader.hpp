// SPDX-License-Identifier: Apache-2.0
// Reads formulas: goals and steps. Every function throws Error(parse) that names the record's line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.hpp"
#include "gemmill/plan.hpp"

namespace gemmill {

/// Letters, digits and _: what can stand before a bracket.
bool is_name(std::string_view text);

/// "C[0:8,0:4]" of an operand of the plan.
Tile parse_tile(const Plan& plan, const Record& record, std::string_view text);

class StepReader {
  public:
    /// The plan has its operands, queues and tiles; `buffers` is how many it will have.
    StepReader(const Plan& plan, std::int64_t buffers);

    /// "goal C <- beta C + alpha A B".
    Goal goal(const Record& record) const;
    /// "step 3 gpu0.0 gemm C[..]@1 <- C + alpha A[..]@0 B[..]@home".
    Step step(const Record& record) const;

  private:
    using Words = std::vector<std::string>;
    struct Cursor;

    OperandId operand(const Record& record, std::string_view name) const;
    Term term(const Record& record, Scale weight, const Words& group, std::size_t first) const;
    Ref ref(const Record& record, std::string_view text) const;
    void flags(const Record& record, Step& step, std::size_t& next) const;
    void inputs(const Record& record, Step& step, const Words& group, std::size_t first) const;
    void part(const Record& record, Step& step, const Words& group) const;
    static void check(const Record& record, const Step& step);

    struct TileHash {
        std::size_t operator()(const Tile& tile) const noexcept;
    };
    const Plan& plan_;
    std::int64_t buffers_;
    std::map<std::string, QueueId, std::less<>> queues_;
    std::unordered_map<Tile, TileId, TileHash> tiles_;
};

}  // namespace gemmill
