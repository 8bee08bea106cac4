// SPDX-License-Identifier: Apache-2.0
#include "mpi/scalapack/entry.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "api/blas/say.hpp"
#include "gemmill/error.hpp"

namespace gemmill::scalapack {
namespace {

/// Kinds of descriptors: the usual one, and the one whose first blocks have sizes of their own.
enum Kind : std::uint8_t { usual = 1, with_first_blocks = 2 };

struct Settings {
    RankOptions ranks;
    double threshold = 0;
};

/// Flops below which messages of either library are all that is seen of a call; those of the one
/// behind need no agreement first.
constexpr double usual_threshold = 1e8;

std::optional<Settings> read_settings() {
    try {
        const Options options = Options::from_environment();
        Settings settings{RankOptions::from(options), usual_threshold};
        if (!options.threshold.empty()) settings.threshold = std::stod(options.threshold);
        return settings;
    } catch (const std::exception& error) {
        blas::say(fmt::format("gemmill: {}; ScaLAPACK computes alone", error.what()));
        return std::nullopt;
    }
}

const std::optional<Settings>& settings() {
    static const std::optional<Settings> read = read_settings();
    return read;
}

bool is_for_behind(const Request& request) {
    return !settings() || request.flops < settings()->threshold || !request.good_flags ||
           !request.one_context;
}

/// Whether it was done; an Error of all ranks before anything is written is not the end.
bool run_on_ranks(const Request& request) {
    const BlacsGrid grid = grid_of(request.context);
    if (!grid.is_usable()) return false;
    try {
        Ranks ranks(grid.comm, settings()->ranks);
        request.run(ranks, grid);
        return true;
    } catch (const Error& error) {
        if (error.code() == Code::bad_argument || error.code() == Code::out_of_memory) return false;
        throw;
    }
}

}  // namespace

bool is_one_of(const char* letter, const char* letters) {
    return std::strchr(letters, *letter & ~0x20) != nullptr;
}

int context_of(const int* descriptor) {
    const int kind = descriptor[0];
    return kind == usual || kind == with_first_blocks ? descriptor[1] : -1;
}

Descriptor read_descriptor(const int* d, const BlacsGrid& grid) {
    Descriptor x;
    require(context_of(d) >= 0, Code::bad_argument, "a descriptor of type 1 or 2", "descriptor");
    x.context = d[1];
    x.layout.rows = d[2], x.layout.cols = d[3];
    const bool has_first = d[0] == with_first_blocks;
    const int* rest = has_first ? d + 6 : d + 4;
    x.layout.row_block = rest[0], x.layout.col_block = rest[1];
    if (has_first) {
        require(d[4] >= 1 && d[5] >= 1, Code::bad_argument, "first blocks of 1 at least",
                "descriptor");
        x.layout.first_row_block = d[4], x.layout.first_col_block = d[5];
    }
    x.layout.row_source = rest[2], x.layout.col_source = rest[3];
    x.layout.grid_rows = grid.rows, x.layout.grid_cols = grid.cols;
    x.ld = rest[4];
    return x;
}

void submit(const char* name, const Request& request) noexcept {
    try {
        if (is_for_behind(request) || !run_on_ranks(request)) request.pass_on();
    } catch (const std::string& missing) {
        blas::say(fmt::format("gemmill: there is no {} behind libgemmill_scalapack", missing));
    } catch (const std::exception& error) {
        blas::say(fmt::format("gemmill: {}: {}; its result is not to be used", name, error.what()));
    }
}

}  // namespace gemmill::scalapack
