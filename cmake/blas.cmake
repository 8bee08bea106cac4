# SPDX-License-Identifier: Apache-2.0
# The drop-in: level 3 of BLAS and CBLAS under its own names, for LD_PRELOAD, and beside it a
# libblas.so.3 in a folder of its own, behind which the host BLAS supplies the rest.
file(GLOB gemmill_symbols CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api/blas/symbols/*.cpp)
set(gemmill_library_symbols ${PROJECT_SOURCE_DIR}/src/api/blas/symbols/library.cpp)
list(REMOVE_ITEM gemmill_symbols ${gemmill_library_symbols})
set(GEMMILL_BLAS_FOLDER ${CMAKE_INSTALL_LIBDIR}/gemmill)

# Every routine under the names of src/api/blas/symbols/names/NAME.hpp.
foreach(name narrow wide suffixed wheel wheel_wide)
  add_library(gemmill_symbols_${name} OBJECT ${gemmill_symbols})
  target_compile_definitions(
    gemmill_symbols_${name} PRIVATE GEMMILL_BUILD
                                    GEMMILL_BLAS_NAMES="api/blas/symbols/names/${name}.hpp")
  target_include_directories(gemmill_symbols_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(gemmill_symbols_${name} PRIVATE gemmill_flags gemmill)
endforeach()

# One library with dgemm_ of one width. Names that say their width are in every one, so that one
# preloaded library serves all of a process.
function(add_symbols name plain)
  foreach(family ${plain} suffixed wheel wheel_wide)
    list(APPEND objects $<TARGET_OBJECTS:gemmill_symbols_${family}>)
  endforeach()
  add_library(${name} SHARED ${gemmill_library_symbols} ${objects})
  target_compile_definitions(${name} PRIVATE GEMMILL_BUILD)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:gemmill_flags> gemmill)
  set(map ${PROJECT_SOURCE_DIR}/cmake/blas.map)
  # Threads of devices run its code until the process ends: it cannot be unloaded.
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,--version-script=${map} -Wl,-z,nodelete)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map})
endfunction()

# add_blas(gemmill_blas narrow libblas.so.3 PATH)
function(add_blas name plain soname host)
  add_symbols(${name} ${plain})
  add_library(gemmill::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${GEMMILL_ABI}
                                           INSTALL_RPATH "$ORIGIN")
  if(NOT host)
    message(STATUS "no ${soname} for programs that look for it: no OpenBLAS to supply the rest")
    return()
  endif()
  # It holds the symbols itself, so that they come before those of an OpenBLAS that liblapack needs.
  add_symbols(${name}_folder ${plain})
  target_link_libraries(${name}_folder PRIVATE -Wl,--no-as-needed ${host})
  target_link_options(${name}_folder PRIVATE -Wl,-soname,${soname})
  set_target_properties(
    ${name}_folder
    PROPERTIES OUTPUT_NAME ${soname} PREFIX "" SUFFIX "" NO_SONAME ON
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/gemmill 
               INSTALL_RPATH "$ORIGIN/..;${CMAKE_INSTALL_FULL_LIBDIR}")
endfunction()

add_blas(gemmill_blas narrow libblas.so.3 "${GEMMILL_HOST_BLAS_PATH}")
add_blas(gemmill_blas64 wide libblas64.so.3 "${GEMMILL_HOST_BLAS64_PATH}")
