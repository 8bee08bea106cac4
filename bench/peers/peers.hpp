// SPDX-License-Identifier: Apache-2.0
// The peers of gemm on one GPU, as a table of functions that libgemmill_peers.so holds; tests have
// one whose GPU is the host. Both sides are built from one source, and the version says so.
//
// Every function that returns int gives 0 or a code that words() explains; none throws. A call is
// done when it returns, so that the caller's clock around it is its time. Types are s, d, c and z.
#pragma once

#include <cstddef>

#include "gemmill/batch.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

struct PeerState;  // handles and buffers, kept between calls

struct Peers {
    const char* version = nullptr;  ///< of Gemmill

    const char* (*words)(int code) = nullptr;
    int (*open)(int device, PeerState** state) = nullptr;
    void (*close)(PeerState* state) = nullptr;
    /// Of the GPU: a final zero and at most size bytes.
    int (*gpu_name)(PeerState* state, char* text, std::size_t size) = nullptr;

    /// cudaMemcpyAsync of any memory to any memory.
    int (*copy)(PeerState* state, void* to, const void* from, std::size_t bytes) = nullptr;
    /// The block size that cuBLASXt has when nobody sets one.
    int (*default_block)(PeerState* state, int* block) = nullptr;
    /// cuBLASXt with this block size; `pins`: it pins the matrices for the time of the call.
    int (*xt)(PeerState* state, const GemmArgs& args, int block, bool pins) = nullptr;
    /// Copies A, B and C to the GPU, multiplies, copies C back. What lies there is not copied.
    int (*copy_all)(PeerState* state, const GemmArgs& args) = nullptr;
    /// cuBLAS on matrices of the GPU.
    int (*in_core)(PeerState* state, const GemmArgs& args) = nullptr;
    /// Any routine of level 3: cuBLASXt, and cuBLAS on matrices of the GPU, which also has products
    /// of types h and b.
    int (*xt_level3)(PeerState* state, const Level3Args& args, int block, bool pins) = nullptr;
    int (*in_core_level3)(PeerState* state, const Level3Args& args) = nullptr;

    // Batches are put into the stream of the peers and not waited for; all is on the GPU.
    void* (*stream)(PeerState* state) = nullptr;
    int (*synchronize)(PeerState* state) = nullptr;
    /// cublas?gemmBatched or cublas?gemmStridedBatched, of one shape.
    int (*batched)(PeerState* state, const Batch& batch) = nullptr;
    /// cublas?gemmGroupedBatched with groups of one product; types s and d. Pointers are on the
    /// GPU, all other arrays on the host. The arrays that cuBLAS wants are made by the first.
    int (*set_groups)(PeerState* state, const Batch& batch) = nullptr;
    int (*grouped)(PeerState* state) = nullptr;
    /// One call of cuBLAS for each product. All arrays are on the host.
    int (*one_by_one)(PeerState* state, const Batch& batch) = nullptr;
};

/// The one symbol.
using PeersSymbol = const Peers* (*)();
inline constexpr const char* peers_symbol = "gemmill_peers";

}  // namespace gemmill
