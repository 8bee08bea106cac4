// SPDX-License-Identifier: Apache-2.0
// Random calls of level 3 for a GPU, each from a seed and a number alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemmill/problem.hpp"
#include "random/arrays.hpp"

namespace gemmill::command {

/// Columns without gaps; alpha 1.1, beta 0.9 where the problem's is general.
struct RandomCase {
    std::uint64_t number = 0;
    Problem problem;  ///< but for the homes, which `where` tells
    Where where = Where::pinned;
};

/// What a case may take: elements of a matrix, and flops of the call.
struct CaseLimits {
    index_t least = 3000, most = 20000;  ///< of n, of which m, n and k are within a factor of four
    index_t elements() const { return most * most; }
    double flops() const;  ///< of a product of the largest squares
};

/// Case `number` of a seed, the same everywhere: half of them gemm, the others any routine that
/// types s and d have (trsm with the diagonal that is stored: with ones a random matrix cannot be
/// solved with); most of them d, half of them odd in all sizes and half of them square; one in ten
/// on the GPU, the others pinned or pageable.
RandomCase random_case(std::uint64_t seed, std::uint64_t number, const CaseLimits& limits = {});
/// The same call in another type: of complex ones half of the symmetric routines are hermitian and
/// half of what is transposed is conjugated; of 16-bit ones all are products.
RandomCase in_type(RandomCase one, std::uint64_t seed, Type type);

/// gemm on the GPU, nothing transposed.
RandomCase core_case(index_t n, Type type = Type::d);
/// It for each n and n + 1, with each op.
std::vector<RandomCase> core_cases(const std::vector<index_t>& sizes, Type type = Type::d);

/// "dgemm nt 12345x7001x5003 beta 0 pinned", "strsm right upper t 5000x3001 pageable".
std::string name_of(const RandomCase& one);
/// Whether a size is odd.
bool is_odd(const RandomCase& one);
/// Bytes of A, B or C.
std::size_t bytes_of(const RandomCase& one, std::size_t operand);

}  // namespace gemmill::command
