// SPDX-License-Identifier: Apache-2.0
// The evaluation of BLASX (Wang et al., "BLASX: A High Performance Level-3 BLAS
// Library for Heterogeneous Multi-GPU Computing") on Everest: its sizes and what it reports.
#pragma once

#include <array>
#include <vector>

#include "reproduce/report.hpp"
#include "reproduce/reproduce.hpp"

namespace gemmill::command {

/// Section V.B: tiles of 1024 on Everest. Its volumes of cuBLASXt are those of tiles of 1024 as
/// well, to the megabyte.
inline const std::vector<Variant> blasx_variants{
    {"blasx", "blasx", {"tile=1024"}}, {"cublasxt", "cublasxt", {"tile=1024"}}, best};
inline constexpr int blasx_gpus = 3;

/// Section V.A and table III, in the order of the variants: rate on one GPU in % of in-core cuBLAS,
/// and parallel efficiency in %, means over the sizes.
struct BlasxMeans {
    double share, efficiency;
};
inline constexpr std::array<BlasxMeans, 3> blasx_means{
    {{92.68, 93.53}, {79, 89.85}, {not_reported, not_reported}}};

/// Table V: MB moved at n = 16384, by GPU; host in both directions, and from other GPUs. The table
/// tells them apart by colour only. The larger one is the host's: the smaller ones together are
/// less than A, B and C in and out for DSYMM, and less than C in and out for DTRSM.
struct BlasxVolume {
    double host, peers;
};
inline constexpr index_t blasx_volume_size = 16384;
inline constexpr std::array<std::array<BlasxVolume, blasx_gpus>, 3> blasx_volumes{{
    {{{6895, not_reported}, {4768, 1811}, {4462, 721}}},
    {{{24528, not_reported}, {24243, not_reported}, {24243, not_reported}}},
    {{{not_reported, not_reported}, {not_reported, not_reported}, {not_reported, not_reported}}},
}};
/// Its sum over the GPUs.
inline constexpr std::array<double, 3> blasx_volume_sums{18657, 73014, not_reported};

/// The other routines, in double precision: table III, parallel efficiency in %, and table V, MB of
/// BLASX and of cuBLASXt.
struct BlasxRoutine {
    Routine routine;
    const char* name;
    double blasx, cublasxt;
    std::array<std::array<BlasxVolume, blasx_gpus>, 2> volumes;
};
inline constexpr std::array<BlasxRoutine, 5> blasx_routines{{
    {Routine::symm,
     "DSYMM",
     90.36,
     57.96,
     {{{{{5628, not_reported}, {5318, 1249}, {3758, 343}}},
       {{{18865, not_reported}, {18865, not_reported}, {18102, not_reported}}}}}},
    {Routine::syrk,
     "DSYRK",
     85.54,
     64.21,
     {{{{{4278, not_reported}, {3410, 1363}, {2536, 1213}}},
       {{{12314, not_reported}, {12834, not_reported}, {11492, not_reported}}}}}},
    {Routine::syr2k,
     "DSYR2K",
     85.54,
     64.21,
     {{{{{7281, not_reported}, {5905, 2231}, {2969, 1308}}},
       {{{15910, not_reported}, {15910, not_reported}, {15900, not_reported}}}}}},
    {Routine::trmm,
     "DTRMM",
     88.99,
     82.11,
     {{{{{4966, not_reported}, {4353, 1694}, {2365, 327}}},
       {{{8885, not_reported}, {2020, not_reported}, {8922, not_reported}}}}}},
    {Routine::trsm,
     "DTRSM",
     81.58,
     77.27,
     {{{{{2751, not_reported}, {4622, 981}, {2575, 300}}},
       {{{12985, not_reported}, {12792, not_reported}, {12876, not_reported}}}}}},
}};

/// Square, on the host.
inline Case blasx_case(index_t n, int gpus, Routine routine = Routine::gemm) {
    return {Type::d, n, n, n, "h", gpus, routine};
}

/// 1024 to 39936 by 1024; `quick` stops at 16384.
inline std::vector<index_t> blasx_sizes(bool quick) {
    std::vector<index_t> all;
    for (index_t n = 1024; n <= (quick ? 16384 : 39936); n += 1024) all.push_back(n);
    return all;
}
/// Those whose rates are printed.
inline std::vector<index_t> blasx_shown_sizes(bool quick) {
    std::vector<index_t> all{1024, 2048, 4096, 8192, 16384};
    if (!quick) all.insert(all.end(), {22528, 32768, 39936});
    return all;
}

}  // namespace gemmill::command
