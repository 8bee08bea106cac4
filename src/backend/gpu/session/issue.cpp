// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/session/issue.hpp"

namespace gemmill {

int issue_border(const GpuDriver& driver, const Lane& lane, const BorderArgs& border) {
    return border.below == 0 && border.beside == 0 ? 0 : driver.clear(lane.stream, border);
}

int issue(const GpuDriver& driver, const Lane& lane, const Task& task) {
    if (const auto* copy = std::get_if<CopyArgs>(&task.work))
        return copy->rows == 0 || copy->cols == 0 ? issue_border(driver, lane, task.border)
                                                  : driver.copy(lane.stream, *copy, task.border);
    if (const auto* gemm = std::get_if<GemmArgs>(&task.work)) return driver.gemm(lane.blas, *gemm);
    if (const auto* kernel = std::get_if<KernelArgs>(&task.work))
        return driver.kernel(lane.blas, *kernel);
    if (const auto* mirror = std::get_if<MirrorArgs>(&task.work))
        return driver.mirror(lane.stream, *mirror);
    return driver.add(lane.stream, std::get<AddArgs>(task.work));
}

}  // namespace gemmill
