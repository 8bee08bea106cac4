# SPDX-License-Identifier: Apache-2.0
# The CUDA part, where there is a toolkit to build it with.
if(NOT GEMMILL_CUDA)
  return()
endif()

# Machine code for Ampere and Hopper, and what later GPUs compile for themselves.
if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(GEMMILL_CUDA STREQUAL "AUTO")
    message(STATUS "no nvcc: built without the CUDA part")
    return()
  endif()
  message(FATAL_ERROR "GEMMILL_CUDA is ${GEMMILL_CUDA} and there is no nvcc")
endif()
enable_language(CUDA)
# Its runtime library must load kernels that are compiled while a program runs.
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
  if(GEMMILL_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is older than 12.8: built without the CUDA part")
    return()
  endif()
  message(FATAL_ERROR "GEMMILL_CUDA is ${GEMMILL_CUDA} and CUDA ${CMAKE_CUDA_COMPILER_VERSION} is "
                      "older than 12.8")
endif()
find_package(CUDAToolkit REQUIRED)
add_subdirectory(src/backend/cuda)
if(GEMMILL_TOOLS)
  add_subdirectory(bench/peers)  # what `gemmill bench` measures against
  add_subdirectory(bench/cuda)  # built on demand
endif()
