// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm/cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace gemmill::command {
namespace {

constexpr std::int64_t cap_bytes = std::int64_t{4} << 30;
constexpr index_t quick_divisor = 16, quick_least = 64;

BenchCase square(Type type, index_t n, Rule rule, double asked) {
    BenchCase one;
    one.type = type;
    one.m = one.n = one.k = n;
    one.rule = rule;
    one.asked = asked;
    return one;
}

BenchCase placed(const char* at, index_t n, Rule rule, double asked) {
    BenchCase one = square(Type::d, n, rule, asked);
    one.at = at;
    return one;
}

BenchCase thin(index_t m, index_t n, index_t k) {
    BenchCase one = square(Type::d, m, Rule::bound, 0.85);
    one.n = n;
    one.k = k;
    return one;
}

BenchCase pageable(index_t n) {
    BenchCase one = square(Type::d, n, Rule::best_block, 4);
    one.pinned = false;
    return one;
}

BenchCase capped(index_t n) {
    BenchCase one = square(Type::d, n, Rule::uncapped, 0.95);
    one.cap = cap_bytes;
    return one;
}

BenchCase shared(index_t n, int shares) {
    BenchCase one = square(Type::d, n, Rule::one_device, 1.15);
    one.shares = shares;
    return one;
}

/// Those of one type, and of one context, stand together: data and devices are then made once.
std::vector<BenchCase> full_cases() {
    return {
        square(Type::d, 4096, Rule::best_block, 1.8),
        square(Type::d, 8192, Rule::best_block, 1.7),
        square(Type::d, 16384, Rule::best_block, 1.5),
        square(Type::d, 32768, Rule::best_block, 1.25),
        pageable(16384),
        placed("000", 4096, Rule::in_core, 0.98),
        placed("000", 8192, Rule::in_core, 0.98),
        placed("000", 16384, Rule::in_core, 0.98),
        thin(65536, 512, 512),
        thin(512, 512, 262144),
        thin(2048, 2048, 65536),
        thin(30000, 30000, 1000),
        capped(16384),
        capped(32768),
        shared(8192, 2),
        shared(16384, 2),
        shared(8192, 4),
        shared(16384, 4),
        shared(8192, 8),
        shared(16384, 8),
        square(Type::z, 8192, Rule::bound, 0.9),
        square(Type::s, 4096, Rule::best_block, 1.6),
        square(Type::s, 16384, Rule::best_block, 1.15),
        placed("hh0", 16384, Rule::bound, 0.9),
        placed("0hh", 16384, Rule::bound, 0.9),
        placed("h00", 16384, Rule::bound, 0.9),
    };
}

BenchCase small(BenchCase one) {
    for (index_t* size : {&one.m, &one.n, &one.k})
        *size = std::max(*size / quick_divisor, quick_least);
    one.cap /= quick_divisor * quick_divisor;
    one.rule = Rule::none;
    return one;
}

std::string size_text(const BenchCase& one) {
    return is_square(one) ? std::to_string(one.n) : fmt::format("{}x{}x{}", one.m, one.n, one.k);
}

std::string place_text(const BenchCase& one) {
    if (one.at != "hhh") return "at " + one.at;
    if (!is_square(one)) return "thin";
    return one.pinned ? "pinned" : "pageable";
}

bool has_all(const BenchCase& one, const std::string& group) {
    const std::vector<std::string> words = split(name_of(one), ' ');
    return std::ranges::all_of(split(group, ' '), [&](const std::string& word) {
        return word.empty() || std::ranges::find(words, word) != words.end();
    });
}

double bytes_of(const BenchCase& one, std::size_t operand) {
    return static_cast<double>(elements(one, operand) * gemmill::bytes_of(one.type));
}

}  // namespace

std::string name_of(const BenchCase& one) {
    std::string name =
        fmt::format("{} {} {}", letter_of(one.type), place_text(one), size_text(one));
    if (one.cap > 0) name += " cap";
    if (one.shares > 1) name += fmt::format(" shares {}", one.shares);
    return name;
}

std::vector<BenchCase> bench_cases(bool quick) {
    std::vector<BenchCase> cases = full_cases();
    if (quick) std::ranges::transform(cases, cases.begin(), small);
    return cases;
}

std::vector<BenchCase> chosen(const std::vector<BenchCase>& cases, const std::string& groups) {
    std::vector<BenchCase> some;
    std::ranges::copy_if(cases, std::back_inserter(some), [&](const BenchCase& one) {
        return std::ranges::any_of(split(groups, ','),
                                   [&](const std::string& group) { return has_all(one, group); });
    });
    return some;
}

bool is_square(const BenchCase& one) { return one.m == one.n && one.n == one.k; }
bool on_device(const BenchCase& one, std::size_t operand) { return one.at[operand] != 'h'; }
bool all_on_device(const BenchCase& one) { return one.at.find('h') == std::string::npos; }
bool is_plain(const BenchCase& one) { return one.cap == 0 && one.shares == 1; }

index_t elements(const BenchCase& one, std::size_t operand) {
    const std::array sizes{one.m * one.k, one.k * one.n, one.m * one.n};
    return sizes[operand];
}

double flops_of(const BenchCase& one) {
    return flops_per_fma(one.type) * static_cast<double>(one.m) * static_cast<double>(one.n) *
           static_cast<double>(one.k);
}

double Bound::seconds() const { return std::max({compute, in, out}); }

Bound bound_of(const BenchCase& one, const Rates& rates) {
    Bound bound;
    bound.compute = flops_of(one) / rates.in_core[static_cast<std::size_t>(one.type)];
    for (std::size_t operand = 0; operand < 3; ++operand)
        if (!on_device(one, operand)) bound.in += bytes_of(one, operand) / rates.h2d;
    if (!on_device(one, 2)) bound.out = bytes_of(one, 2) / rates.d2h;
    return bound;
}

std::string asked_text(const BenchCase& one) {
    constexpr std::array names{"", "xt", "own", "core", "bound", "one"};
    if (one.rule == Rule::none) return "-";
    return fmt::format("{} {:.2f}", names[static_cast<std::size_t>(one.rule)], one.asked);
}

bool holds(const BenchCase& one, double found) {
    return one.rule == Rule::one_device ? found <= one.asked : found >= one.asked;
}

}  // namespace gemmill::command
