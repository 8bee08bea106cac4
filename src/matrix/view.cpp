// SPDX-License-Identifier: Apache-2.0
#include "matrix/view.hpp"

#include <cstring>

namespace gemmill {

void copy_block(const void* from, index_t from_ld, void* to, index_t to_ld, index_t rows,
                index_t cols, index_t bytes) {
    const auto run = static_cast<std::size_t>(rows * bytes);
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    if (from_ld == rows && to_ld == rows) {
        std::memcpy(target, source, run * static_cast<std::size_t>(cols));
        return;
    }
    for (index_t j = 0; j < cols; ++j)
        std::memcpy(target + j * to_ld * bytes, source + j * from_ld * bytes, run);
}

}  // namespace gemmill
