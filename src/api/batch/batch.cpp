// SPDX-License-Identifier: Apache-2.0
// check -> where -> run, for many products.
#include "gemmill/batch.hpp"

#include <fmt/format.h>

#include "api/batch/batch_place.hpp"
#include "backend/gpu/gpu.hpp"
#include "backend/gpu/resources.hpp"
#include "backend/run_each.hpp"
#include "batch/check.hpp"
#include "batch/groups.hpp"
#include "batch/reach.hpp"
#include "batch/split.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/batch.hpp"

namespace gemmill {
namespace {

void check_layout(Layout layout) {
    require(layout == Layout::ColMajor || layout == Layout::RowMajor, Code::bad_argument,
            "layout: ColMajor or RowMajor", "gemm_batch: layout is no flag");
}

/// How a batch is made on GPUs where it lies.
struct OnGpus {
    const GpuDriver& driver;
    bool may_try;  ///< policy auto: the same call may have other bits
};

void run_on_gpu(const OnGpus& how, int gpu, const Batch& x, const BatchOptions& options) {
    require_ok(how.driver, how.driver.batch(gpu, options.stream, x, how.may_try), "gemm_batch");
}

/// Arrays may be on the GPU, and are looked at there.
void check_on_gpu(const GpuDriver& driver, int gpu, Layout layout, const Batch& x,
                  const BatchOptions& options) {
    index_t product = -1;
    int argument = 0;
    require_ok(driver, driver.check_batch(gpu, options.stream, x, &product, &argument),
               "gemm_batch");
    if (product >= 0) refuse_product(layout, product, static_cast<BatchArgument>(argument));
}

/// Threads of a parent are not in its child, which works alone.
void run_on_cpu(Context::State& state, const Batch& x) {
    if (state.is_ours()) return host_batch(x, state.team());
    Team alone(1);
    host_batch(x, alone);
}

void run_on_gpus(const OnGpus& how, const std::vector<OnGpu>& gpus, Layout layout, const Batch& x,
                 const BatchOptions& options) {
    if (gpus.size() == 1) {
        if (options.check && has_arrays(x))
            check_on_gpu(how.driver, gpus[0].gpu, layout, x, options);
        return run_on_gpu(how, gpus[0].gpu, x, options);
    }
    run_each(gpus.size(), [&](std::size_t i) {
        run_on_gpu(how, gpus[i].gpu, Picked(x, gpus[i].products).batch(), options);
    });
}

bool keeps_to_blocks(const Context::State& state, const Reach& reach) {
    return state.keeps_to_blocks(reinterpret_cast<const void*>(reach.begin),
                                 static_cast<std::size_t>(reach.bytes()));
}

[[noreturn]] void refuse_block(const std::string& name) {
    throw Error(Code::bad_argument,
                fmt::format("gemm_batch: {} is larger than the memory that it was given", name),
                "all of it in one block of allocate()");
}

/// Matrices in memory that the context allocated lie in it whole, and those at equal distances in
/// one block.
void check_blocks(const Context::State& state, Layout layout, const Batch& x) {
    for (const BatchArgument matrix : {BatchArgument::a, BatchArgument::b, BatchArgument::c}) {
        const char* const name = name_of(layout == Layout::RowMajor ? transposed(matrix) : matrix);
        if (!has_arrays(x)) {
            if (!keeps_to_blocks(state, reach_of_all(x, matrix))) refuse_block(name);
            continue;
        }
        for (index_t i = 0; i < x.count; ++i)
            if (!keeps_to_blocks(state, reach_of(x, matrix, i)))
                refuse_block(fmt::format("product {}: {}", i, name));
    }
}

/// Before anything is written.
void check_all(const Context::State& state, Layout layout, const Batch& x, bool each) {
    if (each) check_products(layout, x);
    if (each || !has_arrays(x)) check_blocks(state, layout, x);
    if (each) check_overlap(layout, x);
}

}  // namespace

void run_batch(Context::State& state, Layout layout, const Batch& x, const BatchOptions& options) {
    check_shared(layout, x);
    if (is_nothing(x)) return;
    const BatchPlace place = place_of(state, x, options);
    // Where the matrices of one GPU are all there is, their arrays may be there too.
    if (place.gpus.size() != 1 || !has_arrays(x)) check_all(state, layout, x, options.check);
    GpuBackend* gpus = state.gpus;
    switch (place.kind) {
        case BatchPlace::Kind::gpus:
            return run_on_gpus({gpus->driver(), state.options.policy == "auto"}, place.gpus, layout,
                               x, options);
        case BatchPlace::Kind::devices:
            return gpus->batch(x, [&](index_t count, index_t part, const auto& f) {
                state.team().run(count, part, f);
            });
        case BatchPlace::Kind::cpu:
            return run_on_cpu(state, x);
    }
}

void gemm_batch(Context& context, Layout layout, const Batch& batch, const BatchOptions& options) {
    const auto state = context.use();
    check_layout(layout);
    run_batch(*state, layout, layout == Layout::RowMajor ? transposed(batch) : batch, options);
}

void detail::gemm_groups(Context& context, Layout layout, index_t group_count,
                         const index_t* group_sizes, const Batch& all, BatchInfo mode,
                         std::int64_t* info, const BatchOptions& options) {
    const auto state = context.use();
    check_layout(layout);
    require(group_count >= 0, Code::bad_argument, "group_count >= 0",
            fmt::format("gemm_groups: group_count is {}", group_count));
    require(mode == BatchInfo::none || info != nullptr, Code::bad_argument, "info != nullptr",
            "gemm_groups: info is null");
    const Groups groups{group_count, group_sizes,
                        layout == Layout::RowMajor ? transposed(all) : all};
    check_groups(layout, groups);
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
    if (many || options.check) return run_batch(*state, layout, Expanded(groups).batch(), options);
    index_t first = 0;
    for (index_t g = 0; g < group_count; first += group_sizes[g], ++g)
        run_batch(*state, layout, group_of(groups, g, first), options);
}

}  // namespace gemmill
