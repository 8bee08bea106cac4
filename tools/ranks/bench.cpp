// SPDX-License-Identifier: Apache-2.0
// mpirun -n 2 gemmill bench pdgemm: ours, ScaLAPACK's pdgemm and the host BLAS with the threads of
// the node, in turns in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "ranks/bench_peers.hpp"
#include "ranks/common.hpp"
#include "stamp.hpp"

namespace gemmill::command {
namespace {

struct BenchCase {
    index_t m, n, k;
};

/// What is asked for of a case, as ratios to the peers; 0: nothing.
struct Bars {
    double scalapack = 0, blas = 0;
};

Bars bars_of(const BenchCase& one, int ranks) {
    const bool square = one.m == one.n && one.n == one.k;
    if (ranks == 2 && square && one.m == 4000) return {1.2, 0.92};
    if (ranks == 4 && square && one.m == 2000) return {1.3, 0};
    const bool thin = one.k == 8000 && (one.m == 200 || one.n == 200);
    return ranks == 2 && (thin || one.k == 64) ? Bars{1, 0} : Bars{};
}

struct RankBenchFlags {
    std::string grid, out, sizes;
    index_t block = 64;
    int repeat = 5;
    bool json = false;
};

double middle(std::vector<double> values) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}
double least(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::ranges::min_element(values);
}

/// Seconds of one case, by contender.
struct Times {
    std::vector<double> ours, scalapack, blas;
    std::string work;
    std::int64_t net_bytes = 0;
    double difference = 0;  ///< of ours and ScaLAPACK's C, the largest
};

class CaseRun {
  public:
    CaseRun(const BenchCase& one, const RankBenchFlags& flags, const GridShape& grid, Ranks& ranks,
            const Peers& peers, int context)
        : one_(one),
          ranks_(ranks),
          peers_(peers),
          context_(context),
          a_(random_array<double>(layout_of(one.m, one.k, flags.block, grid), ranks.rank(), 1)),
          b_(random_array<double>(layout_of(one.k, one.n, flags.block, grid), ranks.rank(), 2)),
          c_(random_array<double>(layout_of(one.m, one.n, flags.block, grid), ranks.rank(), 3)) {}

    Times run(int repeats) {
        Times times;
        std::vector<double> ours, theirs;
        const std::vector<double> old = c_.data;
        prepare_whole();
        // The first round warms up and is not counted.
        for (int i = -1; i < repeats; ++i) {
            c_.data = old;
            const double t = timed(MPI_COMM_WORLD, [&] { run_ours(times); });
            if (i >= 0) times.ours.push_back(t);
            ours = c_.data;
            if (peers_.has_scalapack()) {
                c_.data = old;
                const double s = timed(MPI_COMM_WORLD, [&] { run_scalapack(); });
                if (i >= 0) times.scalapack.push_back(s);
                theirs = c_.data;
            }
            if (peers_.has_blas()) {
                const double s = run_blas();
                if (i >= 0) times.blas.push_back(s);
            }
        }
        times.net_bytes = sum_over(MPI_COMM_WORLD, times.net_bytes);
        times.difference = difference(ours, theirs);
        return times;
    }

  private:
    void run_ours(Times& times) {
        const RankReport report = gemm<double>(ranks_, Op::NoTrans, Op::NoTrans, 1.1, a_.matrix(),
                                               b_.matrix(), 0.9, c_.matrix());
        times.work = report.work;
        times.net_bytes = report.sent_bytes;
    }

    std::array<int, 9> descriptor(const LocalArray<double>& x) const {
        return {1,
                context_,
                static_cast<int>(x.layout.rows),
                static_cast<int>(x.layout.cols),
                static_cast<int>(x.layout.row_block),
                static_cast<int>(x.layout.col_block),
                0,
                0,
                static_cast<int>(x.ld)};
    }
    void run_scalapack() {
        const int m = static_cast<int>(one_.m), n = static_cast<int>(one_.n),
                  k = static_cast<int>(one_.k), first = 1;
        const double alpha = 1.1, beta = 0.9;
        const auto a = descriptor(a_), b = descriptor(b_), c = descriptor(c_);
        peers_.pdgemm("N", "N", &m, &n, &k, &alpha, a_.data.data(), &first, &first, a.data(),
                      b_.data.data(), &first, &first, b.data(), &beta, c_.data.data(), &first,
                      &first, c.data());
    }

    void prepare_whole() {
        if (ranks_.rank() != 0 || !peers_.has_blas()) return;
        const auto fill = [](std::vector<double>& x, index_t size) {
            x.assign(static_cast<std::size_t>(size), 0.5);
            for (std::size_t i = 0; i < x.size(); i += 7) x[i] = -0.25;
        };
        fill(whole_[0], one_.m * one_.k), fill(whole_[1], one_.k * one_.n);
        fill(whole_[2], one_.m * one_.n);
    }
    /// The whole product by rank 0 with threads on all cores; the others sleep.
    double run_blas() {
        double seconds = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (ranks_.rank() == 0) {
            const AllCores cores(peers_);
            constexpr int col_major = 102, no_trans = 111;
            const int m = static_cast<int>(one_.m), n = static_cast<int>(one_.n),
                      k = static_cast<int>(one_.k);
            const double begin = MPI_Wtime();
            peers_.dgemm(col_major, no_trans, no_trans, m, n, k, 1.1, whole_[0].data(), m,
                         whole_[1].data(), k, 0.9, whole_[2].data(), m);
            seconds = MPI_Wtime() - begin;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        constexpr useconds_t nap = 1000;
        for (int done = 0; done == 0; usleep(nap)) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return seconds;
    }

    static double difference(const std::vector<double>& x, const std::vector<double>& y) {
        double most = 0, all = 0;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
            most = std::max(most, std::abs(x[i] - y[i]));
        MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return all;
    }

    const BenchCase& one_;
    Ranks& ranks_;
    const Peers& peers_;
    int context_;
    LocalArray<double> a_, b_, c_;
    std::array<std::vector<double>, 3> whole_;
};

std::vector<BenchCase> cases_of(const RankBenchFlags& flags) {
    if (flags.sizes.empty())
        return {{4000, 4000, 4000}, {2000, 2000, 2000}, {200, 4000, 8000},
                {4000, 200, 8000},  {200, 200, 8000},   {4000, 4000, 64}};
    std::vector<BenchCase> cases;
    for (const std::string& text : split(flags.sizes, ',')) {
        const std::vector<std::string> size = split(text, 'x');
        require(size.size() == 3, Code::bad_argument, "MxNxK", fmt::format("--sizes: '{}'", text));
        BenchCase one{parse_integer(size[0], "--sizes"), parse_integer(size[1], "--sizes"),
                      parse_integer(size[2], "--sizes")};
        require(one.m > 0 && one.n > 0 && one.k > 0, Code::bad_argument, "positive", "--sizes");
        cases.push_back(one);
    }
    return cases;
}

nlohmann::json json_of(const BenchCase& one, const Times& times, const Bars& bars) {
    const double flops =
        2.0 * static_cast<double>(one.m) * static_cast<double>(one.n) * static_cast<double>(one.k);
    const auto contender = [&](const std::vector<double>& seconds) {
        return nlohmann::json{{"seconds", middle(seconds)},
                              {"best_seconds", least(seconds)},
                              {"gflops", flops / middle(seconds) / 1e9}};
    };
    nlohmann::json json{{"m", one.m},
                        {"n", one.n},
                        {"k", one.k},
                        {"work", times.work},
                        {"net_bytes", times.net_bytes},
                        {"gemmill", contender(times.ours)},
                        {"difference", times.difference},
                        {"bar_of_scalapack", bars.scalapack},
                        {"bar_of_threaded_blas", bars.blas}};
    if (!times.scalapack.empty()) {
        json["scalapack"] = contender(times.scalapack);
        json["over_scalapack"] = middle(times.scalapack) / middle(times.ours);
    }
    if (!times.blas.empty()) {
        json["threaded_blas"] = contender(times.blas);
        json["over_threaded_blas"] = middle(times.blas) / middle(times.ours);
    }
    return json;
}

void print_row(const nlohmann::json& x) {
    const auto value = [&](const char* key) { return x.contains(key) ? x[key].get<double>() : 0; };
    const std::string size = fmt::format("{}x{}x{}", x["m"].get<index_t>(), x["n"].get<index_t>(),
                                         x["k"].get<index_t>());
    const auto ratio = [&](const char* key, const char* bar) {
        const std::string asked =
            value(bar) > 0 ? fmt::format("(bar {:.2f})", value(bar)) : std::string();
        return fmt::format("{:>6.2f} {:>10}", value(key), asked);
    };
    fmt::print("{:>16} {:>8.1f} GFLOP/s {} of ScaLAPACK {} of the threaded BLAS  {}\n", size,
               x["gemmill"]["gflops"].get<double>(), ratio("over_scalapack", "bar_of_scalapack"),
               ratio("over_threaded_blas", "bar_of_threaded_blas"), x["work"].get<std::string>());
    std::fflush(stdout);
}

double load_of_machine() {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

int run_bench(const RankBenchFlags& flags) {
    require(flags.block > 0 && flags.repeat > 0, Code::bad_argument, "positive",
            "--block, --repeat");
    const Peers peers;
    Ranks ranks(MPI_COMM_WORLD);
    const GridShape grid = parse_grid(flags.grid, ranks.size());
    int context = -1;
    if (peers.has_scalapack()) {
        peers.blacs_get(-1, 0, &context);
        peers.blacs_gridinit(&context, "R", grid.rows, grid.cols);
    }
    nlohmann::json all{{"bench", "pdgemm"},
                       {"when", bench::now()},
                       {"cpu", bench::cpu_name()},
                       {"ranks", ranks.size()},
                       {"grid", {grid.rows, grid.cols}},
                       {"block", flags.block},
                       {"repeats", flags.repeat},
                       {"load", load_of_machine()},
                       {"cases", nlohmann::json::array()}};
    for (const BenchCase& one : cases_of(flags)) {
        const Times times = CaseRun(one, flags, grid, ranks, peers, context).run(flags.repeat);
        const nlohmann::json row = json_of(one, times, bars_of(one, ranks.size()));
        if (ranks.rank() == 0 && !flags.json) print_row(row);
        all["cases"].push_back(row);
    }
    if (ranks.rank() == 0 && flags.json) fmt::print("{}\n", all.dump(2));
    if (ranks.rank() == 0 && !flags.out.empty()) write_file(flags.out, all.dump(2) + "\n");
    return rank_ok;
}

}  // namespace

void add_rank_bench(CLI::App& app, RankAction& action) {
    CLI::App* sub = app.add_subcommand("bench", "Distributed products beside ScaLAPACK");
    CLI::App* pdgemm =
        sub->add_subcommand("pdgemm", "C = 1.1 A B + 0.9 C, random matrices; medians");
    sub->require_subcommand(1);
    pdgemm->footer("Example: mpirun -n 2 gemmill bench pdgemm --json");
    const auto flags = std::make_shared<RankBenchFlags>();
    pdgemm->add_option("--grid", flags->grid, "ranks as a grid PxQ; the most square one");
    pdgemm->add_option("--block", flags->block, "edge of the blocks (64)");
    pdgemm->add_option("--sizes", flags->sizes, "MxNxK,... instead of the usual cases");
    pdgemm->add_option("--repeat", flags->repeat, "runs of each contender (5)");
    pdgemm->add_option("--out", flags->out, "file for the JSON");
    pdgemm->add_flag("--json", flags->json, "JSON instead of a table");
    pdgemm->callback([flags, &action] { action = [flags] { return run_bench(*flags); }; });
}

}  // namespace gemmill::command
