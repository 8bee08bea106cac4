// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host_blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/by_float.hpp"
#include "kernel/reference/level3.hpp"
#include "kernel/reference/reference.hpp"

namespace gemmill {
namespace {

// The CBLAS interface, 32-bit integers.
using RealS = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);
using RealD = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int,
                       double, double*, int);
using Complex = void (*)(int, int, int, int, int, int, const void*, const void*, int, const void*,
                         int, const void*, void*, int);

struct HostBlas {
    RealS sgemm = nullptr;
    RealD dgemm = nullptr;
    Complex cgemm = nullptr, zgemm = nullptr;
    int (*threads)() = nullptr;
    std::string name;
};

std::mutex opening;
HostBlas blas;

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

/// The kernels that OpenBLAS should have chosen, when it does not know this CPU and fell back to
/// those of twenty years ago; nullptr when its choice is as good. (0.3.21 takes an Emerald Rapids
/// for a Prescott and then runs at a fifth of its rate.)
const char* better_core(void* library) {
    static constexpr std::array<std::string_view, 7> old{
        "Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Generic"};
    const char* (*core)() = nullptr;
    find(library, "openblas_get_corename", core);
    if (core == nullptr || std::ranges::find(old, core()) == old.end()) return nullptr;
    try {
        const std::string cpu = read_file("/proc/cpuinfo");
        const auto has = [&](const char* flag) { return cpu.find(flag) != std::string::npos; };
        if (has(" avx512dq") && has(" avx512bw") && has(" avx512vl")) return "SkylakeX";
        if (has(" avx2") && has(" fma")) return "Haswell";
    } catch (const Error&) {  // no such file: its choice stands
    }
    return nullptr;
}

void* open_library(const std::string& path) {
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(Code::no_device, ::dlerror());
    if (const char* core = better_core(library)) {
        // It reads its choice of kernels from the environment, and only while it is loaded.
        ::dlclose(library);
        const ScopedVariable choice("OPENBLAS_CORETYPE", core);
        library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw Error(Code::no_device, ::dlerror());
    }
    return library;
}

HostBlas load(const std::string& path) {
    void* library = open_library(path);
    HostBlas found;
    find(library, "cblas_sgemm", found.sgemm);
    find(library, "cblas_dgemm", found.dgemm);
    find(library, "cblas_cgemm", found.cgemm);
    find(library, "cblas_zgemm", found.zgemm);
    find(library, "openblas_get_num_threads", found.threads);
    require(found.sgemm != nullptr && found.dgemm != nullptr && found.cgemm != nullptr &&
                found.zgemm != nullptr,
            Code::no_device, "cblas_?gemm", fmt::format("'{}' is no CBLAS", path));
    refuse_serial(library, path);
    const char* (*config)() = nullptr;
    find(library, "openblas_get_config", config);
    found.name = config != nullptr ? config() : path;
    return found;
}

std::vector<std::string> candidates(const std::string& path) {
    if (!path.empty()) return {path};
    std::vector<std::string> all;
    if (*GEMMILL_HOST_BLAS_PATH != '\0') all.emplace_back(GEMMILL_HOST_BLAS_PATH);
    all.emplace_back("libopenblas.so.0");
    return all;
}

// CBLAS enumerations.
constexpr int col_major = 102;
int cblas_op(Op op) { return op == Op::NoTrans ? 111 : op == Op::Trans ? 112 : 113; }

struct Call {
    int op_a, op_b, m, n, k, lda, ldb, ldc;
};

template <class T>
void call(const Call& s, T alpha, const T* a, const T* b, T beta, T* c) {
    const auto real = [&](auto function) {
        function(col_major, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, s.lda, b, s.ldb, beta, c,
                 s.ldc);
    };
    const auto complex = [&](auto function) {
        function(col_major, s.op_a, s.op_b, s.m, s.n, s.k, &alpha, a, s.lda, b, s.ldb, &beta, c,
                 s.ldc);
    };
    if constexpr (type_of<T> == Type::s)
        real(blas.sgemm);
    else if constexpr (type_of<T> == Type::d)
        real(blas.dgemm);
    else if constexpr (type_of<T> == Type::c)
        complex(blas.cgemm);
    else
        complex(blas.zgemm);
}

constexpr index_t largest = index_t{1} << 30;  // of a dimension in one call

/// Element (i, j) of op(X).
template <class T>
const T* at(const T* x, index_t ld, Op op, index_t i, index_t j) {
    return op == Op::NoTrans ? x + i + j * ld : x + j + i * ld;
}

/// One call, or several when a dimension does not fit 32 bits.
template <class T>
void gemm(const GemmArgs& g) {
    // A leading dimension that 32 bits cannot hold: no BLAS call can say it.
    constexpr index_t most = std::numeric_limits<int>::max();
    if (g.lda > most || g.ldb > most || g.ldc > most) return reference_gemm(g);
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const T alpha = from_scalar<T>(g.alpha), beta = from_scalar<T>(g.beta);
    const bool multiplies = g.k > 0 && alpha != T(0);
    const index_t depth = multiplies ? g.k : 1;
    for (index_t j = 0; j < g.n; j += largest)
        for (index_t i = 0; i < g.m; i += largest)
            for (index_t l = 0; l < depth; l += largest) {
                const auto part = [](index_t whole, index_t first) {
                    return static_cast<int>(std::min(largest, whole - first));
                };
                const Call s{cblas_op(g.op_a),
                             cblas_op(g.op_b),
                             part(g.m, i),
                             part(g.n, j),
                             multiplies ? part(g.k, l) : 0,
                             static_cast<int>(g.lda),
                             static_cast<int>(g.ldb),
                             static_cast<int>(g.ldc)};
                // Some kernels add alpha times nothing, which is NaN when alpha is.
                call<T>(s, multiplies ? alpha : T(0), multiplies ? at(a, g.lda, g.op_a, i, l) : a,
                        multiplies ? at(b, g.ldb, g.op_b, l, j) : b, l == 0 ? beta : T(1),
                        c + i + j * g.ldc);
            }
}

}  // namespace

void open_host_blas(const std::string& path) {
    const std::lock_guard lock(opening);
    if (blas.dgemm != nullptr) return;
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

std::string host_blas_name() {
    const std::lock_guard lock(opening);
    return blas.name;
}

int host_blas_threads() {
    const std::lock_guard lock(opening);
    return blas.threads != nullptr ? blas.threads() : 0;
}

void host_gemm(const GemmArgs& args) {
    if (args.m == 0 || args.n == 0) return;
    with_type(args.type, [&]<class T>() {
        if constexpr (is_short(type_of<T>))
            gemm_by_float(args, host_gemm);
        else
            gemm<T>(args);
    });
}

void host_add(const AddArgs& args) { reference_add(args); }

Kernels host_kernels() { return {host_gemm, host_add, reference_level3}; }

}  // namespace gemmill
