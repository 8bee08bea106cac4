// SPDX-License-Identifier: Apache-2.0
#include "api/blas/fallback.hpp"

#include <fmt/format.h>

namespace gemmill::blas {
namespace {

std::string calls(std::int64_t count) {
    return fmt::format("{} call{}", count, count == 1 ? "" : "s");
}

}  // namespace

bool Fallbacks::refuse(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (refusal_.empty()) refusal_ = why;
    return refused_.fetch_add(1) == 0;
}

bool Fallbacks::lose(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (loss_.empty()) loss_ = why;
    lost_ = true;
    return failed_.fetch_add(1) == 0;
}

std::string Fallbacks::text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    if (lost_)
        text += fmt::format(
            "  devices failed and were not used again: {}; {} and {} after that ran on the host\n",
            loss_, calls(failed_), missed_.load());
    if (refused_ > 0)
        text += fmt::format("  devices could not take {}, which ran on the host; the first: {}\n",
                            calls(refused_), refusal_);
    return text;
}

void Fallbacks::forget() {
    refusal_.clear();
    loss_.clear();
    lost_ = false;
    refused_ = failed_ = missed_ = 0;
}

}  // namespace gemmill::blas
