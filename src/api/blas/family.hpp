// SPDX-License-Identifier: Apache-2.0
// Under whose names a call came.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/cpu/host/host_library.hpp"

namespace gemmill::blas {

/// Names that belong together: they have one width of integers, and one BLAS had them before us.
enum class Family : std::uint8_t {
    narrow,      ///< dgemm_, cblas_dgemm; integers of 32 bits
    wide,        ///< the same names with integers of 64 bits, as in Debian's libblas64.so.3
    suffixed,    ///< dgemm_64_, cblas_dgemm64_
    wheel,       ///< scipy_dgemm_, scipy_cblas_dgemm: wheels of scipy
    wheel_wide,  ///< scipy_dgemm_64_, scipy_cblas_dgemm64_: wheels of numpy
};

/// By Family.
inline constexpr std::array<HostNames, 5> family_names{{{"", "", "_", false},
                                                        {"", "", "_", true},
                                                        {"", "64_", "_64_", true},
                                                        {"scipy_", "", "_", false},
                                                        {"scipy_", "64_", "_64_", true}}};

constexpr const HostNames& names_of(Family family) {
    return family_names[static_cast<std::size_t>(family)];
}

}  // namespace gemmill::blas
