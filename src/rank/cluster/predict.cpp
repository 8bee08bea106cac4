// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gemmill/error.hpp"
#include "rank/program/emit/emit.hpp"

namespace gemmill {
namespace {

/// Messages of all ranks up to which all of them are put on the clock: some seconds and some
/// hundred MB.
constexpr double most_messages = 2e6;

struct Way {
    PaperBlocks blocks;
    int lookahead = 1;
};

class Predictor {
  public:
    Predictor(const Cluster& cluster, const ClusterCall& call)
        : call_(call), ranks_(call.grid_rows * call.grid_cols) {
        model_.cluster = cluster;
        model_.node = share_of_rank(cluster, load_machine(cluster.node), call.type);
        if (call.devices > 0) model_.node.devices = std::min(call.devices, model_.node.devices);
        model_.tiles = {call.type, call.tile};
        a_ = matrix(call.m, call.k), b_ = matrix(call.k, call.n);
        update_.type = call.type;
        update_.m = call.m, update_.n = call.n, update_.k = call.k;
        update_.c = matrix(call.m, call.n);
        update_.terms = {{{&a_}, {&b_}, {1, 0}}};
        update_.beta = {1, 0};
        blocks_ = paper_blocks(model_.node, model_.tiles, local(call.m, call.grid_rows),
                               local(call.n, call.grid_cols), call.k);
    }

    ClusterPrediction run() {
        const bool parsec = call_.policy == "parsec";
        require(parsec || call_.policy == "best", Code::bad_argument, "best or parsec",
                fmt::format("policy '{}'", call_.policy));
        if (parsec)
            try_parsec(call_.lookahead >= 0 ? call_.lookahead : (splits() ? 2 : 1));
        else
            try_all();
        require(found_, Code::out_of_memory, "smaller matrices or more nodes",
                fmt::format("a rank needs {:.0f} bytes of host memory and has {}", least_,
                            model_.node.host_memory));
        return std::move(best_);
    }

  private:
    index_t local(index_t size, int parts) const {
        return local_size(size, call_.tile, 0, 0, parts);
    }

    RankMatrix matrix(index_t rows, index_t cols) const {
        BlockCyclic x;
        x.rows = rows, x.cols = cols, x.row_block = x.col_block = call_.tile;
        x.grid_rows = call_.grid_rows, x.grid_cols = call_.grid_cols;
        return {Distribution(x, ranks_), {{nullptr, std::max<index_t>(1, rows)}}};
    }

    bool splits() const {
        return blocks_.rows < local(call_.m, call_.grid_rows) ||
               blocks_.cols < local(call_.n, call_.grid_cols);
    }

    PaperBlocks shorter(index_t part) const {
        PaperBlocks x = blocks_;
        x.depth = std::max(call_.tile, x.depth / part / call_.tile * call_.tile);
        return x;
    }

    /// The paper's d, or where host memory is short the first half of it that fits.
    void try_parsec(int lookahead) {
        for (index_t part = 1;
             !consider({shorter(part), lookahead}) && shorter(part).depth > call_.tile;)
            part *= 2;
    }

    /// The paper's way, and shorter stages, which begin earlier and take less host memory.
    void try_all() {
        for (const int lookahead : {1, 2}) {
            if (call_.lookahead >= 0 && call_.lookahead != lookahead) continue;
            try_parsec(lookahead);
            for (const index_t part : {2, 4, 16}) consider({shorter(part), lookahead});
        }
    }

    RankProgram program(const DistChoice& choice, int rank) const {
        return emit_program(update_, choice.work, choice.cut, rank, ranks_);
    }

    DistChoice choice_of(const Way& way) const {
        DistPolicy policy;
        policy.name = "parsec";
        policy.row_block = way.blocks.rows, policy.col_block = way.blocks.cols;
        policy.depth = way.blocks.depth, policy.lookahead = way.lookahead;
        return choose_work(update_, policy, {model_.node.peak, model_.cluster.injection}, ranks_);
    }

    /// Bytes of host memory that a rank's part of the matrices takes.
    double matrix_bytes() const {
        const auto m = static_cast<double>(call_.m), n = static_cast<double>(call_.n),
                   k = static_cast<double>(call_.k);
        return static_cast<double>(bytes_of(call_.type)) * (m * k + k * n + m * n) / ranks_;
    }

    /// Keeps it where it is the fastest so far; returns whether it fits into host memory.
    bool consider(const Way& way) {
        ClusterPrediction x;
        const auto begin = std::chrono::steady_clock::now();
        const DistChoice choice = choice_of(way);
        const RankProgram first = program(choice, 0);
        x.plan_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        x.plan_bytes = own_bytes(first), x.arena_bytes = first.arena_bytes;
        const double needed = matrix_bytes() + static_cast<double>(x.arena_bytes);
        least_ = least_ == 0 ? needed : std::min(least_, needed);
        if (needed > static_cast<double>(model_.node.host_memory)) return false;
        describe(way, choice, x);
        x.stages = static_cast<index_t>(first.stages.size());
        run_ranks(choice, first, x);
        count_loads(script_of(first), x);
        if (found_ && x.times.seconds >= best_.times.seconds) return true;
        found_ = true;
        best_ = std::move(x);
        return true;
    }

    void describe(const Way& way, const DistChoice& choice, ClusterPrediction& x) const {
        x.lookahead = way.lookahead;
        x.row_block = way.blocks.rows, x.col_block = way.blocks.cols, x.depth = way.blocks.depth;
        x.work = choice.work.name;
        x.paper_case = way.blocks.all_fits ? "a" : splits() ? "c2" : "c1";
    }

    void run_ranks(const DistChoice& choice, const RankProgram& first, ClusterPrediction& x) const {
        x.all_ranks = static_cast<double>(first.fetches.size()) * ranks_ <= most_messages;
        if (!x.all_ranks) {
            x.times = run_in_step(model_, script_of(first), 0, ranks_);
            x.times.sent *= ranks_, x.times.network *= ranks_;
            return;
        }
        std::vector<RankScript> scripts;
        for (int rank = 0; rank < ranks_; ++rank)
            scripts.push_back(script_of(rank == 0 ? first : program(choice, rank)));
        x.times = run_on_clock(model_, scripts);
    }

    void count_loads(const RankScript& script, ClusterPrediction& x) const {
        StageLoads all;
        for (const StageShape& stage : script.stages) {
            const StageLoads one = loads_of(model_.node, model_.tiles, stage);
            all.from_host += one.from_host, all.from_peers += one.from_peers, all.of_c += one.of_c;
        }
        x.device_loads = all.from_host + all.from_peers + all.of_c;
        x.peer_share = x.device_loads > 0 ? all.from_peers / x.device_loads : 0;
        x.loads_of_model = equation_1(x);
    }

    /// Cases a and c; b is a neighbour of c that the paper never met.
    double equation_1(const ClusterPrediction& x) const {
        const auto m = static_cast<double>(call_.m), n = static_cast<double>(call_.n),
                   k = static_cast<double>(call_.k);
        const double p = call_.grid_rows, q = call_.grid_cols, g = model_.node.devices;
        const double again_a = n / (static_cast<double>(x.col_block) * q);
        const double again_b = m / (static_cast<double>(x.row_block) * p);
        return std::max(1.0, again_a) * m * k / p + std::max(1.0, again_b) * k * n / (q * g) +
               m * n / (p * q * g);
    }

    const ClusterCall& call_;
    int ranks_;
    ClusterModel model_;
    RankMatrix a_, b_;
    DistUpdate update_;
    PaperBlocks blocks_;
    bool found_ = false;
    double least_ = 0;
    ClusterPrediction best_;
};

void require_sound(const Cluster& cluster, const ClusterCall& call) {
    require(call.m > 0 && call.n > 0 && call.k > 0 && call.tile > 0, Code::bad_argument,
            "sizes above 0", "m, n, k, tile");
    require(call.grid_rows > 0 && call.grid_cols > 0, Code::bad_argument, "PxQ", "the grid");
    const index_t places = index_t{call.grid_rows} * call.grid_cols;
    const index_t ranks = index_t{cluster.nodes} * cluster.ranks;
    require(places <= ranks, Code::bad_argument, "P Q <= nodes x ranks of a node",
            fmt::format("a grid of {} places for {} ranks", places, ranks));
}

}  // namespace

ClusterPrediction predict_call(const Cluster& cluster, const ClusterCall& call) {
    require_sound(cluster, call);
    return Predictor(cluster, call).run();
}

}  // namespace gemmill
