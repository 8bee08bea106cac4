# SPDX-License-Identifier: Apache-2.0
# The drop-in: level 3 of BLAS and CBLAS under its own names, for LD_PRELOAD, and beside it a
# libblas.so.3 in a folder of its own, behind which the host BLAS supplies the rest.
file(GLOB gemmill_symbols CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api/blas/symbols/*.cpp)
set(GEMMILL_BLAS_FOLDER ${CMAKE_INSTALL_LIBDIR}/gemmill)

# add_blas(gemmill_blas std::int32_t libblas.so.3 PATH): one width of integers.
function(add_blas name integer soname host)
  add_library(${name} SHARED ${gemmill_symbols})
  add_library(gemmill::${name} ALIAS ${name})
  target_compile_definitions(${name} PRIVATE GEMMILL_BUILD GEMMILL_BLAS_INT=${integer} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:gemmill_flags> gemmill)
  set(map ${PROJECT_SOURCE_DIR}/cmake/blas.map)
  target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,--version-script=${map})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map} VERSION ${PROJECT_VERSION} SOVERSION ${GEMMILL_ABI}
                                           INSTALL_RPATH "$ORIGIN")
  if(NOT host)
    return()
  endif()
  # Empty but for what it needs, in the order in which symbols are looked up.
  set(empty ${PROJECT_BINARY_DIR}/generated/empty.c)
  file(CONFIGURE OUTPUT ${empty} CONTENT "typedef int gemmill_empty;\n")
  add_library(${name}_folder SHARED ${empty})
  target_link_libraries(${name}_folder PRIVATE -Wl,--no-as-needed ${name} ${host})
  set_target_properties(
    ${name}_folder
    PROPERTIES OUTPUT_NAME ${soname} PREFIX "" SUFFIX "" NO_SONAME ON
               LINK_OPTIONS -Wl,-soname,${soname}
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/gemmill 
               INSTALL_RPATH "$ORIGIN/..;${CMAKE_INSTALL_FULL_LIBDIR}")
endfunction()

add_blas(gemmill_blas std::int32_t libblas.so.3 "${GEMMILL_HOST_BLAS_PATH}")
add_blas(gemmill_blas64 std::int64_t libblas64.so.3 "${GEMMILL_HOST_BLAS64_PATH}"
         GEMMILL_BLAS_SUFFIXED)
