// SPDX-License-Identifier: Apache-2.0
#include "tune/shapes.hpp"

#include <algorithm>

namespace gemmill::command {

std::vector<TuneShape> tune_shapes(Type type, const std::vector<index_t>& sizes, std::size_t most) {
    constexpr index_t small = 16, thin = 8;
    std::vector<PipeCandidate> all = pipe_space(type).left;
    const std::vector<PipeCandidate> warps = warp_space(type).left;
    all.insert(all.end(), warps.begin(), warps.end());
    std::vector<TuneShape> shapes;
    for (const index_t n : sizes)
        for (const index_t k : {thin, n}) {
            if (k == thin && n <= small && n != thin) continue;
            if (!shapes.empty() && shapes.back().shape == BatchShape{n, n, k}) continue;
            // Below one instruction there is a kernel for each size.
            const BatchShape shape{n, n, k};
            shapes.push_back(
                {shape, n < thin ? std::vector<PipeCandidate>{} : choose(all, type, shape, most)});
        }
    return shapes;
}

std::vector<PipeCandidate> candidates_of(const std::vector<TuneShape>& shapes) {
    std::vector<PipeCandidate> all;
    for (const TuneShape& of : shapes)
        for (const PipeCandidate& c : of.candidates)
            if (std::ranges::find(all, c) == all.end()) all.push_back(c);
    return all;
}

}  // namespace gemmill::command
