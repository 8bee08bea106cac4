// SPDX-License-Identifier: Apache-2.0
// The evaluation of Uncut-GEMMs: its data sets and the numbers that it reports.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "reproduce/report.hpp"
#include "reproduce/reproduce.hpp"

namespace gemmill::command {

/// Libraries that it is compared with, in the order of the arrays below.
inline const std::vector<Variant> peers{
    {"cublasxt", "cublasxt"}, {"xkblas", "xkblas"}, {"paralia", "paralia"}};
inline const Variant uncut{"uncut", "uncut"};

/// Optimisations added one by one; the last one is uncut.
inline const std::vector<Variant> stack{
    {"naive", "naive"},
    {"+ caching, overlap", "naive", {"caching=on", "overlap=on"}},
    {"+ bandwidth routing", "naive", {"caching=on", "overlap=on", "routing=bandwidth"}},
    {"+ ETA routing, chains", "naive", {"caching=on", "overlap=on", "routing=eta", "chain=on"}},
    uncut,
};

/// Speed-up of each of the stack over the one before, by place of the data: host, GPU 0.
inline constexpr std::array<std::array<double, 2>, 4> paper_stack{
    {{2, 2}, {1.33, 1}, {1.18, 1.18}, {1.1, 1.1}}};

/// A row of mean speed-ups of uncut over the peers.
struct PaperRow {
    const char* name;
    Type type;
    const char* at;
    std::array<double, 3> over;
};
inline constexpr std::array<PaperRow, 4> paper_regular{{
    {"FP64 host", Type::d, "h", {3.42, 1.40, 1.31}},
    {"FP64 GPU 0", Type::d, "0", {10.3, 1.23, 1.26}},
    {"FP32 host", Type::s, "h", {2.7, 1.37, 1.28}},
    {"FP32 GPU 0", Type::s, "0", {10.8, 1.42, 1.31}},
}};

/// The irregular data set, by shape; the last row is all of it.
struct PaperShape {
    const char* name;
    std::array<double, 3> over;
};
inline constexpr std::array<PaperShape, 4> paper_irregular{{
    {"square", {8.7, 1.35, 1.4}},
    {"fat-thin", {17.6, 1.6, 1.28}},
    {"thin-fat", {7.31, 1.38, 1.42}},
    {"all", {11.8, 1.45, 1.37}},
}};

/// Speed-up on 2, 4 and 8 GPUs over one.
struct PaperScaling {
    const char* at;
    const char* policy;
    std::array<std::array<double, 3>, 3> on;  ///< by n: 8192, 16384, 32768
};
inline constexpr std::array<index_t, 3> scaling_sizes{8192, 16384, 32768};
inline constexpr std::array<int, 4> scaling_gpus{1, 2, 4, 8};
inline constexpr std::array<double, 3> none_reported{not_reported, not_reported, not_reported};
inline constexpr std::array<PaperScaling, 10> paper_scaling{{
    {"h", "cublasxt", {{{1.8, 2.5, 2.2}, {1.9, 2.9, 2.1}, {1.9, 3.2, 3.1}}}},
    {"h", "xkblas", {{{1.8, 3.0, 3.6}, {2.2, 4.1, 5.7}, none_reported}}},
    {"h", "paralia", {{{1.6, 1.8, 2.5}, {1.8, 2.9, 4.0}, {1.9, 3.8, 6.4}}}},
    {"h", "uncut", {{{1.7, 3.0, 3.6}, {2.0, 3.5, 5.3}, {2.2, 4.2, 7.5}}}},
    {"h", "best", {{none_reported, none_reported, none_reported}}},
    {"0", "cublasxt", {{{0.6, 0.3, 0.15}, {1.1, 0.8, 0.62}, {1.9, 1.4, 1.3}}}},
    {"0", "xkblas", {{{1.8, 2.7, 3.8}, {2.3, 4.5, 5.0}, none_reported}}},
    {"0", "paralia", {{{1.9, 2.8, 3.1}, {2.1, 4.0, 6.5}, {2.0, 3.9, 7.8}}}},
    {"0", "uncut", {{{1.9, 3.5, 5.8}, {2.0, 4.0, 7.4}, {2.0, 3.9, 7.8}}}},
    {"0", "best", {{none_reported, none_reported, none_reported}}},
}};

/// Squares of 5120 to 32768 with everything in one place; `step` 3 takes every third.
std::vector<Case> regular_cases(Type type, const std::string& at, std::size_t step);
/// The cases of a shape of paper_irregular, over all placements.
std::vector<Case> irregular_cases(const std::string& shape, std::size_t step);

}  // namespace gemmill::command
