// SPDX-License-Identifier: Apache-2.0
#include "mpi/gpu_aware.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// Open MPI and MPICH have it as an extension, others not at all.
bool ask_mpi() {
    using Query = int (*)();
    const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return query != nullptr && query() == 1;
}

}  // namespace

bool is_gpu_aware(const std::string& asked) {
    require(asked == "auto" || asked == "1" || asked == "0", Code::bad_argument, "1, 0 or auto",
            fmt::format("gpu_aware_mpi: '{}'", asked));
    return asked == "auto" ? ask_mpi() : asked == "1";
}

}  // namespace gemmill
