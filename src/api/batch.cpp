// SPDX-License-Identifier: Apache-2.0
// check -> where -> run, for many products.
#include "gemmill/batch.hpp"

#include <fmt/format.h>

#include "api/state.hpp"
#include "batch/check.hpp"
#include "batch/groups.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/batch.hpp"

namespace gemmill {
namespace {

void check_layout(Layout layout) {
    require(layout == Layout::ColMajor || layout == Layout::RowMajor, Code::bad_argument,
            "layout: ColMajor or RowMajor", "gemm_batch: layout is no flag");
}

/// Where a batch runs.
struct Where {
    const GpuDriver* driver = nullptr;  ///< none: the CPU
    int device = -1;                    ///< -1: the calling thread's own
};

/// The GPU that a pointer points into, or -1.
int gpu_of(const GpuDriver& driver, const void* pointer) {
    GpuPlace place{};
    int device = -1;
    return driver.locate(pointer, &place, &device) == 0 && place == GpuPlace::device ? device : -1;
}

/// A batch is where its C is.
Where where_of(Context::State& state, const Batch& x, const BatchOptions& options) {
    if (state.direct() && !options.stream) return {};
    const GpuDriver* driver = state.gpus();
    require(driver != nullptr || !options.stream, Code::no_device, "a context with GPUs",
            "gemm_batch: a stream, and no GPU");
    if (driver == nullptr) return {};
    int device =
        gpu_of(*driver, x.c.array != nullptr ? static_cast<const void*>(x.c.array) : x.c.data);
    if (device < 0 && x.c.array != nullptr) device = gpu_of(*driver, x.c.array[0]);
    if (device < 0 && !options.stream) return {};
    return {driver, device};
}

void run_on_gpu(const Where& where, Layout layout, const Batch& x, const BatchOptions& options) {
    const GpuDriver& driver = *where.driver;
    const auto require_ok = [&](int code) {
        if (code != 0)
            throw Error(driver.fault(code) == GpuFault::lost     ? Code::no_device
                        : driver.fault(code) == GpuFault::memory ? Code::out_of_memory
                                                                 : Code::failed_step,
                        fmt::format("gemm_batch: {}: {}", driver.name, driver.words(code)));
    };
    if (options.check) {
        index_t product = -1;
        int argument = 0;
        require_ok(driver.check_batch(where.device, options.stream, x, &product, &argument));
        if (product >= 0) refuse_product(layout, product, static_cast<BatchArgument>(argument));
    }
    require_ok(driver.batch(where.device, options.stream, x));
}

void run(Context& context, Layout layout, const Batch& x, const BatchOptions& options) {
    check_shared(layout, x);
    if (x.count == 0) return;
    Context::State& state = context.state();
    const Where where = where_of(state, x, options);
    if (where.driver != nullptr) return run_on_gpu(where, layout, x, options);
    if (options.check) check_products(layout, x);
    host_batch(x, state.team());
}

}  // namespace

void gemm_batch(Context& context, Layout layout, const Batch& batch, const BatchOptions& options) {
    check_layout(layout);
    run(context, layout, layout == Layout::RowMajor ? transposed(batch) : batch, options);
}

void detail::gemm_groups(Context& context, Layout layout, index_t group_count,
                         const index_t* group_sizes, const Batch& all, BatchInfo mode,
                         std::int64_t* info, const BatchOptions& options) {
    check_layout(layout);
    require(group_count >= 0, Code::bad_argument, "group_count >= 0",
            fmt::format("gemm_groups: group_count is {}", group_count));
    require(mode == BatchInfo::none || info != nullptr, Code::bad_argument, "info != nullptr",
            "gemm_groups: info is null");
    const Groups groups{group_count, group_sizes,
                        layout == Layout::RowMajor ? transposed(all) : all};
    if (const index_t bad = report_groups(layout, groups, mode, info); bad >= 0) {
        BatchArgument argument = bad_group(groups, bad);
        if (layout == Layout::RowMajor) argument = transposed(argument);
        throw Error(Code::bad_argument,
                    fmt::format("gemm_groups: group {}: {} is bad", bad, name_of(argument)),
                    "what gemm needs");
    }
    // Large groups have kernels for their shape; of small ones there are too many to call each. A
    // check is of all products before the first.
    constexpr index_t few = 16, large = 1000;
    const bool many = group_count > few && product_count(groups) < large * group_count;
    if (many || options.check) return run(context, layout, Expanded(groups).batch(), options);
    index_t first = 0;
    for (index_t g = 0; g < group_count; first += group_sizes[g], ++g)
        run(context, layout, group_of(groups, g, first), options);
}

}  // namespace gemmill
