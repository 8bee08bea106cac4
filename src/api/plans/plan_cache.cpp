// SPDX-License-Identifier: Apache-2.0
#include "api/plans/plan_cache.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

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

/// While a plan is on trial both are there.
void PlanCache::try_out(const Problem& problem, Entry plan) {
    constexpr int trials = 8;
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(problem);
    if (found == index_.end()) return;
    Item& item = *found->second;
    used_ += memory_of(*plan);
    item.before = std::exchange(item.plan, std::move(plan));
    item.fastest_before = std::exchange(item.fastest, never);
    item.calls = never_counted;
    item.trials = trials;
}

void PlanCache::note(const Problem& problem, const Plan& plan, double seconds) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(problem);
    if (found == index_.end() || found->second->plan.get() != &plan) return;
    Item& item = *found->second;
    item.fastest = std::min(item.fastest, seconds);
    if (item.trials == 0 || --item.trials > 0) return;
    if (item.fastest > item.fastest_before) std::swap(item.plan, item.before);
    used_ -= memory_of(*item.before);
    item.before.reset();
}

void PlanCache::put(const Problem& problem, Entry plan, std::int64_t calls) {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(problem); found != index_.end()) remove(found->second);
    used_ += memory_of(*plan);
    recent_.push_front({problem, std::move(plan), calls, never, nullptr, 0, 0});
    index_[problem] = recent_.begin();
    while (recent_.size() > capacity_ || (used_ > bytes_ && recent_.size() > 1))
        remove(std::prev(recent_.end()));
}

void PlanCache::remove(List::iterator plan) {
    used_ -= memory_of(*plan->plan);
    if (plan->before != nullptr) used_ -= memory_of(*plan->before);
    index_.erase(plan->problem);
    recent_.erase(plan);
}

std::size_t PlanCache::size() const {
    const std::lock_guard lock(mutex_);
    return recent_.size();
}

}  // namespace gemmill
