# SPDX-License-Identifier: Apache-2.0
# The CUDA compiler and toolkit, then the folder that uses them.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/backend/cuda/CMakeLists.txt)
  message(FATAL_ERROR "GEMMILL_CUDA is ON, but this source tree has no src/backend/cuda: "
                      "configure with -DGEMMILL_CUDA=OFF")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "GPU architectures to compile for")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
enable_language(CUDA)
add_subdirectory(src/backend/cuda)
