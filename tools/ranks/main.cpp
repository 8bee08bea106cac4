// SPDX-License-Identifier: Apache-2.0
// The part of the gemmill command that runs under mpirun; `gemmill` starts it in its own place.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "gemmill/error.hpp"
#include "ranks/common.hpp"

namespace gemmill::command {
namespace {

int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// One report: every rank has the same error.
int report(const std::string& text, int code) {
    if (rank_of_world() == 0) fmt::print(stderr, "gemmill: {}\n", text);
    return code;
}

int run(const RankAction& action) {
    try {
        const int code = action();
        std::fflush(stdout);
        return code;
    } catch (const Error& error) {
        const bool ran = error.code() == Code::failed_step;
        return report(error.what(), ran ? rank_failed : rank_bad_input);
    } catch (const std::exception& error) {
        return report(error.what(), rank_failed);
    }
}

int parse_and_run(int argc, char** argv) {
    CLI::App app("Distributed products over MPI ranks", "gemmill");
    app.require_subcommand(1);
    RankAction action;
    add_rank_gemm(app, action);
    add_rank_bench(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (rank_of_world() == 0) app.exit(error);
        return error.get_exit_code() == 0 ? rank_ok : rank_bad_input;
    }
    return run(action);
}

}  // namespace
}  // namespace gemmill::command

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = gemmill::command::parse_and_run(argc, argv);
    MPI_Finalize();
    return code;
}
