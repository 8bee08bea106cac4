// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/guess.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "machine/grain.hpp"
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

}  // namespace

/// Links between a memory and those of the plan's devices.
std::vector<LinkId> Guess::links_of(MemoryId memory, bool leaves_memory) const {
    const Machine& machine = frame_.machine;
    std::vector<LinkId> links;
    for (const DeviceId d : on_) {
        const MemoryId own = machine.devices[at(d)].memory;
        const LinkId link = own == memory   ? -1
                            : leaves_memory ? find_link(machine, memory, own)
                                            : find_link(machine, own, memory);
        if (link >= 0) links.push_back(link);
    }
    return links;
}

/// Tiles of one choice of sizes.
struct Guess::Counts {
    double rows = 0, cols = 0, depth = 0;  // tiles along each
    double tasks = 0, terms = 0;
    std::array<double, 3> tile_bytes{}, tiles{}, readers{};
    std::array<double, 3> more{};  // bytes with overhead, for each byte
    double block = 0;              // sums that are made together
    bool together = false;         // as TaskTiles has it
};

Guess::Flow Guess::flow_of(OperandId operand, bool leaves) const {
    const Operand& of = frame_.operands[at(operand)];
    Flow flow;
    flow.home = of.home;
    flow.rows = static_cast<double>(of.rows);
    const std::vector<LinkId> links = links_of(of.home, !leaves);
    if (links.empty()) return flow;
    flow.bytes = static_cast<double>(needed_bytes(p_, operand));
    flow.rate = aggregate_bandwidth(frame_.machine, links);
    flow.overhead = frame_.machine.links[at(links.front())].run_overhead;
    flow.together = flow.rate / static_cast<double>(links.size());
    for (const DeviceId d : on_)  // what is made where it lives does not move
        if (frame_.machine.devices[at(d)].memory == of.home) flow.bytes *= 1 - 1 / devices_;
    return flow;
}

Guess::Guess(const Plan& frame, std::span<const DeviceId> devices, const Problem& problem,
             const ScheduleOptions& options)
    : frame_(frame),
      on_(devices),
      p_(problem),
      least_piece_(static_cast<double>(options.piece)),
      devices_(static_cast<double>(on_.size())),
      flops_(flops_of(problem)),
      triangle_(writes_triangle(problem.routine) ? 0.5 : 1),
      element_(static_cast<double>(bytes_of(problem.type))),
      grain_(grain_of(frame.machine)),
      odd_(problem.m % grain_ != 0 || problem.n % grain_ != 0 || problem.k % grain_ != 0) {
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        if (is_read(problem, operand)) in_[at(operand)] = flow_of(operand, false);
    if (frame.goal.solves || triangle_ < 1) {
        one_.machine = frame.machine;
        one_.queues = {{QueueKind::compute, on_.front()}};
    }
    out_ = flow_of(operand::C, true);
    if (!frame.limit.empty())
        room_ = static_cast<double>(frame.limit[at(frame.machine.devices[at(on_.front())].memory)]);
    std::vector<LinkId> both = links_of(out_.home, true);
    for (const LinkId link : links_of(out_.home, false)) both.push_back(link);
    both_ = aggregate_bandwidth(frame.machine, both);
    const MemoryId first = memory_of(on_.front());
    for (const DeviceId d : on_)
        peers_ =
            peers_ || (frame.machine.devices[at(d)].memory != first &&
                       find_link(frame.machine, first, frame.machine.devices[at(d)].memory) >= 0);
}

/// Of all links between the devices; 0 where one is missing.
double Guess::spread_rate() const {
    std::vector<LinkId> links;
    for (const DeviceId from : on_)
        for (const DeviceId to : on_) {
            if (from == to) continue;
            links.push_back(find_link(frame_.machine, memory_of(from), memory_of(to)));
            if (links.back() < 0) return 0;
        }
    return aggregate_bandwidth(frame_.machine, links);
}

bool Guess::can_spread() const {
    const double bytes = in_[0].bytes + (is_rank_2(p_.routine) ? in_[1].bytes : 0);
    const auto has_it = [&](DeviceId d) { return memory_of(d) == in_[0].home; };
    return in_[0].rate > 0 && spread_rate() >= (devices_ - 1) * in_[0].rate &&
           std::ranges::none_of(on_, has_it) && (room_ <= 0 || 2 * bytes <= room_);
}

/// Mean sizes of targets: along a triangle the diagonal cuts into what is taller than wide.
TaskTiles Guess::targets_of(const TaskTiles& t) const {
    TaskTiles target = t;
    if (triangle_ < 1 && t.rows > t.cols) target.rows -= t.rows * t.rows / (2 * p_.m);
    return target;
}

/// Tiles of A, B and C as they are stored and as they move.
std::array<Shape, 3> Guess::shapes_of(const TaskTiles& t) const {
    const auto turned = [](Op op, index_t rows, index_t cols) {
        return op == Op::NoTrans ? Shape{rows, cols} : Shape{cols, rows};
    };
    const bool left = p_.side == Side::Left;
    std::array<Shape, 3> shapes{turned(p_.op_a, t.rows, t.depth), turned(p_.op_b, t.depth, t.cols),
                                Shape{targets_of(t).rows, t.cols}};
    if (reads_triangle(p_.routine)) shapes[0] = {t.depth, t.depth};
    if (t.together) shapes[0] = {triangle_ < 1 ? p_.m : (p_.k + t.depth + 1) / 2, t.depth};
    if (is_rank_2(p_.routine)) shapes[1] = shapes[0];
    if (mirrors(p_.routine)) shapes[1] = left ? Shape{t.depth, t.cols} : Shape{t.rows, t.depth};
    return shapes;
}

/// Sums of a block that a device makes together, as room.cpp has it; 0: there are no blocks, for
/// there is room for all inputs, or for what all columns or all rows of targets read.
double Guess::block_of(const TaskTiles& t) const {
    if (devices_ > 1 || is_in_place(p_.routine) || room_ <= 0) return 0;
    const auto r = static_cast<double>(t.rows), w = static_cast<double>(t.cols),
               d = static_cast<double>(t.depth), k = static_cast<double>(p_.k);
    const double sum = r * w * element_, few = 3 * sum;
    const double room = in_[2].rate > 0 ? room_ - 2 * sum : room_;  // two old targets
    const double left = in_[turned() ? 1 : 0].bytes, right = in_[turned() ? 0 : 1].bytes;
    const double line = std::min(left + 2 * k * w * element_, right + 2 * k * r * element_);
    if ((triangle_ < 1 ? left + right : std::min(left + right, line)) + few <= room) return 0;
    const auto most = [&](double within) {
        const double input = std::max(r, w) * d * element_;
        double sums = std::floor(within / sum);
        while (sums > 1 && sums * sum + 4 * std::ceil(std::sqrt(sums)) * input > within) --sums;
        return sums < 3 ? 1 : sums;
    };
    return std::max(most(room), most(room) > 1 ? 1 : most(room_));
}

/// How often A and B come to a device: once for each block of targets that reads them.
std::array<double, 2> Guess::times_of(const TaskTiles& t, const Counts& c) const {
    if (c.block == 0 || c.block >= c.tasks) return {1, 1};
    const auto r = static_cast<double>(t.rows), w = static_cast<double>(t.cols);
    const double edge = std::sqrt(c.block * r * w);
    double across = std::max(1.0, static_cast<double>(p_.n) / edge),
           down = std::max(1.0, static_cast<double>(p_.m) / edge);
    if (triangle_ < 1) {  // whole panels, of those beside a block as well
        const double read = std::min(c.rows, std::ceil(edge / r) + std::max(1.0, edge / r));
        across = down = std::max(1.0, c.tasks / c.block * read / c.rows);
    }
    return turned() ? std::array{down, across} : std::array{across, down};
}

Guess::Counts Guess::counts_of(const TaskTiles& t, index_t grain) const {
    Counts c;
    c.together = t.together;
    const TaskTiles target = targets_of(t);
    c.rows = parts(p_.m, t.rows), c.cols = parts(p_.n, t.cols), c.depth = parts(p_.k, t.depth);
    c.tasks = std::max(1.0, triangle_ * c.rows * c.cols);
    if (triangle_ < 1 && t.rows > t.cols) c.tasks += 1.5 * c.cols;  // squares, and cut panels
    c.terms = std::max(
        1.0, flops_ / (flops_per_fma(p_.type) * static_cast<double>(target.rows) *
                       static_cast<double>(target.cols) * static_cast<double>(target.depth)));
    c.readers = {std::min(devices_, c.cols), std::min(devices_, c.rows), 1};
    if (c.together && triangle_ < 1) c.readers[0] = std::min(devices_, c.tasks);
    const std::array<Shape, 3> shapes = shapes_of(t);
    c.block = block_of(t);
    const std::array<double, 2> times = times_of(t, c);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto [rows, cols] = shapes[i];
        const auto length = static_cast<double>(rows);
        c.tile_bytes[i] = length * static_cast<double>(cols) * element_;
        c.tiles[i] = in_[i].bytes / c.tile_bytes[i];
        const Flow& flow = i < 2 ? in_[i] : out_;
        const bool whole = length >= flow.rows && rows % grain == 0;
        if (!whole) c.more[i] = flow.overhead / (length * element_);
        if (i < 2) c.tiles[i] *= times[i];
        // Without links between devices each fetches what it needs from home.
        if (!peers_ && i < 2) c.tiles[i] *= c.readers[i];
    }
    return c;
}

/// Until so many tiles of what comes together are there: on all devices, which pass it on as fast.
double Guess::spread_seconds(const Counts& c, double tiles) const {
    const double factors = is_rank_2(p_.routine) ? 2 : 1;
    return factors * tiles * c.tile_bytes[0] * (1 + c.more[0]) / in_[0].rate;
}

/// All of what comes together. No target of a rank update ends before: then C comes and goes.
double Guess::together_seconds(const Counts& c) const {
    const double all = spread_seconds(c, c.tiles[0]);
    if (frame_.goal.solves || in_[2].home != out_.home || both_ <= 0) return all;
    return all + (in_[2].bytes + out_.bytes) * (1 + c.more[2]) / both_;
}

/// Until there are the tiles of the first tasks, a square of them, or the first that come together.
double Guess::first_seconds(const Counts& c) const {
    const double down = std::min(c.rows, std::max(1.0, std::floor(std::sqrt(devices_))));
    const double across = std::min(c.cols, std::ceil(devices_ / down));
    const auto seconds = [&](std::size_t i, double tiles) {
        return in_[i].rate > 0 ? tiles * c.tile_bytes[i] * (1 + c.more[i]) / in_[i].rate : 0;
    };
    if (!c.together) return seconds(0, down) + seconds(1, across);
    const double longest = frame_.goal.solves ? 2 : 1;  // over the mean
    return spread_seconds(c, longest) + (is_rank_2(p_.routine) ? 0 : seconds(1, across));
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
    if (c.together) longest = std::max(longest, together_seconds(c));
    return longest;
}

/// What is left of the rate of a device where nothing is padded. Tiles are of even sizes but for
/// the last ones.
double Guess::part_without_padding(const TaskTiles& t, const Device& device) const {
    const index_t grain = grain_of(frame_.machine, device);
    double even = 1;  // of all terms
    index_t common = grain;
    for (const auto& [whole, size] :
         {std::pair{p_.m, t.rows}, std::pair{p_.n, t.cols}, std::pair{p_.k, t.depth}}) {
        if (whole % grain != 0) even *= 1 - 1 / parts(whole, size);
        common = std::gcd(common, whole);
    }
    const double edge = std::sqrt(static_cast<double>(t.rows) * static_cast<double>(t.cols));
    const double odd = odd_part(frame_.machine, device, {p_.type, p_.op_a, p_.op_b, edge, common});
    return 1 / (even + (1 - even) / odd);
}

/// Of one term, on a device of middle speed.
double Guess::kernel_seconds(const TaskTiles& tiles, index_t grain) const {
    const TaskTiles t = targets_of(tiles);
    const auto r = static_cast<double>(t.rows), w = static_cast<double>(t.cols),
               d = static_cast<double>(t.depth);
    double rate = 0, launch = 0;
    for (const DeviceId id : on_) {
        const Device& device = frame_.machine.devices[at(id)];
        const double part = grain == 1 ? part_without_padding(t, device) : 1;
        rate += part * kernel_rate(device, p_.type, r, w, d) / devices_;
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

double Guess::steps(const TaskTiles& tiles) const { return steps_of(counts_of(tiles, 1)); }

Guess::Padded Guess::padded(const TaskTiles& tiles) const {
    const Padded plain{1, seconds(tiles)};
    if (!odd_) return plain;
    const Padded even{grain_, seconds(tiles, grain_)};
    return even.seconds < plain.seconds ? even : plain;
}

/// Tasks, or chains of those that read each other's targets.
double Guess::chains_of(const Counts& c) const {
    if (!frame_.goal.solves) return c.tasks;
    return p_.side == Side::Left ? c.cols : c.rows;
}

/// Of one term of the square at the diagonal, on the first device: slower than as many flops of
/// products.
double Guess::square_seconds(const TaskTiles& t) const {
    Problem square = p_;
    square.m = frame_.goal.solves ? t.rows : t.cols, square.n = t.cols, square.k = t.depth;
    double& known = squares_[{square.m, square.n, square.k}];
    if (known > 0) return known;
    Tasks tasks = tasks_of(square, {square.m, square.n, square.k});
    one_.operands = std::move(tasks.operands);
    one_.goal = std::move(tasks.goal);
    one_.tiles = std::move(tasks.tiles);
    Step step = tasks.terms.front();
    step.queue = 0;
    return known = cost_of(one_, step).latency + cost_of(one_, step).seconds();
}

double Guess::seconds(const TaskTiles& tiles, index_t grain) const {
    const Counts c = counts_of(tiles, grain);
    const double kernel = kernel_seconds(tiles, grain);
    const double shared = chains_of(c);  // what is dealt to devices, each as a whole
    double in_each = c.terms / shared * kernel;
    if (frame_.goal.solves) in_each += c.tasks / shared * (square_seconds(tiles) - kernel / 2);
    if (triangle_ < 1) in_each += c.cols * c.depth / shared * square_seconds(tiles);
    double in_turn = std::ceil(shared / devices_) * in_each;
    if (c.together && triangle_ < 1) {  // of many sizes: one of the largest may be last
        const double largest =
            static_cast<double>(tiles.rows) / static_cast<double>(targets_of(tiles).rows);
        in_turn = (shared / devices_ + largest / 2) * in_each;
    }
    const double last_write =
        out_.rate > 0 ? std::min(devices_, c.tasks) * c.tile_bytes[2] / out_.rate : 0;
    const double issue = steps_of(c) * frame_.machine.issue;  // one after the other
    // A block begins when the one before is written.
    const double writes =
        c.block > 0 && out_.rate > 0 ? out_.bytes * (1 + c.more[2]) / out_.rate : 0;
    return std::max({link_seconds(c) + kernel, first_seconds(c) + in_turn, issue}) +
           std::max(writes, last_write);
}

}  // namespace gemmill
