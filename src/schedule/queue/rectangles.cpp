// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/rectangles.hpp"

#include <algorithm>
#include <iterator>

#include "machine/reach.hpp"
#include "model/cost.hpp"
#include "plan/access.hpp"
#include "schedule/options.hpp"

namespace gemmill {
namespace {

constexpr int done = 4;  // after the last phase

const Tasks::Task& task_of(const Tasks& tasks, TaskId id) {
    return tasks.tasks[static_cast<std::size_t>(id)];
}
const Tile& tile_in(const Tasks& tasks, TileId id) {
    return tasks.tiles[static_cast<std::size_t>(id)];
}

/// Whether two terms are the same but for their tiles and for what they keep.
bool alike(const Tasks& tasks, const Step& a, const Step& b) {
    const auto operand = [&](const Ref& ref) {
        return ref.tile < 0 ? -1 : tile_in(tasks, ref.tile).operand;
    };
    return a.op == b.op && a.weight == b.weight && a.op_a == b.op_a && a.op_b == b.op_b &&
           a.side == b.side && a.triangle == b.triangle && a.diag == b.diag &&
           operand(a.in[0]) == operand(b.in[0]) && operand(a.in[1]) == operand(b.in[1]);
}

/// Whether one kernel over all of k makes a task: then its terms are alike.
bool is_one_kernel(const Tasks& tasks, const Tasks::Task& task) {
    const std::span<const Step> terms = terms_of(tasks, task);
    return terms.front().in[0].tile >= 0 && std::ranges::all_of(terms, [&](const Step& term) {
               return alike(tasks, term, terms.front());
           });
}

bool is_product(const Tasks& tasks, TaskId id) {
    return terms_of(tasks, task_of(tasks, id)).front().op == Opcode::gemm;
}

/// The smallest block that holds both.
Tile around(const Tile& a, const Tile& b) {
    const index_t row = std::min(a.row, b.row), col = std::min(a.col, b.col);
    return {a.operand, row, col, std::max(a.row + a.rows, b.row + b.rows) - row,
            std::max(a.col + a.cols, b.col + b.cols) - col};
}

TileId add_tile(Plan& plan, const Tile& tile) {
    plan.tiles.push_back(tile);
    return static_cast<TileId>(plan.tiles.size()) - 1;
}

/// A device that has memory of its own.
bool is_gpu(const Plan& plan, DeviceId d) { return !is_host_device(plan.machine, d); }

double rate_of_gpu(const Plan& plan, const Tasks& tasks, DeviceId d) {
    const Step& term = tasks.terms.front();
    const Tile& out = tile_of(plan, term.out);
    const Device& device = plan.machine.devices[static_cast<std::size_t>(d)];
    const double area = static_cast<double>(out.rows * out.cols);
    const Type type = operand_of(plan, out).type;
    const double k = flops_of(plan, term) / (area * flops_per_fma(type));
    return kernel_rate(device, type, static_cast<double>(out.rows), static_cast<double>(out.cols),
                       k);
}

}  // namespace

bool in_strip(const Tasks& tasks, TaskId id) {
    const Tasks::Task& task = task_of(tasks, id);
    return tasks.strip >= 0 && (tasks.strip_rows ? task.row : task.col) >= tasks.strip;
}

CpuUse use_of(const Plan& plan, const Tasks& tasks, DeviceId device) {
    if (is_gpu(plan, device)) return CpuUse::tasks;
    const MemoryId own = plan.machine.devices[static_cast<std::size_t>(device)].memory;
    bool reaches_all = true, is_elsewhere = false;
    for (const Operand& operand : plan.operands) {
        reaches_all = reaches_all && reaches(plan.machine, own, operand.home);
        is_elsewhere = is_elsewhere || (own != operand.home && is_host(plan.machine, operand.home));
    }
    const auto gpu = [&](DeviceId d) { return is_gpu(plan, d); };
    const auto one_kernel = [&](const Tasks::Task& t) { return is_one_kernel(tasks, t); };
    if (std::ranges::any_of(plan.devices, gpu) && reaches_all && tasks.others.empty() &&
        !tasks.tasks.empty() && std::ranges::all_of(tasks.tasks, one_kernel))
        return CpuUse::rectangles;
    return is_elsewhere ? CpuUse::nothing : CpuUse::tasks;
}

bool is_alone(const Plan& plan, const Tasks& tasks) {
    return std::ranges::count_if(plan.devices, [&](DeviceId d) {
               return use_of(plan, tasks, d) == CpuUse::tasks;
           }) == 1;
}

Step merged_step(Plan& plan, const Tasks& tasks, std::span<const TaskId> some) {
    Step step = terms_of(tasks, task_of(tasks, some.front())).front();
    std::array<Tile, 3> tiles;
    const auto grow = [&](std::size_t i, TileId id) {
        if (id < 0) return;
        const Tile& tile = tile_in(tasks, id);
        tiles[i] = tiles[i].operand < 0 ? tile : around(tiles[i], tile);
    };
    for (const TaskId id : some)
        for (const Step& term : terms_of(tasks, task_of(tasks, id))) {
            grow(0, term.in[0].tile);
            grow(1, term.in[1].tile);
            grow(2, term.out.tile);
        }
    for (const std::size_t i : {0U, 1U})
        if (tiles[i].operand >= 0) step.in[i] = {add_tile(plan, tiles[i]), Ref::home};
    step.out = {add_tile(plan, tiles[2]), Ref::home};
    return step;
}

double rate_of_cpu(const Plan& plan, const Tasks& tasks, DeviceId cpu) {
    TaskId task = 0;
    for (TaskId t = 0; t < std::ssize(tasks.tasks) && task == 0; ++t)
        if (in_strip(tasks, t) && is_product(tasks, t)) task = t;
    Plan frame = plan;
    Step step = merged_step(frame, tasks, std::vector<TaskId>{task});
    frame.queues = {{QueueKind::compute, cpu}};
    step.queue = 0;
    return flops_of(frame, step) / cost_of(frame, step).seconds();
}

double rate_of_gpus(const Plan& plan, const Tasks& tasks) {
    double all = 0;
    for (const DeviceId d : plan.devices)
        if (is_gpu(plan, d)) all += rate_of_gpu(plan, tasks, d);
    return all;
}

double part_of_cpu(const Plan& plan, const Tasks& tasks, DeviceId cpu, double asked) {
    if (asked >= 0) return asked;
    const double mine = rate_of_cpu(plan, tasks, cpu), all = mine + rate_of_gpus(plan, tasks);
    const bool felt = asked == ScheduleOptions::probe || all >= worth_the_cpu * (all - mine);
    return felt ? mine / all : 0;
}

Rectangles::Rectangles(const Tasks& tasks, double part, std::size_t gpus)
    : tasks_(tasks),
      part_(part),
      gpus_(gpus),
      free_(tasks.tasks.size()),
      phase_(tasks.strip < 0 ? 1 : 2) {
    for (const Tasks::Task& t : tasks.tasks)
        rows_ = std::max(rows_, t.row + 1), cols_ = std::max(cols_, t.col + 1);
    grid_.assign(static_cast<std::size_t>(rows_ * cols_), -1);
    for (TaskId id = 0; const Tasks::Task& t : tasks.tasks)
        grid_[static_cast<std::size_t>(t.col * rows_ + t.row)] = id++;
}

TaskId Rectangles::at(index_t row, index_t col) const {
    return grid_[static_cast<std::size_t>(col * rows_ + row)];
}

bool Rectangles::is_free(index_t row, index_t col) const {
    return at(row, col) >= 0 && free_[static_cast<std::size_t>(at(row, col))];
}

std::vector<TaskId> Rectangles::next(const Known& known) {
    std::size_t left = 0;
    for (std::size_t t = 0; t < free_.size(); ++t) {
        free_[t] = known.is_free(static_cast<TaskId>(t));
        left += free_[t] ? 1 : 0;
    }
    if (part_ <= 0 || phase_ == done) return {};
    if (std::vector<TaskId> some = of_strip(known); !some.empty()) return some;
    std::vector<TaskId> some = by_phase(left);
    if (!some.empty() && known.ends_in_time(some)) return some;
    phase_ = done;
    return {};
}

std::vector<TaskId> Rectangles::by_phase(std::size_t left) {
    const auto share = static_cast<std::size_t>(part_ * static_cast<double>(left));
    if (phase_ < 3 && share > 0) {
        ++phase_;
        std::vector<TaskId> some = columns(share / static_cast<std::size_t>(rows_));
        return some.empty() ? longest_run(share) : some;
    }
    phase_ = 3;
    return left > 2 * gpus_ ? longest_run(1) : std::vector<TaskId>{};
}

/// Half of what is left of it, or less where that would not end in time; at its diagonal one task.
std::vector<TaskId> Rectangles::of_strip(const Known& known) const {
    if (tasks_.strip < 0) return {};
    const index_t lines = tasks_.strip_rows ? cols_ : rows_;
    index_t first = 0, count = 0;
    while (first < lines && line_of_strip(first).empty()) ++first;
    while (first + count < lines && !line_of_strip(first + count).empty()) ++count;
    for (index_t most = (count + 1) / 2; most > 0; most /= 2) {
        std::vector<TaskId> some;
        for (index_t line = first; line < first + most; ++line)
            std::ranges::copy(line_of_strip(line), std::back_inserter(some));
        if (known.ends_in_time(some)) return some;
    }
    const auto alone = [&](TaskId t) {
        return in_strip(tasks_, t) && free_[static_cast<std::size_t>(t)] && known.ends_in_time({t});
    };
    for (TaskId t = 0; t < std::ssize(free_) && count == 0; ++t)
        if (alone(t)) return {t};
    return {};
}

/// Tiles across the strip, where all of them are products that nobody has begun.
std::vector<TaskId> Rectangles::line_of_strip(index_t line) const {
    std::vector<TaskId> some;
    const index_t end = tasks_.strip_rows ? rows_ : cols_;
    for (index_t across = tasks_.strip; across < end; ++across) {
        const index_t i = tasks_.strip_rows ? across : line;
        const index_t j = tasks_.strip_rows ? line : across;
        if (!is_free(i, j) || !is_product(tasks_, at(i, j))) return {};
        some.push_back(at(i, j));
    }
    return some;
}

/// So many of the last columns, where all of them are products that nobody has begun.
std::vector<TaskId> Rectangles::columns(std::size_t count) const {
    std::vector<TaskId> some;
    for (index_t j = cols_ - static_cast<index_t>(count); j < cols_; ++j)
        for (index_t i = 0; i < rows_; ++i) {
            if (!is_free(i, j) || !is_product(tasks_, at(i, j))) return {};
            some.push_back(at(i, j));
        }
    return some;
}

/// Tasks below each other in the last column that has most of them, up to so many: products, or
/// one of another kind.
std::vector<TaskId> Rectangles::longest_run(std::size_t most) const {
    std::vector<TaskId> longest;
    for (index_t j = cols_; j-- > 0;) {
        std::vector<TaskId> run;
        for (index_t i = rows_; i-- > 0;) {
            if (run.size() > longest.size()) longest = run;
            if (longest.size() >= most) return longest;
            const bool alone = is_free(i, j) && !is_product(tasks_, at(i, j));
            if (!is_free(i, j) || alone) run.clear();
            if (alone && longest.empty()) longest = {at(i, j)};
            if (is_free(i, j) && !alone) run.push_back(at(i, j));
        }
        if (run.size() > longest.size()) longest = run;
        if (longest.size() >= most) return longest;
    }
    return longest;
}

}  // namespace gemmill
