// SPDX-License-Identifier: Apache-2.0
#include "planner/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
                fmt::format("{}: {} is none of {}", option, shown(text), join(known, ", ")));
}

/// Those that the scheduler makes.
constexpr std::array<Policy, 2> scheduled_policies{{
    {.name = "dynamic",
     .help = "decided step by step, as devices become free",
     .library = "uncut",
     .scheduled = true},
    {.name = "tail",
     .help = "devices begin what a plan gave them, and the last targets as they become free",
     .library = "uncut",
     .scheduled = true},
}};

const Policy& find_policy(std::string_view name) {
    const auto& table = policies();
    // What auto does beside the plans of best is not for planners to know.
    const auto row = std::ranges::find(table, name == "auto" ? "best" : name, &Policy::name);
    if (row != table.end()) return *row;
    const auto scheduled = std::ranges::find(scheduled_policies, name, &Policy::name);
    if (scheduled != scheduled_policies.end()) return *scheduled;
    std::vector<std::string> known{"auto"};
    for (const Policy& policy : table) known.emplace_back(policy.name);
    for (const Policy& policy : scheduled_policies) known.emplace_back(policy.name);
    throw Error(Code::bad_argument, fmt::format("policy: unknown policy {}; there are {}",
                                                shown(name), join(known, ", ")));
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
        {.name = "best",
         .help = "the fastest predicted of many candidates",
         .routing = Routing::eta,
         .chain = true,
         .order = Sequence::strips,
         .late_c = LateC::shared,
         .library = "uncut",
         .search = true,
         .pieces = 2},
        {.name = "naive",
         .help = "each product fetches its own tiles, one step after the other",
         .caching = false,
         .overlap = false,
         .tiling = Tiling::capped,
         .library = "uncut"},
        {.name = "cublasxt",
         .help = "C tiles in turn, nothing kept from one to the next",
         .caching = false,
         .spread = Spread::turns,
         .tiling = Tiling::quarter,
         .peers = PeerCopies::none,
         .library = "cublasxt"},
        {.name = "blasx",
         .help = "C tiles in turn, tiles kept while used, fetched from the nearest copy",
         .lru = true,
         .spread = Spread::turns,
         .routing = Routing::bandwidth,
         .library = "blasx"},
        {.name = "xkblas",
         .help = "block-cyclic owners, tiles from the best copy, also one still in flight",
         .spread = Spread::cyclic,
         .routing = Routing::bandwidth,
         .tiling = Tiling::fixed,
         .peers = PeerCopies::computing,
         .library = "xkblas",
         .queues = 1},
        {.name = "paralia",
         .help = "a grid of whole tiles, fetched from the copy with most bandwidth",
         .routing = Routing::bandwidth,
         .tiling = Tiling::many,
         .whole_tiles = true,
         .library = "paralia"},
        {.name = "uncut",
         .help = "ETA routing and order, chained fetches, late C",
         .routing = Routing::eta,
         .chain = true,
         .order = Sequence::eta,
         .late_c = LateC::shared,
         .tiling = Tiling::capped,
         .library = "uncut"},
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
