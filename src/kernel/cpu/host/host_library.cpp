// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/host_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
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
#include "kernel/cpu/host/host_room.hpp"
#include "kernel/cpu/small/flags.hpp"

namespace gemmill {
namespace {

std::mutex opening;
HostLibrary blas;

/// Who has told the library to take fewer threads, and what it took before.
std::mutex telling;
int tellers = 0, threads_before = 0;

/// A library that is open, and how it spells its names.
struct Opened {
    void* handle;
    HostNames names;

    template <class F>
    void find(std::string_view name, F& function) const {
        look_up(fmt::format("{}{}{}", names.prefix, name, names.suffix), function);
    }
    template <class F>
    void find_fortran(std::string_view name, F& function) const {
        look_up(fmt::format("{}{}{}", names.prefix, name, names.fortran_suffix), function);
    }

  private:
    template <class F>
    void look_up(const std::string& spelled, F& function) const {
        function = reinterpret_cast<F>(::dlsym(handle, spelled.c_str()));
    }
};

/// OpenBLAS says how it was built: 0 is without threads.
void refuse_serial(const Opened& library, const std::string& path) {
    int (*parallel)() = nullptr;
    library.find("openblas_get_parallel", parallel);
    require(parallel == nullptr || parallel() != 0, Code::no_device,
            "a build with threads, such as libopenblas0-pthread",
            fmt::format("host BLAS '{}' is OpenBLAS without threads, which is not safe to call "
                        "from several",
                        path));
}

/// Where a function lies.
struct Home {
    Dl_info info{};
    link_map* map = nullptr;

    explicit Home(const void* address) {
        ::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
    }
    std::string file() const { return info.dli_fname != nullptr ? info.dli_fname : ""; }
    /// Whether the same library shows this name.
    bool has(const char* name) const {
        if (map == nullptr) return false;
        const char* const path = *map->l_name != '\0' ? map->l_name : nullptr;
        void* const handle = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        const void* const found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
        if (handle != nullptr) ::dlclose(handle);
        return found != nullptr && Home(found).info.dli_fbase == info.dli_fbase;
    }
};

/// The drop-in has the same symbols and would call itself without end.
void refuse_own(const Home& home, const std::string& path) {
    require(!home.has("gemmill_dropin"), Code::no_device, "another library",
            fmt::format("host BLAS '{}' is Gemmill's own", path));
}

/// The kernels that OpenBLAS should have chosen, when it does not know this CPU and fell back to
/// those of twenty years ago; nullptr when its choice is as good. (0.3.21 takes an Emerald Rapids
/// for a Prescott and then runs at a fifth of its rate.)
const char* better_core(void* library) {
    static constexpr std::array<std::string_view, 7> old{
        "Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Generic"};
    const char* (*core)() = nullptr;
    Opened{library, {}}.find("openblas_get_corename", core);
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

/// Fills the table, and throws Error(no_device) when it has not even products.
void fill(HostLibrary& found, const Opened& library, const std::string& path) {
    for (std::size_t r = 0; r < routine_names.size(); ++r)
        for (std::size_t t = 0; t < 4; ++t) {
            const std::string name = std::string(1, "sdcz"[t]) + routine_names[r];
            void*& function = found.functions[r][t];
            found.fortran ? library.find_fortran(name, function)
                          : library.find("cblas_" + name, function);
        }
    for (const Type type : {Type::s, Type::d, Type::c, Type::z})
        require(found.find(Routine::gemm, type) != nullptr, Code::no_device, "cblas_?gemm",
                fmt::format("'{}' is no CBLAS", path));
}

/// The table of a library that is open. Throws Error(no_device) when it cannot be used.
HostLibrary table_of(const Opened& library, const std::string& path, bool fortran) {
    HostLibrary found;
    found.fortran = fortran;
    fill(found, library, path);
    refuse_serial(library, path);
    const Home home(found.find(Routine::gemm, Type::d));
    refuse_own(home, path);
    library.find("openblas_get_num_threads", found.threads);
    library.find("openblas_set_num_threads", found.set_threads);
    const char* (*config)() = nullptr;
    library.find("openblas_get_config", config);
    found.name = config != nullptr ? config() : home.file();
    found.wide = library.names.wide || found.name.find("USE64BITINT") != std::string::npos ||
                 (config == nullptr && home.file().find("blas64") != std::string::npos);
    return found;
}

HostLibrary load(const std::string& path) {
    std::string core;
    void* const handle = open_library(path, core);
    HostLibrary found = table_of({handle, {}}, path, false);
    found.core = core;
    return found;
}

/// Paths of what this process has loaded, in the order of loading.
std::vector<std::string> loaded_paths() {
    std::vector<std::string> paths;
    const auto add = [](dl_phdr_info* object, std::size_t, void* to) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(object->dlpi_name);
        return 0;
    };
    ::dl_iterate_phdr(add, &paths);
    return paths;
}

bool is_openblas(const Opened& library) {
    void* config = nullptr;
    library.find("openblas_get_config", config);
    return config != nullptr;
}

/// MKL (PyTorch holds a part of it) and BLIS, by names that only they have.
bool is_fast(void* handle) {
    static constexpr std::array names{"mkl_get_version", "MKL_Get_Version",
                                      "MKL_Get_Version_String", "bli_info_get_version_str"};
    return std::ranges::any_of(names,
                               [&](const char* name) { return ::dlsym(handle, name) != nullptr; });
}

/// Nothing when it is not wanted or cannot be used.
std::optional<HostLibrary> taken(const Opened& library, const std::string& path, Wanted wanted) {
    const bool openblas = is_openblas(library);
    if (wanted == Wanted::fast && !openblas && !is_fast(library.handle)) return std::nullopt;
    try {
        return table_of(library, path, !openblas);
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::vector<std::string> candidates(const std::string& path) {
    if (!path.empty()) return {path};
    std::vector<std::string> all;
    if (*GEMMILL_HOST_BLAS_PATH != '\0') all.emplace_back(GEMMILL_HOST_BLAS_PATH);
    all.emplace_back("libopenblas.so.0");
    return all;
}

}  // namespace

HostLibrary load_host_blas(const std::string& path) {
    const auto fewer = fewer_threads();
    std::string tried;
    for (const std::string& candidate : candidates(path)) {
        try {
            return load(candidate);
        } catch (const Error& error) {
            tried += fmt::format("{}{}", tried.empty() ? "" : "; ", error.text());
        }
    }
    throw Error(Code::no_device, (path.empty() ? "no host BLAS: " : "host_blas: ") + tried,
                "libopenblas0-pthread, or GEMMILL_HOST_BLAS=path");
}

std::optional<HostLibrary> loaded_host_blas(const HostNames& names, Wanted wanted) {
    for (const std::string& path : loaded_paths()) {
        void* const handle =
            ::dlopen(path.empty() ? nullptr : path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        // A handle finds what its library needs too. One that is used is kept open.
        if (auto found = taken({handle, names}, path, wanted)) return found;
        ::dlclose(handle);
    }
    return std::nullopt;
}

void open_host_blas(const std::string& path) {
    const std::lock_guard lock(opening);
    if (blas.find(Routine::gemm, Type::d) == nullptr) blas = load_host_blas(path);
}

void use_host_blas(const HostLibrary& library) {
    const std::lock_guard lock(opening);
    if (blas.find(Routine::gemm, Type::d) == nullptr) blas = library;
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

FewerHostThreads::FewerHostThreads(int most) {
    if (most <= 0 || blas.threads == nullptr || blas.set_threads == nullptr) return;
    const std::lock_guard lock(telling);
    counts_ = true;
    if (tellers++ > 0) return;
    threads_before = blas.threads();
    if (most < threads_before) blas.set_threads(most);
}

FewerHostThreads::~FewerHostThreads() {
    if (!counts_) return;
    const std::lock_guard lock(telling);
    if (--tellers == 0) blas.set_threads(threads_before);
}

}  // namespace gemmill
