// SPDX-License-Identifier: Apache-2.0
// Candidates as libraries: source, nvcc, and what is in them once they are opened.
#pragma once

#include <string>
#include <vector>

#include "batch/choice/space.hpp"
#include "bench/batch/batch.hpp"

namespace gemmill::command {

/// What candidates are compiled with.
struct Toolchain {
    std::string nvcc;
    std::vector<std::string> includes;
    std::string arch;  ///< "sm_90"
};
/// nvcc of PATH or of /usr/local/cuda; headers of `source`, a source tree, or where that is empty
/// those that were installed with this command, or of the tree that it was built from. Throws
/// Error(io) that says where was looked.
Toolchain find_toolchain(const std::string& source, const std::string& arch);

/// A file of CUDA with these candidates.
std::string source_of(const std::vector<PipeCandidate>& candidates, Type type);

struct BuildOptions {
    std::string folder;
    int jobs = 1;
    std::size_t per_library = 8;
};
/// Compiles what the folder does not have yet into libraries of a few candidates each, several at a
/// time, and prints a line for each. Throws Error(failed_step) with the compiler's first words.
void build(const std::vector<PipeCandidate>& candidates, Type type, const Toolchain& toolchain,
           const BuildOptions& options);

/// What is in the libraries of a folder, of one type, without those of which the compiler said that
/// registers spill.
struct Loaded {
    std::vector<MoreKernel> kernels;
    std::vector<std::string> spilled;
};
Loaded load(const std::string& folder, Type type);

/// Whether ptxas said so of a candidate.
bool spills(const std::string& log, const PipeCandidate& candidate);

}  // namespace gemmill::command
