# SPDX-License-Identifier: Apache-2.0
# Machines, chips and clusters as headers: the files of a folder of src/machine, one raw string each.
function(generate_catalogue folder ending data)
  set(header ${PROJECT_BINARY_DIR}/generated/machine/${data}.hpp)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/machine/${folder}/*.${ending})
  list(SORT files)
  list(LENGTH files count)
  set(rows "")
  foreach(file IN LISTS files)
    # Read again, and so written again, when a file changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM LAST_ONLY name)
    file(READ ${file} text)
    string(APPEND rows "    {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  set(type "std::array<std::pair<std::string_view, std::string_view>, ${count}>")
  # Left alone when it is the same, so that nothing is compiled for nothing.
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT "// Generated from src/machine/@folder@.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace gemmill {

inline constexpr @type@ @data@{{
@rows@}};

}  // namespace gemmill
")
endfunction()

generate_catalogue(catalogue machine catalogue_data)
generate_catalogue(chips chip chip_data)
generate_catalogue(assumed machine assumed_data)
generate_catalogue(clusters cluster cluster_data)
