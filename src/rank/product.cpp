// SPDX-License-Identifier: Apache-2.0
#include "rank/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "gemmill/error.hpp"
#include "rank/message/watch.hpp"
#include "rank/program/emit/emit.hpp"
#include "rank/program/walk/elements.hpp"

namespace gemmill {
namespace {

/// The sums that a rank makes, as a holding.
std::vector<Holding> made_by(const Work& work, int rank) {
    const WorkOfRank& share = work.of_rank[static_cast<std::size_t>(rank)];
    if (share.row < 0 || work.depths[static_cast<std::size_t>(share.depth)].empty()) return {};
    return {{packed(work.rows[static_cast<std::size_t>(share.row)]),
             packed(work.cols[static_cast<std::size_t>(share.col)]), 0}};
}

/// What a rank stores of C, one behind the other.
std::vector<Holding> packed_c(const Distribution& c, int rank) {
    std::vector<Holding> holdings = c.holdings_of(rank);
    for (Holding& x : holdings) x.rows = packed(x.rows), x.cols = packed(x.cols);
    return holdings;
}

Exchange reduction_of(const DistUpdate& update, const Work& work, int rank, int ranks) {
    return exchange_of({[&](int r) { return made_by(work, r); },
                        [&](int r) { return packed_c(update.c.distribution, r); },
                        [](int, int) { return true; }, Op::NoTrans, update.type},
                       rank, ranks);
}

CBlock whole_c(const DistUpdate& update, int rank) {
    const auto holdings = update.c.distribution.holdings_of(rank);
    return holdings.empty() ? CBlock{} : CBlock{holdings.front().rows, holdings.front().cols};
}

Address home_of_c(const DistUpdate& update) {
    return update.c.at.empty() ? Address{} : update.c.at.front();
}

/// Adds what came in the order of k, so that the result does not depend on who was fast.
void add_up(const PreparedUpdate& x, std::vector<Arrived> arrived, const Address& sums) {
    const Work& work = x.choice.work;
    const auto place = [&](const Arrived& one) {
        return work.of_rank[static_cast<std::size_t>(one.message->peer)].depth % work.layers;
    };
    std::erase_if(arrived, [](const Arrived& one) { return one.message->bytes == 0; });
    std::ranges::sort(
        arrived, {}, [&](const Arrived& one) { return std::tuple(place(one), one.message->peer); });
    for (const Arrived& one : arrived) {
        const std::byte* bytes = one.bytes;
        const Scalar keep{place(one) == place(arrived.front()) ? 0.0 : 1.0, 0};
        for (const Parcel& parcel : one.message->parcels) {
            add_box(x.update.type, parcel.box, bytes, sums, keep);
            bytes += parcel.box.elements() * bytes_of(x.update.type);
        }
    }
}

void reduce(Transport& transport, PreparedUpdate& x) {
    const CBlock c = whole_c(x.update, transport.rank());
    const index_t ld = std::max<index_t>(1, total(c.rows));
    const Address made{x.arena.get(), x.program.sums_ld};
    run_exchange(transport, x.update.type, x.reduction, x.messages, {made},
                 [&](const std::vector<Arrived>& arrived) {
                     add_up(x, arrived, {x.sums.get(), ld});
                 });
    write_block(x.update, c, x.sums.get(), ld, home_of_c(x.update));
}

}  // namespace

std::int64_t PreparedUpdate::memory_bytes() const {
    return program.arena_bytes + reduction.buffer_bytes() + sums_bytes;
}

PreparedUpdate prepare_update(const DistUpdate& update, const DistPolicy& policy,
                              const RankRates& rates, int rank, int ranks,
                              const ProgramMemory& memory) {
    PreparedUpdate x;
    x.update = update;
    if (update.terms.empty()) return x;
    x.choice = choose_work(update, policy, rates, ranks);
    x.program = emit_program(update, x.choice.work, x.choice.cut, rank, ranks);
    if (!x.choice.work.in_place) {
        x.reduction = reduction_of(update, x.choice.work, rank, ranks);
        const CBlock c = whole_c(update, rank);
        x.sums_bytes = total(c.rows) * total(c.cols) * bytes_of(update.type);
    }
    const std::int64_t needed = x.memory_bytes();
    require(policy.memory == 0 || needed <= policy.memory, Code::out_of_memory,
            "a larger rank_memory",
            fmt::format("the product needs {} bytes, {} more than rank_memory allows", needed,
                        needed - policy.memory));
    x.arena = memory.host(x.program.arena_bytes);
    if (x.program.on_device) memory.device(x.program.device_bytes());
    x.sums = make_arena(x.sums_bytes);
    x.messages = memory_for(x.reduction);
    return x;
}

void prepare_device(PreparedUpdate& x, const DeviceMemory& memory, int rank) {
    const auto is_from_device = [&](const Fetch& fetch) {
        return fetch.from == rank && is_sent_from_device(x.update, x.program, fetch);
    };
    if (memory.messages && std::ranges::any_of(x.program.fetches, is_from_device))
        x.device = memory.messages(x.program.arena_bytes);
}

bool reads(const PreparedUpdate& x, const RankMatrix& factor, int rank) {
    const RankProgram& program = x.program;
    const auto is_factor = [&](int term, int operand) {
        return factor_of(x.update, term, operand).matrix == &factor;
    };
    for (const Stage& stage : program.stages) {
        for (const Placement& one : stage.placements)
            if (is_factor(stage.term, one.operand)) return true;
        for (int operand = 0; operand < 2; ++operand) {
            const Panel& panel = stage.panels[static_cast<std::size_t>(operand)];
            if (!panel.at_home && !panel.own.is_empty() && is_factor(stage.term, operand))
                return true;
        }
    }
    return std::ranges::any_of(program.fetches, [&](const Fetch& fetch) {
        const Stage& stage = program.stages[static_cast<std::size_t>(fetch.stage)];
        const bool on_device = x.device && is_sent_from_device(x.update, program, fetch);
        return fetch.from == rank && is_factor(stage.term, fetch.operand) && !on_device;
    });
}

RankSeconds run_update(Transport& transport, PreparedUpdate& x, const LocalKernels& kernels) {
    if (x.update.terms.empty()) {
        write_block(x.update, whole_c(x.update, transport.rank()), nullptr, 1, home_of_c(x.update));
        return {};
    }
    RankSeconds seconds = run_program(transport, x.program, x.update, kernels, {x.arena, x.device});
    if (x.choice.work.in_place) return seconds;
    {
        const Watch watch(seconds.writing);
        reduce(transport, x);
    }
    return seconds;
}

}  // namespace gemmill
