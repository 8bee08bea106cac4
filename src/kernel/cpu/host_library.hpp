// SPDX-License-Identifier: Apache-2.0
// The host BLAS as a table of functions. Opened by path at run time, so that nothing that is loaded
// later can stand in its place.
#pragma once

#include <array>
#include <string>

#include "gemmill/types.hpp"

namespace gemmill {

struct HostLibrary {
    /// cblas_* by Routine and Type, s to z; nullptr where it has none.
    std::array<std::array<void*, 4>, 10> cblas{};
    bool wide = false;  ///< its integers have 64 bits
    int (*threads)() = nullptr;
    std::string name;
    std::string core;  ///< the kernels that OpenBLAS had to be told to take; empty: its own choice

    void* find(Routine routine, Type type) const {
        return cblas[static_cast<std::size_t>(routine)][static_cast<std::size_t>(type)];
    }
};

/// Opens the library on first use: `path`, or when it is empty the OpenBLAS found at build time,
/// or libopenblas.so.0. The first path that was opened stays.
/// Throws Error(no_device) when there is none, and when it is a build of OpenBLAS without threads,
/// which gives wrong results when two threads call it.
void open_host_blas(const std::string& path);
/// What was opened; nothing in it before.
const HostLibrary& host_library() noexcept;
/// What was opened: "OpenBLAS 0.3.21 ... MAX_THREADS=64", or the path.
std::string host_blas_name();
/// Threads that one call uses; 0: unknown.
int host_blas_threads();

/// CBLAS enumerations.
namespace cblas {
inline constexpr int col_major = 102;
constexpr int of(Op op) { return op == Op::NoTrans ? 111 : op == Op::Trans ? 112 : 113; }
constexpr int of(Uplo uplo) { return uplo == Uplo::Upper ? 121 : 122; }
constexpr int of(Diag diag) { return diag == Diag::NonUnit ? 131 : 132; }
constexpr int of(Side side) { return side == Side::Left ? 141 : 142; }

/// alpha or beta as CBLAS takes it: reals by value, complex numbers by address.
template <class T>
auto factor(const T& x) {
    if constexpr (is_complex(type_of<T>))
        return static_cast<const void*>(&x);
    else
        return x;
}

template <class... P>
void call(void* function, P... arguments) {
    reinterpret_cast<void (*)(P...)>(function)(arguments...);
}
}  // namespace cblas

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
