// SPDX-License-Identifier: Apache-2.0
#include "api/plans/plan_cache.hpp"

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
    for (const index_t pitch : p.pitch) mix(pitch);
    return hash;
}

std::size_t memory_of(const Plan& plan) noexcept {
    const auto bytes = [](const auto& all) { return all.capacity() * sizeof all.front(); };
    return sizeof plan + bytes(plan.tiles) + bytes(plan.buffers) + bytes(plan.queues) +
           bytes(plan.steps) + bytes(plan.waits);
}

PlanCache::Entry PlanCache::find(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(problem);
    if (found == index_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->plan;
}

std::int64_t PlanCache::count(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(problem);
    return found == index_.end() ? 0 : ++found->second->calls;
}

void PlanCache::put(const Problem& problem, Entry plan, std::int64_t calls) {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(problem); found != index_.end()) remove(found->second);
    used_ += memory_of(*plan);
    recent_.push_front({problem, std::move(plan), calls});
    index_[problem] = recent_.begin();
    while (recent_.size() > capacity_ || (used_ > bytes_ && recent_.size() > 1))
        remove(std::prev(recent_.end()));
}

void PlanCache::remove(List::iterator plan) {
    used_ -= memory_of(*plan->plan);
    index_.erase(plan->problem);
    recent_.erase(plan);
}

std::size_t PlanCache::size() const {
    const std::lock_guard lock(mutex_);
    return recent_.size();
}

}  // namespace gemmill
