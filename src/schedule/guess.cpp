// SPDX-License-Identifier: Apache-2.0
#include "schedule/guess.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "machine/sharing.hpp"
#include "model/cost.hpp"
#include "schedule/mover.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

double parts(index_t whole, index_t size) {
    return std::ceil(static_cast<double>(whole) / static_cast<double>(std::max<index_t>(1, size)));
}

/// Links between a memory and those of the plan's devices.
std::vector<LinkId> links_of(const Plan& frame, MemoryId memory, bool leaves_memory) {
    std::vector<LinkId> links;
    for (const DeviceId d : frame.devices) {
        const MemoryId own = frame.machine.devices[at(d)].memory;
        const LinkId link = own == memory   ? -1
                            : leaves_memory ? find_link(frame.machine, memory, own)
                                            : find_link(frame.machine, own, memory);
        if (link >= 0) links.push_back(link);
    }
    return links;
}

}  // namespace

/// Tiles of one choice of sizes.
struct Guess::Counts {
    double rows = 0, cols = 0, depth = 0;  // tiles along each
    double tasks = 0, terms = 0;
    std::array<double, 3> tile_bytes{}, tiles{}, readers{};
    std::array<double, 3> more{};  // bytes with overhead, for each byte
};

Guess::Flow Guess::flow_of(OperandId operand, bool leaves) const {
    const Operand& of = frame_.operands[at(operand)];
    Flow flow;
    flow.home = of.home;
    flow.rows = static_cast<double>(of.rows);
    const std::vector<LinkId> links = links_of(frame_, of.home, !leaves);
    if (links.empty()) return flow;
    flow.bytes = static_cast<double>(needed_bytes(p_, operand));
    flow.rate = aggregate_bandwidth(frame_.machine, links);
    flow.overhead = frame_.machine.links[at(links.front())].run_overhead;
    flow.together = flow.rate / static_cast<double>(links.size());
    for (const DeviceId d : frame_.devices)  // what is made where it lives does not move
        if (frame_.machine.devices[at(d)].memory == of.home) flow.bytes *= 1 - 1 / devices_;
    return flow;
}

Guess::Guess(const Plan& frame, const Problem& problem, const ScheduleOptions& options)
    : frame_(frame),
      p_(problem),
      least_piece_(static_cast<double>(options.piece)),
      devices_(static_cast<double>(frame.devices.size())),
      flops_(flops_of(problem)),
      triangle_(writes_triangle(problem.routine) ? 0.5 : 1),
      element_(static_cast<double>(bytes_of(problem.type))) {
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        if (is_read(problem, operand)) in_[at(operand)] = flow_of(operand, false);
    if (frame.goal.solves) {
        one_.machine = frame.machine;
        one_.queues = {{QueueKind::compute, frame.devices.front()}};
    }
    out_ = flow_of(operand::C, true);
    std::vector<LinkId> both = links_of(frame, out_.home, true);
    for (const LinkId link : links_of(frame, out_.home, false)) both.push_back(link);
    both_ = aggregate_bandwidth(frame.machine, both);
    const MemoryId first = frame.machine.devices[at(frame.devices.front())].memory;
    for (const DeviceId d : frame.devices)
        peers_ =
            peers_ || (frame.machine.devices[at(d)].memory != first &&
                       find_link(frame.machine, first, frame.machine.devices[at(d)].memory) >= 0);
}

Guess::Counts Guess::counts_of(const TaskTiles& t) const {
    Counts c;
    c.rows = parts(p_.m, t.rows), c.cols = parts(p_.n, t.cols), c.depth = parts(p_.k, t.depth);
    c.tasks = std::max(1.0, triangle_ * c.rows * c.cols);
    c.terms = std::max(1.0, flops_ / (flops_per_fma(p_.type) * static_cast<double>(t.rows) *
                                      static_cast<double>(t.cols) * static_cast<double>(t.depth)));
    const auto r = static_cast<double>(t.rows), w = static_cast<double>(t.cols),
               d = static_cast<double>(t.depth);
    c.tile_bytes = {r * d * element_, d * w * element_, r * w * element_};
    c.readers = {std::min(devices_, c.cols), std::min(devices_, c.rows), 1};
    const std::array<double, 3> column{p_.op_a == Op::NoTrans ? r : d,
                                       p_.op_b == Op::NoTrans ? d : w, r};
    for (std::size_t i = 0; i < 3; ++i) {
        c.tiles[i] = in_[i].bytes / c.tile_bytes[i];
        if (column[i] < in_[i].rows) c.more[i] = in_[i].overhead / (column[i] * element_);
        // Without links between devices each fetches what it needs from home.
        if (!peers_ && i < 2) c.tiles[i] *= c.readers[i];
    }
    return c;
}

/// All that moves, over the links of the home that has most to do.
double Guess::link_seconds(const Counts& c) const {
    double longest = 0;
    std::array<double, 3> bytes{};
    for (std::size_t i = 0; i < 3; ++i) bytes[i] = c.tiles[i] * c.tile_bytes[i] * (1 + c.more[i]);
    for (const Flow& flow : in_) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i)
            if (in_[i].home == flow.home) sum += bytes[i];
        if (flow.rate > 0) longest = std::max(longest, sum / flow.rate);
    }
    const double written = out_.bytes * (1 + c.more[2]);
    double around = written;
    for (std::size_t i = 0; i < 3; ++i)
        if (in_[i].home == out_.home) around += bytes[i];
    if (out_.rate > 0) longest = std::max(longest, written / out_.rate);
    if (both_ > 0) longest = std::max(longest, around / both_);
    return longest;
}

/// Of one term, on a device of middle speed.
double Guess::kernel_seconds(const TaskTiles& t) const {
    const auto r = static_cast<double>(t.rows), w = static_cast<double>(t.cols),
               d = static_cast<double>(t.depth);
    double rate = 0, launch = 0;
    for (const DeviceId id : frame_.devices) {
        const Device& device = frame_.machine.devices[at(id)];
        rate += kernel_rate(device, p_.type, r, w, d) / devices_;
        launch += device.launch / devices_;
    }
    return launch + flops_per_fma(p_.type) * r * w * d / rate;
}

/// To bring tiles to their readers.
double Guess::steps_for(double tiles, double bytes, double readers, double bandwidth) const {
    if (!peers_ || bandwidth <= 0) return tiles * readers;
    return tiles * readers *
           pieces_for(bytes, bandwidth, frame_.machine.issue, readers, least_piece_);
}

double Guess::steps_of(const Counts& c) const {
    double steps = c.terms + 3 * c.tasks;
    for (std::size_t i = 0; i < 2; ++i)
        steps += steps_for(c.tiles[i], c.tile_bytes[i], c.readers[i], in_[i].together);
    return steps;
}

double Guess::steps(const TaskTiles& tiles) const { return steps_of(counts_of(tiles)); }

/// Tasks, or chains of those that read each other's targets.
double Guess::chains_of(const Counts& c) const {
    if (!frame_.goal.solves) return c.tasks;
    return p_.side == Side::Left ? c.cols : c.rows;
}

/// Of the square at the diagonal, on the first device: slower than as many flops of products.
double Guess::solve_seconds(const TaskTiles& t) const {
    Problem square = p_;
    square.m = t.rows, square.n = t.cols, square.k = t.depth;
    Tasks tasks = tasks_of(square, t);
    one_.operands = std::move(tasks.operands);
    one_.goal = std::move(tasks.goal);
    one_.tiles = std::move(tasks.tiles);
    Step step = tasks.terms.front();
    step.queue = 0;
    return cost_of(one_, step).latency + cost_of(one_, step).seconds();
}

double Guess::seconds(const TaskTiles& tiles) const {
    const Counts c = counts_of(tiles);
    const double kernel = kernel_seconds(tiles);
    const double shared = chains_of(c);  // what is dealt to devices, each as a whole
    double in_each = c.terms / shared * kernel;
    if (frame_.goal.solves) in_each += c.tasks / shared * (solve_seconds(tiles) - kernel / 2);
    const double in_turn = std::ceil(shared / devices_) * in_each;
    // The first tasks are a square of tiles.
    const double down = std::min(c.rows, std::max(1.0, std::floor(std::sqrt(devices_))));
    const double across = std::min(c.cols, std::ceil(devices_ / down));
    double first = 0;
    if (in_[0].rate > 0) first += down * c.tile_bytes[0] * (1 + c.more[0]) / in_[0].rate;
    if (in_[1].rate > 0) first += across * c.tile_bytes[1] * (1 + c.more[1]) / in_[1].rate;
    const double last_write =
        out_.rate > 0 ? std::min(devices_, c.tasks) * c.tile_bytes[2] / out_.rate : 0;
    const double issue = steps_of(c) * frame_.machine.issue;  // one after the other
    return std::max({link_seconds(c) + kernel, first + in_turn, issue}) + last_write;
}

}  // namespace gemmill
