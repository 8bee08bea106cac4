// SPDX-License-Identifier: Apache-2.0
// What a library of candidates exports, as `gemmill tune batch` opens it. No header of CUDA here.
#pragma once

#include "gemmill/batch.hpp"

namespace gemmill::batch {

struct Candidates {
    const char* version = nullptr;  ///< of Gemmill
    Type type = Type::d;
    int count = 0;
    const char* (*name)(int i) = nullptr;
    int (*edge)(int i) = nullptr;  ///< m and n are at most this; 0: any
    /// In a stream of the device. 0, or a code that words() explains.
    int (*run)(int i, int device, void* stream, const Batch& batch) = nullptr;
    const char* (*words)(int code) = nullptr;
};
using CandidatesSymbol = const Candidates* (*)();
inline constexpr const char* candidates_symbol = "gemmill_batch_candidates";

}  // namespace gemmill::batch
