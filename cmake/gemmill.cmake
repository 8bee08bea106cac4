# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# A compiler cache is used when it is there, for all clones of the project wherever they lie. It
# takes files with a precompiled header only when it is told that neither the macros nor the times
# of that matter.
find_program(GEMMILL_CCACHE ccache DOC "The compiler cache")
if(GEMMILL_CCACHE)
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${GEMMILL_CCACHE})
  endforeach()
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

# The host BLAS is opened by path at run time; this is where it is looked for first.
find_file(GEMMILL_HOST_BLAS_PATH libopenblas.so.0
          PATH_SUFFIXES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
          PATHS /usr/lib /usr/lib64 DOC "OpenBLAS with threads, opened when first needed")
if(NOT GEMMILL_HOST_BLAS_PATH)
  message(WARNING "no OpenBLAS with threads found (libopenblas0-pthread): "
                  "the library will look for libopenblas.so.0 when it runs")
  set(GEMMILL_HOST_BLAS_PATH "")
endif()

# The same with integers of 64 bits, behind libgemmill_blas64.so where it is there.
find_file(GEMMILL_HOST_BLAS64_PATH libopenblas64.so.0
          PATH_SUFFIXES openblas64-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas64-pthread
          PATHS /usr/lib /usr/lib64 DOC "OpenBLAS with threads and integers of 64 bits")
if(NOT GEMMILL_HOST_BLAS64_PATH)
  set(GEMMILL_HOST_BLAS64_PATH "")
endif()

# What every target of the project is compiled with.
add_library(gemmill_flags INTERFACE)
target_compile_options(
  gemmill_flags INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>"
                          "$<$<COMPILE_LANGUAGE:C,CXX>:-Wconversion;-Wno-sign-conversion>")
if(GEMMILL_SANITIZE)
  # Left out for the time of the build: the address sanitizer stops at null too, but wrong casts
  # between classes (vptr) and object-size go unseen.
  target_compile_options(gemmill_flags INTERFACE -fsanitize=${GEMMILL_SANITIZE}
                                                 -fno-omit-frame-pointer -fno-sanitize-recover=all
                                                 -fno-sanitize=null,vptr,object-size)
  target_link_options(gemmill_flags INTERFACE -fsanitize=${GEMMILL_SANITIZE})
endif()

set(GEMMILL_LAYERS "" CACHE INTERNAL "")

# Headers of others take longer to compile than most of our files: all layers share them, compiled
# once. `make lint` compiles every file without them, so that none can lean on them.
set(GEMMILL_PRECOMPILED
    <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <span>
    <string> <string_view> <utility> <vector> <fmt/format.h>)

# add_layer(api check): src/api/*.cpp and src/api/check/*.cpp become the objects gemmill_api.
function(add_layer folder)
  string(REPLACE "/" "_" name ${folder})
  set(patterns ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
  foreach(inner ${ARGN})
    list(APPEND patterns ${PROJECT_SOURCE_DIR}/src/${folder}/${inner}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(gemmill_${name} OBJECT ${sources})
  target_include_directories(gemmill_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                     ${PROJECT_SOURCE_DIR}/src
                                                     ${PROJECT_BINARY_DIR}/generated)
  target_compile_definitions(gemmill_${name} PRIVATE
                             GEMMILL_BUILD GEMMILL_HOST_BLAS_PATH="${GEMMILL_HOST_BLAS_PATH}"
                             GEMMILL_HOST_BLAS64_PATH="${GEMMILL_HOST_BLAS64_PATH}")
  target_link_libraries(gemmill_${name} PRIVATE gemmill_flags fmt::fmt
                                                nlohmann_json::nlohmann_json PkgConfig::HWLOC)
  if(GEMMILL_LAYERS)
    list(GET GEMMILL_LAYERS 0 first)
    target_precompile_headers(gemmill_${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(gemmill_${name} PRIVATE ${GEMMILL_PRECOMPILED})
  endif()
  set(GEMMILL_LAYERS ${GEMMILL_LAYERS} gemmill_${name} CACHE INTERNAL "")
endfunction()

# Kernels for small products: one file for each instruction set; the library asks the CPU which.
# The sanitizers check them as the build type has it: -O3 takes them four times as long.
if(NOT GEMMILL_SANITIZE)
  set(small_flags -O3)
endif()
foreach(set "plain:" "avx2:-mavx2;-mfma" "avx512:-mavx512f;-mavx512dq;-mavx512vl;-mfma")
  string(REPLACE ":" ";" set "${set}")
  list(POP_FRONT set name)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(set "")
  endif()
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernel/cpu/small/small_${name}.cpp
                              PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
                              "${small_flags};-ffp-contract=fast;-Wno-psabi;${set}")
endforeach()

# The shared library, with hidden symbols and a soversion, and the same objects as an archive for
# what looks inside: the command and the tests.
function(add_library_from_layers)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in
                 ${PROJECT_BINARY_DIR}/generated/gemmill/version.hpp @ONLY)
  foreach(layer ${GEMMILL_LAYERS})
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()

  add_library(gemmill SHARED ${objects})
  add_library(gemmill::gemmill ALIAS gemmill)
  set_target_properties(gemmill PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${GEMMILL_ABI})
  target_include_directories(
    gemmill PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                   $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(gemmill INTERFACE cxx_std_20)
  target_link_libraries(gemmill PRIVATE $<BUILD_INTERFACE:gemmill_flags> fmt::fmt PkgConfig::HWLOC
                                        Threads::Threads ${CMAKE_DL_LIBS})
  set(map ${PROJECT_SOURCE_DIR}/cmake/gemmill.map)
  # Threads of its own may still run its code: it cannot be unloaded.
  target_link_options(gemmill PRIVATE -Wl,--no-undefined -Wl,--version-script=${map} -Wl,-z,nodelete)
  set_target_properties(gemmill PROPERTIES LINK_DEPENDS ${map})

  add_library(gemmill_core STATIC ${objects})
  target_include_directories(gemmill_core PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                 ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(gemmill_core PUBLIC gemmill_flags fmt::fmt
                                            nlohmann_json::nlohmann_json PkgConfig::HWLOC
                                            Threads::Threads ${CMAKE_DL_LIBS})
endfunction()
