// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "machine/grain.hpp"
#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "plan/padding.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr index_t least_edge = 256;  // smaller tiles are all launches and latencies

struct Start {
    TaskTiles tiles;
    std::size_t devices = 0;
    double seconds = 0;
    index_t grain = 1;
};

/// A side in so many even parts: powers of two; changes of the fastest find those between.
std::vector<index_t> cuts_of(index_t whole, index_t grain) {
    std::vector<index_t> sizes;
    for (const index_t parts : {1, 2, 4, 8, 16, 32, 64}) {
        const index_t size = std::min(whole, part_of(whole, parts, grain));
        if (parts > 1 && size < least_edge) break;
        sizes.push_back(std::max<index_t>(1, size));
    }
    return sizes;
}

/// Bytes of the least memory of a device.
std::int64_t least_room(const Plan& frame, std::span<const DeviceId> devices) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const DeviceId d : devices) {
        const auto memory =
            static_cast<std::size_t>(frame.machine.devices[static_cast<std::size_t>(d)].memory);
        least = std::min(least, frame.limit[memory]);
    }
    return least;
}

/// A sum while the one before is written and the old value of the next comes, and inputs for one
/// term while those of the next come.
bool fits(const Plan& frame, const TaskTiles& t, std::int64_t room) {
    const std::int64_t sum = t.rows * t.cols, inputs = (t.rows + t.cols) * t.depth;
    return (3 * sum + 2 * inputs) * bytes_of(target_of(frame).type) <= room;
}

class Starts {
  public:
    Starts(const Plan& frame, const Problem& problem, const ScheduleOptions& options, double steps,
           bool at_least)
        : frame_(frame),
          devices_(without_cpu(frame)),
          p_(problem),
          options_(options),
          steps_(steps),
          at_least_(at_least),
          room_(least_room(frame, devices_)) {}

    const std::vector<DeviceId>& devices() const { return devices_; }

    std::vector<Start> sorted() {
        for (std::size_t count = devices_.size(); count > 0; count /= 2) add_all(count);
        std::ranges::stable_sort(found_, {}, &Start::seconds);
        std::vector<Start> once;  // sizes that must be alike come from many cuts
        for (const Start& start : found_)
            if (once.empty() || !same(once.back(), start)) once.push_back(start);
        return once;
    }

  private:
    double steps_for(const Guess& guess, const TaskTiles& tiles) const {
        return at_least_ ? least_steps(p_, tiles) : steps_of(guess, p_, tiles);
    }
    static bool same(const Start& a, const Start& b) {
        return a.tiles == b.tiles && a.devices == b.devices;
    }
    void add_all(std::size_t count) {
        const Guess guess(frame_, std::span(devices_).first(count), p_, options_);
        const index_t grain = grain_of(frame_.machine);
        const bool together = guess.can_spread();
        const std::vector<index_t> heights = cuts_of(p_.m, grain), widths = cuts_of(p_.n, grain),
                                   depths = cuts_of(p_.k, grain);
        for (const index_t rows : heights)
            for (const index_t cols : widths)
                for (const index_t depth : depths) {
                    const TaskTiles tiles = fitted_on(p_, {rows, cols, depth, 0, together}, count);
                    if (!fits(frame_, tiles, room_) || steps_for(guess, tiles) > steps_) continue;
                    const Guess::Padded best = guess.padded(tiles);
                    found_.push_back({tiles, count, best.seconds, best.grain});
                }
    }

    const Plan& frame_;
    const std::vector<DeviceId> devices_;
    const Problem& p_;
    const ScheduleOptions& options_;
    const double steps_;
    const bool at_least_;
    const std::int64_t room_;
    std::vector<Start> found_;
};

}  // namespace

TaskTiles fitted_on(const Problem& problem, TaskTiles tiles, std::size_t devices) {
    tiles.together = tiles.together && devices > 1 && can_come_together(problem);
    if (devices > 1 && writes_triangle(problem.routine) && !tiles.together) tiles.cols = tiles.rows;
    return fitted(problem, tiles);
}

index_t part_of(index_t whole, index_t parts, index_t grain) {
    return rounded((whole + parts - 1) / parts, grain);
}

int active_for(double tasks, std::size_t devices) {
    constexpr int least = 4, most = 8;
    return std::clamp(static_cast<int>(tasks / (2 * static_cast<double>(devices))), least, most);
}

int active_with(const Problem& p, const TaskTiles& t, std::size_t devices) {
    const auto parts = [](index_t whole, index_t size) {
        return std::ceil(static_cast<double>(whole) / static_cast<double>(size));
    };
    if (is_in_place(p.routine)) return active_for(0, devices);
    const double half = writes_triangle(p.routine) ? 0.5 : 1;
    return active_for(half * parts(p.m, t.rows) * parts(p.n, t.cols), devices);
}

/// A term is about two steps: a tile comes for most, and targets come and go.
double least_steps(const Problem& problem, const TaskTiles& tiles) {
    return steps_besides + 2 * count_terms(problem, tiles);
}

/// Between what it is where a tile comes for most terms and goes to nobody else, and where each
/// comes in pieces to all its readers.
double steps_of(const Guess& guess, const Problem& problem, const TaskTiles& tiles) {
    return (least_steps(problem, tiles) + steps_besides + guess.steps(tiles)) / 2;
}

std::vector<DeviceId> without_cpu(const Plan& frame) {
    std::vector<DeviceId> gpus;
    for (const DeviceId d : frame.devices)
        if (!is_host_device(frame.machine, d)) gpus.push_back(d);
    return gpus.empty() ? frame.devices : gpus;
}

std::vector<Recipe> likely_starts(const Plan& frame, const Problem& problem,
                                  const ScheduleOptions& options, double steps, bool at_least) {
    constexpr std::size_t most = 12;  // later ones are hardly ever the fastest
    Starts all(frame, problem, options, steps, at_least);
    const std::vector<DeviceId>& gpus = all.devices();
    std::vector<Start> starts = all.sorted();
    if (starts.size() > most) starts.resize(most);
    std::vector<Recipe> recipes;
    for (const Start& start : starts) {
        Recipe recipe{start.tiles, gpus, options, start.grain};
        recipe.devices.resize(start.devices);
        for (const DeviceId d : frame.devices)
            if (std::ranges::find(gpus, d) == gpus.end()) recipe.devices.push_back(d);
        recipes.push_back(std::move(recipe));
    }
    return recipes;
}

}  // namespace gemmill
