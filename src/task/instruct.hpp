// SPDX-License-Identifier: Apache-2.0
// From tiles to instructions: which opcode, flags and scales make a product of two tiles a part of
// a problem. Squares at a diagonal need the routine itself, all else is gemm:
//
//     gemmt, syrk, herk, syr2k, her2k   a square at the diagonal of C, of which one triangle is
//     made symm, hemm                        a product with a square at A's diagonal trmm, trsm a
//     square at A's diagonal beside what it overwrites; or, of
//                                       trmm, a product with such a square and a C that is not out
//
// A half-stored A has tiles on one side of its diagonal; symm and hemm take them as they are and,
// for the other side, transposed. In a buffer mirror steps can fill up the other side: products
// then take blocks of A as if it were stored whole.
#pragma once

#include "gemmill/problem.hpp"
#include "plan/build/steps.hpp"

namespace gemmill {

/// out = keep out + the product of two tiles, or with one input what the routine makes of it;
/// without inputs out is only scaled. The plan has the problem's operands and the tiles.
Step compute_step(const Plan& plan, const Problem& problem, QueueId queue, const Ref& out,
                  Keep keep, const Ref& first = {}, const Ref& second = {});

}  // namespace gemmill
