// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_table.hpp"

#include <algorithm>
#include <vector>

#include "backend/cuda/batch_table_data.hpp"
#include "batch/choice/table.hpp"

namespace gemmill {
namespace {

struct Row {
    BatchRow row;
    const batch::Kernel* kernel = nullptr;  // cuBLAS
};
using Rows = std::vector<std::vector<Row>>;  // by type

/// A row that names a kernel which is not compiled in is left to cuBLAS.
Rows rows_of(const char* text) {
    Rows rows(type_count);
    for (BatchRow& row : parse_batch_table(text).rows) {
        const batch::Kernel* kernel = batch_kernel_named(row.type, row.kernel);
        rows[static_cast<std::size_t>(row.type)].push_back({std::move(row), kernel});
    }
    return rows;
}

}  // namespace

const batch::Kernel* batch_kernel_named(Type type, std::string_view name) {
    const auto all = batch::kernels_of(type);
    const auto found = std::ranges::find(all, name, &batch::Kernel::name);
    return found == all.end() ? nullptr : &*found;
}

bool can_make(const batch::Kernel& kernel, const Batch& x) {
    return (kernel.edge == 0 || std::max(x.m.all, x.n.all) <= kernel.edge) &&
           (kernel.k == 0 || x.k.all <= kernel.k) && (kernel.takes == nullptr || kernel.takes(x));
}

std::optional<BatchChoice> choice_by_table(const Batch& x, bool cublas_may) {
    static const Rows rows = rows_of(batch_table_sm90);
    for (const auto& [row, kernel] : rows[static_cast<std::size_t>(x.type)]) {
        if (!fits(row, x) || (kernel == nullptr && !cublas_may)) continue;
        if (kernel == nullptr || can_make(*kernel, x)) return BatchChoice{kernel};
    }
    return std::nullopt;
}

}  // namespace gemmill
