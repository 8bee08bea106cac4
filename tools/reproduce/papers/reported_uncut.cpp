// SPDX-License-Identifier: Apache-2.0
#include "reproduce/papers/reported_uncut.hpp"

namespace gemmill::command {
namespace {

constexpr std::array<const char*, 5> placements{"h", "0", "4,2,h", "h,h,0", "4,2,7"};
constexpr std::array<index_t, 3> ratios{4, 8, 16};

std::vector<index_t> range(index_t first, index_t last, index_t step) {
    std::vector<index_t> all;
    for (index_t n = first; n <= last; n += step) all.push_back(n);
    return all;
}

std::vector<index_t> square_sizes() {
    std::vector<index_t> all = range(5120, 16384, 1024);
    for (const index_t n : range(20480, 32768, 2048)) all.push_back(n);
    return all;
}

std::vector<Case> each(const std::vector<Case>& all, std::size_t step) {
    std::vector<Case> some;
    for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
    return some;
}

/// m x n x k of one shape.
std::vector<std::array<index_t, 3>> shapes_of(const std::string& shape) {
    std::vector<std::array<index_t, 3>> all;
    if (shape == "square")
        for (const index_t n : square_sizes()) all.push_back({n, n, n});
    if (shape == "fat-thin")
        for (const index_t n : range(16384, 40960, 4096))
            for (const index_t r : ratios) all.push_back({n, n, n / r});
    if (shape == "thin-fat")
        for (const index_t n : range(5120, 11264, 1024))
            for (const index_t r : ratios) all.push_back({n, n, n * r});
    return all;
}

}  // namespace

std::vector<Case> regular_cases(Type type, const std::string& at, std::size_t step) {
    std::vector<Case> all;
    for (const index_t n : square_sizes()) all.push_back({type, n, n, n, at, 8});
    return each(all, step);
}

std::vector<Case> irregular_cases(const std::string& shape, std::size_t step) {
    std::vector<Case> all;
    for (const char* at : placements)
        for (const auto& [m, n, k] : shapes_of(shape)) all.push_back({Type::d, m, n, k, at, 8});
    return each(all, step);
}

}  // namespace gemmill::command
