// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gemmill/error.hpp"
#include "rank/message/patience.hpp"
#include "rank/message/watch.hpp"
#include "rank/program/walk/copies.hpp"
#include "rank/program/walk/elements.hpp"
#include "rank/program/walk/products.hpp"
#include "rank/program/walk/shared.hpp"

namespace gemmill {
namespace {

class Walker {
  public:
    Walker(Transport& transport, const RankProgram& program, const DistUpdate& update,
           const LocalKernels& kernels, const Arenas& arenas)
        : transport_(transport),
          program_(program),
          update_(update),
          kernels_(kernels),
          arenas_(arenas),
          copies_(update.type, kernels),
          shared_(transport, program,
                  [this](const auto& holds, const auto& awaited) { wait(holds, awaited); }),
          device_(transport, program, kernels, shared_),
          products_(program, update, kernels, shared_, device_, arenas.host.get()),
          missing_(program.fetches.size()) {
        for (std::size_t i = 0; i < missing_.size(); ++i) missing_[i] = program.fetches[i].bytes;
    }

    RankSeconds run() {
        try {
            shared_.open();
            device_.open();
            products_.open();
            for (const RankStep& step : program_.steps) perform(step);
            finish();
            shared_.close();
            if (!program_.direct && !writes()) bring_sums();
            return seconds_;
        } catch (const Error&) {
            transport_.give_up(std::make_shared<Arenas>(arenas_));
            throw;
        }
    }

  private:
    /// Bytes of a fetch that are under way, from or to another rank.
    struct Pending {
        Transport::Request request;
        int fetch;
        int to;
        std::int64_t first, bytes;
    };

    void perform(const RankStep& step) {
        switch (step.op) {
            case RankOp::receive:
                return receive(step.index);
            case RankOp::send:
                return send(step.index);
            case RankOp::keep:
                return keep(step.index);
            case RankOp::await:
                return shared_.await_sources(step.index);
            case RankOp::unpack:
                return unpack(step.index);
            case RankOp::mask:
                return mask(stage(step.index));
            case RankOp::clear:
                finish();
                return products_.sums().clear();
            case RankOp::product:
                return product(step.index);
            case RankOp::write:
                return write(block(step.index));
            case RankOp::drain:
                return drain(step.index);
        }
    }

    const Stage& stage(int index) const { return program_.stages[static_cast<std::size_t>(index)]; }
    const CBlock& block(int index) const {
        return program_.blocks[static_cast<std::size_t>(index)];
    }
    const Fetch& fetch(int index) const {
        return program_.fetches[static_cast<std::size_t>(index)];
    }
    const DistFactor& factor(const Stage& x, int operand) const {
        return factor_of(update_, x.term, operand);
    }
    bool writes() const {
        return std::ranges::any_of(program_.steps,
                                   [](const RankStep& x) { return x.op == RankOp::write; });
    }
    std::byte* at(std::int64_t offset) const { return arenas_.host.get() + offset; }

    void receive(int index) {
        const Fetch& x = fetch(index);
        for (std::int64_t first = 0; first < x.bytes; first += x.piece) {
            const std::int64_t bytes = std::min(x.piece, x.bytes - first);
            receives_.push_back({transport_.receive(x.from, x.tag, at(x.offset + first), bytes),
                                 index, -1, first, bytes});
        }
    }

    void send(int index) {
        const Watch watch(seconds_.copying);
        const Fetch& x = fetch(index);
        const RankMatrix& from = *factor(stage(x.stage), x.operand).matrix;
        if (goes_from_device(x))
            kernels_.memory.copy(packed(x), from.device.front().data + first_byte(x, from),
                                 x.bytes);
        else
            copies_.pack(x.box, from.at.front(), at(x.offset));
        for (std::int64_t first = 0; first < x.bytes; first += x.piece)
            pass_on(index, first, std::min(x.piece, x.bytes - first));
        progress();
    }

    bool goes_from_device(const Fetch& x) const {
        return arenas_.device && x.from == transport_.rank() &&
               is_sent_from_device(update_, program_, x);
    }
    /// Where the bytes of a message lie.
    std::byte* packed(const Fetch& x) const {
        return goes_from_device(x) ? arenas_.device.get() + x.offset : at(x.offset);
    }
    std::int64_t first_byte(const Fetch& x, const RankMatrix& from) const {
        const index_t ld = from.device.front().ld;
        return (x.box.rows.front().from + x.box.cols.front().from * ld) * bytes_of(update_.type);
    }

    void pass_on(int index, std::int64_t first, std::int64_t bytes) {
        const Fetch& x = fetch(index);
        for (const int to : x.to)
            sends_.push_back(
                {transport_.send(to, x.tag, packed(x) + first, bytes), index, to, first, bytes});
    }

    /// Takes note of what has come and gone.
    bool progress() {
        products_.look();
        shared_.tell_done(products_.last_read());
        const auto gone =
            std::erase_if(sends_, [&](const Pending& x) { return transport_.is_done(x.request); });
        // Pieces are passed on in their order, which alone tells one from another.
        int waiting = -1;
        const auto came = std::erase_if(receives_, [&](const Pending& x) {
            if (x.fetch == waiting) return false;
            if (!transport_.is_done(x.request)) {
                waiting = x.fetch;
                return false;
            }
            missing_[static_cast<std::size_t>(x.fetch)] -= x.bytes;
            pass_on(x.fetch, x.first, x.bytes);
            return true;
        });
        return gone + came > 0;
    }

    void keep(int index) {
        const Stage& x = stage(index);
        shared_.await_readers(index);
        const Watch watch(seconds_.copying);
        if (program_.on_device)
            put_on_device(index);
        else
            for (const Placement& one : x.placements)
                copies_.put(one.box, source(x, one.operand), place(index, one));
        shared_.tell_placed(index);
        for (int operand = 0; operand < 2; ++operand) {
            const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
            if (!panel.at_home && !panel.own.is_empty())
                copies_.put(panel.own, source(x, operand), address(panel));
        }
    }
    void put_on_device(int index) const {
        const Stage& x = stage(index);
        std::vector<BlockCopy> blocks;
        for (const Placement& one : x.placements)
            copies_.add_blocks(one.box, source(x, one.operand), place(index, one), blocks);
        kernels_.memory.upload(blocks);
    }
    /// A factor as the user has it in host memory.
    const Address& source(const Stage& x, int operand) const {
        return factor(x, operand).matrix->at.front();
    }
    Address place(int index, const Placement& x) const {
        return {shared_.panel(index, x.operand, x.group), x.ld};
    }
    Address address(const Panel& panel) const { return {at(panel.offset), panel.ld}; }

    void unpack(int index) {
        const Fetch& x = fetch(index);
        wait([&] { return missing_[static_cast<std::size_t>(index)] == 0; },
             [&] { return fmt::format("rank {} sent nothing of {}", x.from, "AB"[x.operand]); });
        const Watch watch(seconds_.copying);
        copies_.unpack(x.box, at(x.offset),
                       address(stage(x.stage).panels[static_cast<std::size_t>(x.operand)]));
    }

    void drain(int stage_index) {
        wait_for_device([&] { return !products_.reads(stage_index); });
        shared_.tell_done(stage_index);
        shared_.await_readers_of(stage_index);
        const auto waiting = [&](const Pending& x) { return fetch(x.fetch).stage == stage_index; };
        wait([&] { return std::ranges::none_of(sends_, waiting); },
             [&] {
                 return fmt::format("rank {} took nothing",
                                    std::ranges::find_if(sends_, waiting)->to);
             });
    }

    /// Messages come and are passed on meanwhile.
    void wait(const std::function<bool()>& holds, const std::function<std::string()>& awaited) {
        const Watch watch(seconds_.waiting);
        wait_until(
            transport_, holds, [&] { return progress(); }, awaited);
    }

    void mask(const Stage& x) {
        for (int operand = 0; operand < 2; ++operand) {
            const Panel& panel = x.panels[static_cast<std::size_t>(operand)];
            if (factor(x, operand).fill != Fill::all && panel.rows > 0)
                mask_panel(update_.type, factor(x, operand), panel, at(panel.offset));
        }
    }

    /// Messages come and are passed on while a device computes.
    void wait_for_device(const std::function<bool()>& holds) {
        const Watch watch(seconds_.computing);
        for (progress(); !holds();)
            if (!progress()) transport_.pause();
    }
    void finish() {
        wait_for_device([&] { return products_.are_done(); });
    }

    void product(int index) {
        wait_for_device([&] { return products_.has_room(index); });
        const Watch watch(seconds_.computing);
        const bool quiet = sends_.empty() && receives_.empty();
        products_.make(
            index, [&] { progress(); }, quiet);
    }

    /// What is made is written while a device makes the rest.
    void write(const CBlock& block) {
        index_t written = 0, made = 0;
        do {
            wait_for_device([&] {
                made = products_.columns_made(block);
                return made > written || products_.are_done();
            });
            const Watch watch(seconds_.writing);
            products_.sums().write(block, written, made - written);
            written = made;
        } while (written < total(block.cols));
    }
    void bring_sums() {
        const Watch watch(seconds_.writing);
        products_.sums().bring();
    }

    Transport& transport_;
    const RankProgram& program_;
    const DistUpdate& update_;
    const LocalKernels& kernels_;
    Arenas arenas_;
    BoxCopies copies_;
    SharedPanels shared_;
    SharedDevice device_;
    RankProducts products_;
    RankSeconds seconds_;
    std::vector<std::int64_t> missing_;  // bytes, by fetch
    std::vector<Pending> sends_, receives_;
};

}  // namespace

Arena make_arena(std::int64_t bytes) {
    return std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

RankSeconds run_program(Transport& transport, const RankProgram& program, const DistUpdate& update,
                        const LocalKernels& kernels, const Arenas& arenas) {
    return Walker(transport, program, update, kernels, arenas).run();
}

}  // namespace gemmill
