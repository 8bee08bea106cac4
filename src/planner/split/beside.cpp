// SPDX-License-Identifier: Apache-2.0
#include "planner/split/beside.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "plan/build/steps.hpp"
#include "planner/split/parts.hpp"
#include "task/describe.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Rows are cut off where A stands on the right, and where a gemm has more of them than columns.
bool cuts_rows(const Problem& p) {
    if (p.routine == Routine::gemm) return p.m > p.n;
    return !writes_triangle(p.routine) && p.side == Side::Right;
}

class CpuSteps {
  public:
    CpuSteps(Draft& plan, const Beside& beside) : plan_(plan), p_(plan.problem) {
        const index_t whole = count_lines(p_);
        first_ = {0, whole - beside.lines};
        last_ = {whole - beside.lines, beside.lines};
        queue_ = static_cast<QueueId>(plan.queues.size());
        plan.queues.push_back({QueueKind::compute, beside.device});
    }

    std::vector<Step> make() {
        if (writes_triangle(p_.routine))
            add_triangle();
        else if (reads_triangle(p_.routine))
            add_beside_triangle();
        else
            add_product(cuts_rows(p_) ? last_ : Part{0, p_.m},
                        cuts_rows(p_) ? Part{0, p_.n} : last_);
        return std::move(steps_);
    }

  private:
    /// A tile stands once in a plan.
    Ref home(const Tile& tile) {
        const auto found = std::ranges::find(plan_.tiles, tile);
        const auto id = static_cast<TileId>(found - plan_.tiles.begin());
        if (found == plan_.tiles.end()) plan_.tiles.push_back(tile);
        return {id, Ref::home};
    }
    Ref whole(OperandId operand) {
        const Shape shape = stored_shape(p_, operand);
        return home({operand, 0, 0, shape.rows, shape.cols});
    }
    Ref target(const Part& rows, const Part& cols) {
        return home({operand::C, rows.first, cols.first, rows.count, cols.count});
    }
    void emit(const Ref& out, Keep keep, const Ref& first, const Ref& second = {}) {
        steps_.push_back(compute_step(plan_, p_, queue_, out, keep, first, second));
    }

    void add_product(const Part& rows, const Part& cols) {
        const Part k{0, p_.k};
        emit(target(rows, cols), Keep::old, home(stored_tile(operand::A, p_.op_a, rows, k)),
             home(stored_tile(operand::B, p_.op_b, k, cols)));
    }

    /// Rows below the rest of C, or columns beside it, and the last square at the diagonal.
    void add_triangle() {
        const bool lower = p_.uplo == Uplo::Lower;
        if (first_.count > 0) add_update(lower ? last_ : first_, lower ? first_ : last_);
        add_update(last_, last_);
    }
    void add_update(const Part& rows, const Part& cols) {
        if (p_.routine == Routine::gemmt) return add_product(rows, cols);
        const Part k{0, p_.k};
        const auto panel = [&](const Part& lines) {
            return home(stored_tile(operand::A, p_.op_a, lines, k));
        };
        emit(target(rows, cols), Keep::old, panel(rows), rows == cols ? Ref{} : panel(cols));
    }

    /// Lines of symm, hemm, trmm and trsm depend on no others.
    void add_beside_triangle() {
        const bool left = p_.side == Side::Left;
        const Part rows = left ? Part{0, p_.m} : last_, cols = left ? last_ : Part{0, p_.n};
        const Ref a = whole(operand::A);
        if (is_in_place(p_.routine)) {
            const Keep keep = p_.routine == Routine::trmm ? Keep::zero : Keep::old;
            return emit(target(rows, cols), keep, a);
        }
        const Ref b = home({operand::B, rows.first, cols.first, rows.count, cols.count});
        emit(target(rows, cols), Keep::old, left ? a : b, left ? b : a);
    }

    Draft& plan_;
    const Problem& p_;
    Part first_, last_;
    QueueId queue_ = -1;
    std::vector<Step> steps_;
};

/// They are issued before all others: the CPU should not wait for the host to issue what is not its
/// own.
void put_first(Plan& plan, const std::vector<Step>& steps) {
    const auto count = static_cast<StepId>(steps.size());
    plan.steps.insert(plan.steps.begin(), steps.begin(), steps.end());
    for (StepId& wait : plan.waits) wait += count;
    for (Buffer& buffer : plan.buffers) buffer.first += count, buffer.last += count;
}

}  // namespace

index_t count_lines(const Problem& p) { return cuts_rows(p) ? p.m : p.n; }

bool can_cut_off(const Problem& p) {
    // What is beside the diagonal of a rank-2 update takes two kernels, and so a place of its own.
    return is_read(p, operand::A) && !is_rank_2(p.routine) && p.m > 0 && p.n > 0;
}

Beside cut_off(const Problem& p, DeviceId cpu, double part, index_t block) {
    const index_t whole = count_lines(p);
    const double left = writes_triangle(p.routine) ? std::sqrt(1 - part) : 1 - part;
    const auto kept = static_cast<index_t>(std::ceil(left * static_cast<double>(whole)));
    // Rather too much for GPUs, which are faster, than for the CPU.
    const index_t rest = std::min((kept + block - 1) / block * block, whole);
    return {cpu, whole - rest};
}

Problem rest_of(const Problem& whole, const Beside& beside) {
    Problem p = whole;
    if (writes_triangle(p.routine)) p.m -= beside.lines;
    (cuts_rows(whole) ? p.m : p.n) -= beside.lines;
    return p;
}

void add_beside(Draft& plan, const Problem& whole, const Beside& beside) {
    plan.problem = whole;
    describe(whole, plan);
    if (std::ranges::find(plan.devices, beside.device) == plan.devices.end())
        plan.devices.push_back(beside.device);
    put_first(plan, CpuSteps(plan, beside).make());
}

}  // namespace gemmill
