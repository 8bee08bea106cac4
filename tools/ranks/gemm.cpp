// SPDX-License-Identifier: Apache-2.0
// mpirun -n 6 gemmill gemm --grid 2x3: one distributed product, and a report from rank 0.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "check/verify.hpp"
#include "gemmill/error.hpp"
#include "rank/bound/bound.hpp"
#include "ranks/common.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  mpirun -n 6 gemmill gemm --grid 2x3 --block 256 --m 4000 --check\n"
    "  mpirun -n 4 gemmill gemm --grid 2x2 --m 200 --n 4000 --k 8000 --json\n"
    "  mpirun -n 4 gemmill gemm --grid 2x2 --m 6000 --policy parsec --memory 64MiB --check\n"
    "\n--check brings all matrices to rank 0 and compares there.";

struct RankGemmFlags {
    std::string grid, type = "d", trans = "nn", policy, memory;
    index_t block = 256, m = 1000, n = 0, k = 0, depth = 0, row_block = 0, col_block = 0;
    int lookahead = -1, repeat = 1;
    bool check = false, json = false, messages = false;
};

/// Where the seconds of a rank went, as RankReport has them.
struct RankTimes {
    double copying = 0, waiting = 0, computing = 0, writing = 0;
};

struct RankRun {
    RankReport report;
    double seconds = 0;
    std::int64_t net_bytes = 0, memory = 0;
    std::vector<RankTimes> times;  // by rank; only rank 0 has them
    Verdict verdict;
};

Op op_of(char letter) {
    const char upper = static_cast<char>(letter & ~0x20);
    require(upper == 'N' || upper == 'T' || upper == 'C', Code::bad_argument, "n, t or c",
            fmt::format("--trans: '{}'", letter));
    return static_cast<Op>(upper);
}

RankOptions options_of(const RankGemmFlags& flags) {
    RankOptions options = RankOptions::from_environment();
    if (!flags.policy.empty()) options.policy = flags.policy;
    if (!flags.memory.empty()) options.memory = parse_bytes(flags.memory, "--memory");
    options.depth = flags.depth, options.lookahead = flags.lookahead;
    options.row_block = flags.row_block, options.col_block = flags.col_block;
    options.node_memory = !flags.messages;
    return options;
}

/// All of a matrix on rank 0; nothing elsewhere.
template <class T>
LocalArray<T> gathered(Ranks& ranks, LocalArray<T>& x) {
    BlockCyclic one = layout_of(x.layout.rows, x.layout.cols, 1, {1, 1});
    one.row_block = std::max<index_t>(1, one.rows), one.col_block = std::max<index_t>(1, one.cols);
    LocalArray<T> all{one, {}, std::max<index_t>(1, one.rows)};
    if (ranks.rank() == 0)
        all.data.resize(static_cast<std::size_t>(all.ld * std::max<index_t>(1, one.cols)));
    copy<T>(ranks, Op::NoTrans, x.matrix(), all.matrix());
    return all;
}

std::vector<RankTimes> gathered_times(const RankReport& x, const Ranks& ranks) {
    const RankTimes mine{x.copying, x.waiting, x.computing, x.writing};
    std::vector<RankTimes> all(ranks.rank() == 0 ? static_cast<std::size_t>(ranks.size()) : 0);
    constexpr int count = sizeof mine / sizeof(double);
    MPI_Gather(&mine, count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return all;
}

template <class T>
class RankProduct {
  public:
    RankProduct(const RankGemmFlags& flags, Ranks& ranks)
        : flags_(flags),
          ranks_(ranks),
          grid_(parse_grid(flags.grid, ranks.size())),
          op_a_(op_of(flags.trans[0])),
          op_b_(op_of(flags.trans[1])) {}

    RankRun run() {
        const bool na = op_a_ == Op::NoTrans, nb = op_b_ == Op::NoTrans;
        const index_t m = flags_.m, n = flags_.n, k = flags_.k;
        auto a = array(na ? m : k, na ? k : m, 1), b = array(nb ? k : n, nb ? n : k, 3);
        const auto old = array(m, n, 5);
        auto c = old;
        RankRun result;
        for (int i = 0; i < flags_.repeat; ++i) {
            c.data = old.data;
            RankReport report;
            const double seconds = timed(MPI_COMM_WORLD, [&] {
                report =
                    gemm<T>(ranks_, op_a_, op_b_, T(1), a.matrix(), b.matrix(), T(1), c.matrix());
            });
            if (i > 0 && seconds >= result.seconds) continue;
            result.seconds = seconds, result.report = report;
        }
        result.times = gathered_times(result.report, ranks_);
        result.net_bytes = sum_over(MPI_COMM_WORLD, result.report.sent_bytes);
        result.memory = most_over(MPI_COMM_WORLD, result.report.memory_bytes);
        if (flags_.check) result.verdict = judge(a, b, c);
        return result;
    }

  private:
    LocalArray<T> array(index_t rows, index_t cols, std::uint64_t seed) const {
        return random_array<T>(layout_of(rows, cols, flags_.block, grid_), ranks_.rank(), seed);
    }

    Verdict judge(LocalArray<T>& a, LocalArray<T>& b, LocalArray<T>& c) {
        const auto all_a = gathered(ranks_, a), all_b = gathered(ranks_, b);
        auto all_c = gathered(ranks_, c);
        auto before = array(flags_.m, flags_.n, 5);
        const auto old = gathered(ranks_, before);
        Verdict verdict;
        if (ranks_.rank() == 0)
            verdict = verify({type_of<T>,
                              op_a_,
                              op_b_,
                              flags_.m,
                              flags_.n,
                              flags_.k,
                              {1, 0},
                              all_a.data.data(),
                              all_a.ld,
                              all_b.data.data(),
                              all_b.ld,
                              {1, 0},
                              all_c.data.data(),
                              all_c.ld},
                             old.data.data());
        MPI_Bcast(&verdict.error, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return verdict;
    }

    const RankGemmFlags& flags_;
    Ranks& ranks_;
    GridShape grid_;
    Op op_a_, op_b_;
};

RankRun run_typed(const RankGemmFlags& flags, Ranks& ranks) {
    if (flags.type == "s") return RankProduct<float>(flags, ranks).run();
    if (flags.type == "c") return RankProduct<std::complex<float>>(flags, ranks).run();
    if (flags.type == "z") return RankProduct<std::complex<double>>(flags, ranks).run();
    require(flags.type == "d", Code::bad_argument, "s, d, c or z",
            fmt::format("--type: '{}'", flags.type));
    return RankProduct<double>(flags, ranks).run();
}

double gflops_of(const RankGemmFlags& flags, double seconds) {
    const double fma = flags.type == "c" || flags.type == "z" ? 8 : 2;
    return fma * static_cast<double>(flags.m) * static_cast<double>(flags.n) *
           static_cast<double>(flags.k) / seconds / 1e9;
}

Type type_named(const std::string& type) {
    return type == "s" ? Type::s : type == "c" ? Type::c : type == "z" ? Type::z : Type::d;
}

/// With the memory of a rank's part of the matrices and of the call.
NetBound bound_of(const RankGemmFlags& flags, int ranks, const RankRun& run) {
    const Op op_a = op_of(flags.trans[0]), op_b = op_of(flags.trans[1]);
    const auto matrix = [&](index_t rows, index_t cols, Op op) {
        if (op != Op::NoTrans) std::swap(rows, cols);
        const GridShape grid = parse_grid(flags.grid, ranks);
        return RankMatrix{Distribution(layout_of(rows, cols, flags.block, grid), ranks), {}};
    };
    const RankMatrix a = matrix(flags.m, flags.k, op_a), b = matrix(flags.k, flags.n, op_b);
    DistUpdate update;
    update.type = type_named(flags.type);
    update.m = flags.m, update.n = flags.n, update.k = flags.k;
    update.c = matrix(flags.m, flags.n, Op::NoTrans);
    update.terms = {{{&a, op_a}, {&b, op_b}, {1, 0}}};
    const auto elements =
        static_cast<double>(flags.m * flags.k + flags.k * flags.n + flags.m * flags.n);
    const double matrices = static_cast<double>(bytes_of(update.type)) * elements / ranks;
    return net_bound(update, ranks, matrices + static_cast<double>(run.memory));
}

void print(const RankGemmFlags& flags, const Ranks& ranks, const RankRun& run) {
    const NetBound bound = bound_of(flags, ranks.size(), run);
    const GridShape grid = parse_grid(flags.grid, ranks.size());
    const double gflops = gflops_of(flags, run.seconds);
    if (flags.json) {
        nlohmann::json json{{"m", flags.m},
                            {"n", flags.n},
                            {"k", flags.k},
                            {"type", flags.type},
                            {"trans", flags.trans},
                            {"ranks", ranks.size()},
                            {"grid", {grid.rows, grid.cols}},
                            {"block", flags.block},
                            {"work", run.report.work},
                            {"stages", run.report.stages},
                            {"seconds", run.seconds},
                            {"gflops", gflops},
                            {"net_bytes", run.net_bytes},
                            {"net_bytes_of_cosma", bound.cosma},
                            {"net_bytes_compulsory", bound.compulsory},
                            {"net_bytes_layout", bound.layout},
                            {"rank_memory_bytes", run.memory},
                            {"node_memory", run.report.node_memory},
                            {"gpu_memory", run.report.gpu_memory}};
        for (const RankTimes& x : run.times)
            json["rank_seconds"].push_back({{"copying", x.copying},
                                            {"waiting", x.waiting},
                                            {"computing", x.computing},
                                            {"writing", x.writing}});
        if (flags.check)
            json["check"] = {{"error", run.verdict.error}, {"right", run.verdict.right()}};
        fmt::print("{}\n", json.dump(2));
        return;
    }
    fmt::print("{}gemm {} {} x {} x {} on {} ranks, grid {}x{}, blocks of {}\n", flags.type,
               flags.trans, flags.m, flags.n, flags.k, ranks.size(), grid.rows, grid.cols,
               flags.block);
    fmt::print("  work    {}, {} stages, {} of each rank at most\n", run.report.work,
               run.report.stages, human_bytes(static_cast<double>(run.memory)));
    fmt::print(
        "  net     {} {}; COSMA's bound {}, compulsory {}, "
        "even bricks in this layout {}\n",
        human_bytes(static_cast<double>(run.net_bytes)),
        run.report.gpu_memory    ? "read in the memory of the GPU"
        : run.report.node_memory ? "read from other ranks"
                                 : "sent by all ranks",
        human_bytes(bound.cosma), human_bytes(bound.compulsory), human_bytes(bound.layout));
    fmt::print("  time    {}, {}\n", human_seconds(run.seconds), human_flops(gflops * 1e9));
    for (std::size_t i = 0; i < run.times.size(); ++i)
        fmt::print("  rank {:<3}copies {}, waits {}, products {}, writes C {}\n", i,
                   human_seconds(run.times[i].copying), human_seconds(run.times[i].waiting),
                   human_seconds(run.times[i].computing), human_seconds(run.times[i].writing));
    if (flags.check)
        fmt::print("  check   {}: error {:.2g} of what rounding may do\n",
                   run.verdict.right() ? "right" : "WRONG", run.verdict.error);
}

int run_gemm(RankGemmFlags flags) {
    if (flags.n == 0) flags.n = flags.m;
    if (flags.k == 0) flags.k = flags.m;
    require(flags.m > 0 && flags.n > 0 && flags.k > 0 && flags.block > 0 && flags.repeat > 0,
            Code::bad_argument, "positive", "--m, --n, --k, --block, --repeat");
    require(flags.trans.size() == 2, Code::bad_argument, "two letters", "--trans");
    Ranks ranks(MPI_COMM_WORLD, options_of(flags));
    const RankRun run = run_typed(flags, ranks);
    if (ranks.rank() == 0) print(flags, ranks, run);
    return flags.check && !run.verdict.right() ? rank_failed : rank_ok;
}

}  // namespace

void add_rank_gemm(CLI::App& app, RankAction& action) {
    CLI::App* sub = app.add_subcommand("gemm", "One distributed product");
    sub->footer(footer);
    const auto flags = std::make_shared<RankGemmFlags>();
    sub->add_option("--grid", flags->grid, "ranks as a grid PxQ")->required();
    sub->add_option("--block", flags->block, "edge of the blocks (256)");
    sub->add_option("--m", flags->m, "rows of C (1000)");
    sub->add_option("--n", flags->n, "columns of C; as m when left out");
    sub->add_option("--k", flags->k, "columns of op(A); as m when left out");
    sub->add_option("--type", flags->type, "s, d, c or z");
    sub->add_option("--trans", flags->trans, "op of A and of B: nn, nt, tn, cc, ...");
    sub->add_option("--policy", flags->policy, "best, parsec, c, a, b or \"bricks PxQxR\"");
    sub->add_option("--memory", flags->memory, "bytes that each rank may take, such as 64MiB");
    sub->add_option("--b", flags->row_block, "parsec: rows of a block of C of a rank");
    sub->add_option("--c", flags->col_block, "parsec: columns of a block of C of a rank");
    sub->add_option("--d", flags->depth, "indices of k in a stage");
    sub->add_option("--lookahead", flags->lookahead, "stages that are fetched ahead");
    sub->add_option("--repeat", flags->repeat, "runs; the fastest one counts");
    sub->add_flag("--messages", flags->messages,
                  "ranks of one node send messages, instead of sharing memory");
    sub->add_flag("--check", flags->check, "compare on rank 0");
    sub->add_flag("--json", flags->json, "one JSON object");
    sub->callback([flags, &action] { action = [flags] { return run_gemm(*flags); }; });
}

}  // namespace gemmill::command
