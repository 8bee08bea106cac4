// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>

#include "backend/cuda/tile/local_copy.hpp"

namespace gemmill {
namespace {

constexpr int threads = 256;
constexpr int each = 4;  // rows of a thread, all of them under way at once

/// Sizes of the block and, with what is cleared, of all that is written.
struct Sizes {
    index_t rows, cols, all_rows, all_cols;
};

/// Threads of a block go down the rows of some columns.
template <class Word>
__global__ void __launch_bounds__(threads)
    copy_kernel(Sizes size, const Word* from, index_t from_ld, Word* to, index_t to_ld) {
    const index_t first = static_cast<index_t>(blockIdx.x) * blockDim.x * each + threadIdx.x;
    const index_t columns = static_cast<index_t>(gridDim.y) * blockDim.y;
    for (index_t j = static_cast<index_t>(blockIdx.y) * blockDim.y + threadIdx.y; j < size.all_cols;
         j += columns) {
        Word words[each];
#pragma unroll
        for (int u = 0; u < each; ++u) {
            const index_t i = first + static_cast<index_t>(u) * blockDim.x;
            words[u] = i < size.rows && j < size.cols ? from[i + j * from_ld] : Word{};
        }
#pragma unroll
        for (int u = 0; u < each; ++u) {
            const index_t i = first + static_cast<index_t>(u) * blockDim.x;
            if (i < size.all_rows) to[i + j * to_ld] = words[u];
        }
    }
}

template <class Word>
cudaError_t launch(cudaStream_t stream, const CopyArgs& a, const Sizes& size) {
    constexpr index_t least = 8, most_across = 65535;
    const auto lines = static_cast<unsigned>(
        std::clamp<index_t>((size.all_rows + each - 1) / each, least, threads));
    const unsigned down = std::bit_ceil(lines), across = threads / down;
    const auto blocks = [](index_t all, index_t of_one) { return (all + of_one - 1) / of_one; };
    const dim3 grid(static_cast<unsigned>(blocks(size.all_rows, static_cast<index_t>(down) * each)),
                    static_cast<unsigned>(std::min(blocks(size.all_cols, across), most_across)));
    copy_kernel<<<grid, dim3(down, across), 0, stream>>>(
        size, static_cast<const Word*>(a.from), a.from_ld, static_cast<Word*>(a.to), a.to_ld);
    return cudaPeekAtLastError();
}

}  // namespace

cudaError_t local_copy(cudaStream_t stream, const CopyArgs& a, const BorderArgs& border) {
    const Sizes size{a.rows, a.cols, a.rows + border.below, a.cols + border.beside};
    if (size.all_rows == 0 || size.all_cols == 0) return cudaSuccess;
    switch (a.bytes) {
        case 2:
            return launch<std::uint16_t>(stream, a, size);
        case 4:
            return launch<std::uint32_t>(stream, a, size);
        case 8:
            return launch<std::uint64_t>(stream, a, size);
        default:
            return launch<ulonglong2>(stream, a, size);
    }
}

}  // namespace gemmill
