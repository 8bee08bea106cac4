// SPDX-License-Identifier: Apache-2.0
#include "api/plan_cache.hpp"

namespace gemmill {

std::size_t ProblemHash::operator()(const Problem& p) const noexcept {
    std::size_t hash = 0;
    const auto mix = [&](auto value) {
        const auto h = std::hash<index_t>{}(static_cast<index_t>(value));
        hash ^= h + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
    };
    mix(p.routine), mix(p.type), mix(p.side), mix(p.uplo), mix(p.diag);
    mix(p.op_a), mix(p.op_b);
    mix(p.m), mix(p.n), mix(p.k), mix(p.alpha), mix(p.beta);
    for (const MemoryId home : p.home) mix(home);
    return hash;
}

PlanCache::Entry PlanCache::find(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(problem);
    if (found == index_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
}

void PlanCache::put(const Problem& problem, Entry plan) {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(problem); found != index_.end()) {
        recent_.erase(found->second);
        index_.erase(found);
    }
    recent_.emplace_front(problem, std::move(plan));
    index_[problem] = recent_.begin();
    while (recent_.size() > capacity_) {
        index_.erase(recent_.back().first);
        recent_.pop_back();
    }
}

std::size_t PlanCache::size() const {
    const std::lock_guard lock(mutex_);
    return recent_.size();
}

}  // namespace gemmill
