// SPDX-License-Identifier: Apache-2.0
// Which BLAS a process has loaded, and whether calls of it come here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemmill::blas {

enum class BlasReach : std::uint8_t {
    known,      ///< it has names that the drop-in has too
    renamed,    ///< it has them under names that are nobody else's
    linked_in,  ///< it is part of another library, which calls it without a name
};

struct LoadedBlas {
    std::string file;  ///< without its folder
    BlasReach reach = BlasReach::known;
    std::string name;  ///< one of its names, of a renamed one
};

/// Those of this process besides the drop-in's own libraries.
std::vector<LoadedBlas> loaded_blas();

/// Whether the drop-in has a name of dgemm or sgemm.
bool is_known_name(std::string_view name);
/// Whether it looks like a BLAS's dgemm or sgemm under another name.
bool is_renamed(std::string_view name);

}  // namespace gemmill::blas
