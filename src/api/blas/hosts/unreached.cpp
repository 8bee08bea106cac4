// SPDX-License-Identifier: Apache-2.0
#include "api/blas/hosts/unreached.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace gemmill::blas {
namespace {

std::string words_of(const LoadedBlas& blas) {
    if (blas.reach == BlasReach::renamed)
        return fmt::format("{} has its BLAS under other names ({})", blas.file, blas.name);
    return fmt::format("{} has a BLAS linked into it", blas.file);
}

}  // namespace

std::string unreached_text(std::span<const LoadedBlas> loaded) {
    std::vector<std::string> all;
    for (const LoadedBlas& blas : loaded)
        if (blas.reach != BlasReach::known) all.push_back(words_of(blas));
    return all.empty() ? "" : "not reached: " + join(all, "; ");
}

std::string no_calls_text(std::span<const LoadedBlas> loaded, bool first) {
    const std::string unreached = unreached_text(loaded);
    if (!first && unreached.empty()) return "";
    std::vector<std::string> reached;
    for (const LoadedBlas& blas : loaded)
        if (blas.reach == BlasReach::known) reached.push_back(blas.file);
    std::string why = unreached;
    if (!reached.empty())
        why += fmt::format("{}{} is loaded, and calls by its names would have come here",
                           why.empty() ? "" : "; ", join(reached, ", "));
    if (why.empty())
        why = "it loaded no BLAS; one that is linked into a program or library cannot be reached";
    return "no calls of level-3 BLAS arrived: " + why;
}

}  // namespace gemmill::blas
