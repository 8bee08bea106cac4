// SPDX-License-Identifier: Apache-2.0
#include "planner/policy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

template <class T>
struct Word {
    std::string_view text;
    T value;
};

constexpr Word<Spread> spreads[] = {
    {"grid", Spread::grid}, {"cyclic", Spread::cyclic}, {"turns", Spread::turns}};
constexpr Word<Routing> routings[] = {
    {"home", Routing::home}, {"bandwidth", Routing::bandwidth}, {"eta", Routing::eta}};
constexpr Word<Sequence> sequences[] = {{"natural", Sequence::natural},
                                        {"panels", Sequence::panels},
                                        {"fewest", Sequence::fewest},
                                        {"eta", Sequence::eta},
                                        {"strips", Sequence::strips}};
constexpr Word<LateC> lates[] = {
    {"never", LateC::never}, {"shared", LateC::shared}, {"always", LateC::always}};
constexpr Word<bool> flags[] = {{"on", true}, {"off", false}};

/// An empty text leaves the policy's own choice.
template <class T, std::size_t n>
void override_with(T& value, const std::string& text, const Word<T> (&words)[n],
                   std::string_view option) {
    if (text.empty()) return;
    std::vector<std::string> known;
    for (const Word<T>& word : words) {
        if (word.text == text) {
            value = word.value;
            return;
        }
        known.emplace_back(word.text);
    }
    throw Error(Code::bad_argument,
                fmt::format("{}: '{}' is none of {}", option, text, join(known, ", ")));
}

const Policy& find_policy(std::string_view name) {
    const auto& table = policies();
    const auto row = std::ranges::find(table, name, &Policy::name);
    if (row != table.end()) return *row;
    std::vector<std::string> known;
    for (const Policy& policy : table) known.emplace_back(policy.name);
    throw Error(Code::bad_argument,
                fmt::format("unknown policy '{}'; there are {}", name, join(known, ", ")));
}

template <class T, std::size_t n>
std::string_view word_of(T value, const Word<T> (&words)[n]) {
    return std::ranges::find(words, value, &Word<T>::value)->text;
}

}  // namespace

std::string_view name_of(Sequence order) noexcept { return word_of(order, sequences); }
std::string_view name_of(LateC late) noexcept { return word_of(late, lates); }

const std::vector<Policy>& policies() {
    static const std::vector<Policy> table{
        {"best", "the fastest predicted of many candidates", true, true, Spread::grid, Routing::eta,
         true, Sequence::strips, LateC::shared, Tiling::cost, true, "uncut", true, 2},
        {"naive", "each product fetches its own tiles, one step after the other", false, false,
         Spread::grid, Routing::home, false, Sequence::natural, LateC::never, Tiling::capped, true,
         "uncut"},
        {"cublasxt", "C tiles in turn, nothing kept from one to the next", false, true,
         Spread::turns, Routing::home, false, Sequence::natural, LateC::never, Tiling::quarter,
         false, "cublasxt"},
        {"blasx", "C tiles in turn, tiles kept, fetched from the nearest copy", true, true,
         Spread::turns, Routing::bandwidth, false, Sequence::natural, LateC::never, Tiling::cost,
         true, "blasx"},
        {"xkblas", "block-cyclic owners, tiles from the best copy, also one still in flight", true,
         true, Spread::cyclic, Routing::bandwidth, false, Sequence::natural, LateC::never,
         Tiling::fixed, false, "xkblas", false, 1, 1},
        {"paralia", "a grid, tiles from the copy with most bandwidth", true, true, Spread::grid,
         Routing::bandwidth, false, Sequence::natural, LateC::never, Tiling::many, true, "paralia"},
        {"uncut", "ETA routing and order, chained fetches, late C", true, true, Spread::grid,
         Routing::eta, true, Sequence::eta, LateC::shared, Tiling::capped, true, "uncut"},
    };
    return table;
}

Policy resolve_policy(const Options& options) {
    Policy policy = find_policy(options.policy);
    override_with(policy.caching, options.caching, flags, "caching");
    override_with(policy.overlap, options.overlap, flags, "overlap");
    override_with(policy.spread, options.spread, spreads, "spread");
    override_with(policy.routing, options.routing, routings, "routing");
    override_with(policy.chain, options.chain, flags, "chain");
    override_with(policy.order, options.order, sequences, "order");
    override_with(policy.late_c, options.late_c, lates, "late_c");
    return policy;
}

}  // namespace gemmill
