// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/session/desks.hpp"

#include <algorithm>

namespace gemmill {
namespace {

/// What two slabs take of each memory is within the plan's limits.
bool fits_beside(const Plan& plan, const Slabs& other) {
    const std::span<const std::int64_t> sizes = other.sizes();
    for (std::size_t m = 0; m < sizes.size(); ++m)
        if (plan.slab[m] > 0 && plan.slab[m] + sizes[m] > plan.limit[m]) return false;
    return true;
}

}  // namespace

Desks::Desks(Lanes& lanes, const std::vector<int>& ordinals, const Allocate& allocate,
             std::size_t count)
    : lanes_(lanes), ordinals_(ordinals) {
    for (std::size_t i = 0; i < count; ++i) desks_.emplace_back(allocate);
}

bool Desks::others_open(const Desk& desk) const {
    return std::ranges::any_of(desks_, [&](const Desk& d) { return &d != &desk && d.taken; });
}

/// The first one, as most plans have been there before. What others keep for later goes where it
/// would be too much.
Desk* Desks::find_free(const Plan& plan) {
    const auto free = std::ranges::find(desks_, false, &Desk::taken);
    if (free == desks_.end()) return nullptr;
    for (Desk& other : desks_) {
        if (&other == &*free || fits_beside(plan, other.slabs)) continue;
        if (other.taken) return nullptr;
        other.slabs.release();
    }
    return &*free;
}

/// Lanes come first: they need memory, too, and stay. False: another session holds memory that is
/// missing.
bool Desks::reserve(Desk& desk, const Plan& plan) {
    const auto number = std::ranges::find(desks_, &desk, [](Desk& d) { return &d; });
    desk.lanes = lanes_.of(plan, ordinals_, static_cast<int>(number - desks_.begin()));
    try {
        desk.slabs.reserve(plan);
        return true;
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory) throw;
    }
    for (Desk& other : desks_)
        if (!other.taken) other.slabs.release();
    if (others_open(desk)) return false;
    desk.slabs.reserve(plan);
    return true;
}

Desk& Desks::take(const Plan& plan) {
    std::unique_lock lock(mutex_);
    for (;;) {
        Desk* const desk = find_free(plan);
        if (desk != nullptr && reserve(*desk, plan)) {
            desk->taken = true;
            return *desk;
        }
        changed_.wait(lock);
    }
}

void Desks::give(Desk& desk) {
    const std::lock_guard lock(mutex_);
    desk.taken = false;
    changed_.notify_all();
}

}  // namespace gemmill
