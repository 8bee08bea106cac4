// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch_table.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "backend/cuda/batch_table_data.hpp"

namespace gemmill {
namespace {

struct Row {
    bool strided = true, pointers = true;
    index_t edge = 0, k = 0;
    const batch::Kernel* kernel = nullptr;  // cuBLAS
};

using Table = std::vector<std::vector<Row>>;  // by type

index_t limit_of(const std::string& text) {
    return text == "*" ? std::numeric_limits<index_t>::max() : std::stoll(text);
}

/// A row that names a kernel which is not compiled in is left to cuBLAS.
Table parse(const char* text) {
    Table table(type_count);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string type, arrays, edge, k, kernel;
        if (!(words >> type >> arrays >> edge >> k >> kernel) || type.starts_with('#')) continue;
        const std::size_t at = std::string_view("sdczhb").find(type);
        if (at == std::string_view::npos) continue;
        table[at].push_back({arrays != "pointers", arrays != "strided", limit_of(edge), limit_of(k),
                             batch_kernel_named(static_cast<Type>(at), kernel)});
    }
    return table;
}

bool fits(const batch::Kernel& kernel, index_t edge, index_t k) {
    return (kernel.edge == 0 || edge <= kernel.edge) && (kernel.k == 0 || k <= kernel.k);
}

/// The first that can; they are listed from small to large.
const batch::Kernel* any_kernel(Type type, index_t edge, index_t k) {
    const auto all = batch::kernels_of(type);
    const auto found = std::ranges::find_if(
        all, [&](const batch::Kernel& kernel) { return fits(kernel, edge, k); });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const batch::Kernel* batch_kernel_named(Type type, std::string_view name) {
    const auto all = batch::kernels_of(type);
    const auto found = std::ranges::find(all, name, &batch::Kernel::name);
    return found == all.end() ? nullptr : &*found;
}

const batch::Kernel* batch_kernel(const Batch& x, bool cublas_may) {
    static const Table table = parse(batch_table_sm90);
    const index_t edge = std::max(x.m.all, x.n.all), k = x.k.all;
    const bool strided = x.c.array == nullptr;
    for (const Row& row : table[static_cast<std::size_t>(x.type)]) {
        if (edge > row.edge || k > row.k || !(strided ? row.strided : row.pointers)) continue;
        if (row.kernel == nullptr && !cublas_may) continue;
        if (row.kernel == nullptr || fits(*row.kernel, edge, k)) return row.kernel;
    }
    return any_kernel(x.type, edge, k);
}

}  // namespace gemmill
