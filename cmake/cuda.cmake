# SPDX-License-Identifier: Apache-2.0
# The CUDA toolkit, then the folder that uses it. (Its sources are C++ so far. CMake 3.25 does not know
# how to ask nvcc 13 for C++20: kernels will need the flag given by hand.)
find_package(CUDAToolkit REQUIRED)
add_subdirectory(src/backend/cuda)
