// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/flags.hpp"
#include "kernel/cpu/host_room.hpp"

namespace gemmill {
namespace {

std::mutex opening;
HostLibrary blas;

template <class F>
void find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(::dlsym(library, name));
}

/// OpenBLAS says how it was built: 0 is without threads.
void refuse_serial(void* library, const std::string& path) {
    int (*parallel)() = nullptr;
    find(library, "openblas_get_parallel", parallel);
    require(parallel == nullptr || parallel() != 0, Code::no_device,
            "a build with threads, such as libopenblas0-pthread",
            fmt::format("host BLAS '{}' is OpenBLAS without threads, which is not safe to call "
                        "from several",
                        path));
}

/// The drop-in has the same symbols and would call itself without end.
void refuse_own(void* function, const std::string& path) {
    Dl_info info{};
    const bool known = ::dladdr(function, &info) != 0 && info.dli_fname != nullptr;
    require(!known ||
                std::string_view(info.dli_fname).find("libgemmill_blas") == std::string_view::npos,
            Code::no_device, "another library",
            fmt::format("host BLAS '{}' is Gemmill's own", path));
}

/// The kernels that OpenBLAS should have chosen, when it does not know this CPU and fell back to
/// those of twenty years ago; nullptr when its choice is as good. (0.3.21 takes an Emerald Rapids
/// for a Prescott and then runs at a fifth of its rate.)
const char* better_core(void* library) {
    static constexpr std::array<std::string_view, 7> old{
        "Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Generic"};
    const char* (*core)() = nullptr;
    find(library, "openblas_get_corename", core);
    if (core == nullptr || std::ranges::find(old, core()) == old.end()) return nullptr;
    if (cpu_has("avx512dq") && cpu_has("avx512bw") && cpu_has("avx512vl")) return "SkylakeX";
    if (cpu_has("avx2") && cpu_has("fma")) return "Haswell";
    return nullptr;
}

/// OpenBLAS starts its threads while it is loaded; it is told to take fewer where not all of them
/// can be made, or find room.
std::optional<ScopedVariable> fewer_threads() {
    const int cores = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    const int room = host_threads_with_room(cores);
    if (room == 0)
        throw Error(Code::out_of_memory, "no address space for the buffers of the host BLAS",
                    "a larger limit (ulimit -v)");
    const int threads = host_threads_to_be_had(room);
    if (threads == cores) return std::nullopt;
    return std::optional<ScopedVariable>(std::in_place, "OPENBLAS_NUM_THREADS",
                                         std::to_string(threads));
}

/// `core` becomes the kernels that it had to be told to take.
void* open_library(const std::string& path, std::string& core) {
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(Code::no_device, ::dlerror());
    if (const char* better = better_core(library)) {
        // It reads its choice of kernels from the environment, and only while it is loaded.
        ::dlclose(library);
        core = better;
        const ScopedVariable choice("OPENBLAS_CORETYPE", core);
        library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw Error(Code::no_device, ::dlerror());
    }
    return library;
}

HostLibrary load(const std::string& path) {
    HostLibrary found;
    void* library = open_library(path, found.core);
    for (std::size_t r = 0; r < routine_names.size(); ++r)
        for (std::size_t t = 0; t < 4; ++t)
            find(library, fmt::format("cblas_{}{}", "sdcz"[t], routine_names[r]).c_str(),
                 found.cblas[r][t]);
    find(library, "openblas_get_num_threads", found.threads);
    for (const Type type : {Type::s, Type::d, Type::c, Type::z})
        require(found.find(Routine::gemm, type) != nullptr, Code::no_device, "cblas_?gemm",
                fmt::format("'{}' is no CBLAS", path));
    refuse_serial(library, path);
    refuse_own(found.find(Routine::gemm, Type::d), path);
    const char* (*config)() = nullptr;
    find(library, "openblas_get_config", config);
    found.name = config != nullptr ? config() : path;
    found.wide = found.name.find("USE64BITINT") != std::string::npos;
    return found;
}

std::vector<std::string> candidates(const std::string& path) {
    if (!path.empty()) return {path};
    std::vector<std::string> all;
    if (*GEMMILL_HOST_BLAS_PATH != '\0') all.emplace_back(GEMMILL_HOST_BLAS_PATH);
    all.emplace_back("libopenblas.so.0");
    return all;
}

}  // namespace

void open_host_blas(const std::string& path) {
    const std::lock_guard lock(opening);
    if (blas.find(Routine::gemm, Type::d) != nullptr) return;
    const auto fewer = fewer_threads();
    std::string tried;
    for (const std::string& candidate : candidates(path)) {
        try {
            blas = load(candidate);
            return;
        } catch (const Error& error) {
            tried += fmt::format("{}{}", tried.empty() ? "" : "; ", error.text());
        }
    }
    throw Error(Code::no_device, "no host BLAS: " + tried,
                "libopenblas0-pthread, or GEMMILL_HOST_BLAS=path");
}

const HostLibrary& host_library() noexcept { return blas; }

std::string host_blas_name() {
    const std::lock_guard lock(opening);
    return blas.name;
}

int host_blas_threads() {
    const std::lock_guard lock(opening);
    return blas.threads != nullptr ? blas.threads() : 0;
}

}  // namespace gemmill
