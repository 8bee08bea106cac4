// SPDX-License-Identifier: Apache-2.0
// The host BLAS as a table of functions. Opened by path at run time, so that nothing that is loaded
// later can stand in its place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gemmill/types.hpp"

namespace gemmill {

/// How a library spells its names: {"scipy_", "64_", "_64_"} has scipy_cblas_dgemm64_ and
/// scipy_dgemm_64_.
struct HostNames {
    std::string_view prefix, suffix, fortran_suffix = "_";
    bool wide = false;  ///< integers have 64 bits, whatever the library says of itself
};

/// The functions of one BLAS. One without any leaves all to plain loops.
struct HostLibrary {
    /// By Routine and Type, s to z: cblas_dgemm and its like; nullptr where it has none.
    std::array<std::array<void*, 4>, 10> functions{};
    bool fortran = false;  ///< they are dgemm_ and its like instead
    bool wide = false;     ///< its integers have 64 bits
    int (*threads)() = nullptr;
    void (*set_threads)(int) = nullptr;
    std::string name;
    std::string core;  ///< the kernels that OpenBLAS had to be told to take; empty: its own choice

    void* find(Routine routine, Type type) const {
        return functions[static_cast<std::size_t>(routine)][static_cast<std::size_t>(type)];
    }
};

/// Opens a library: `path`, or when it is empty the OpenBLAS found at build time, or
/// libopenblas.so.0. Throws Error(no_device) when there is none, and when it is a build of OpenBLAS
/// without threads, which gives wrong results when two threads call it.
HostLibrary load_host_blas(const std::string& path);
/// Which of what this process has loaded will do.
enum class Wanted : std::uint8_t {
    fast,  ///< OpenBLAS with threads, MKL, BLIS
    any,
};
/// The BLAS that this process has loaded under such names, besides the drop-in; nothing is opened.
/// All but OpenBLAS are called by their Fortran names: the CBLAS of some calls those, which may by
/// then be the drop-in's.
std::optional<HostLibrary> loaded_host_blas(const HostNames& names, Wanted wanted);

/// Opens the library of this process on first use, as load_host_blas() does. The first one stays.
void open_host_blas(const std::string& path);
/// Makes it the library of this process, unless there is one.
void use_host_blas(const HostLibrary& library);
/// What was opened; nothing in it before.
const HostLibrary& host_library() noexcept;
/// What was opened: "OpenBLAS 0.3.21 ... MAX_THREADS=64", or the path.
std::string host_blas_name();
/// Threads that one call uses; 0: unknown.
int host_blas_threads();

/// While one lives, calls of the host BLAS use so many threads at most, so that cores are left for
/// others; 0: as many as they like. Only OpenBLAS can be told, and all of the process is told: of
/// several at once the first one counts.
class FewerHostThreads {
  public:
    explicit FewerHostThreads(int most);
    ~FewerHostThreads();
    FewerHostThreads(const FewerHostThreads&) = delete;
    FewerHostThreads& operator=(const FewerHostThreads&) = delete;

  private:
    bool counts_ = false;
};

/// Calls f with an integer of the library's width: f(int{}) or f(index_t{}).
template <class F>
void with_width(const HostLibrary& library, F&& f) {
    if (library.wide)
        f(index_t{});
    else
        f(int{});
}

/// The largest dimension of one call, and the largest leading dimension that it can say.
template <class I>
inline constexpr index_t largest_size = index_t{1} << (sizeof(I) == 4 ? 30 : 62);
template <class I>
inline constexpr index_t largest_ld = (index_t{1} << (sizeof(I) == 4 ? 31 : 62)) - 1;

}  // namespace gemmill
