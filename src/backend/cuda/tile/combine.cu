// SPDX-License-Identifier: Apache-2.0
// C = keep C + factor X: the late C of a plan, and the scaling of C.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "backend/cuda/tile/combine.hpp"
#include "backend/cuda/tile/numbers.cuh"

namespace gemmill {
namespace {

// Arithmetic is in float for 16 and 32 bits, else in double, as the factors of BLAS are.
template <class T>
struct Number;
template <>
struct Number<float> {
    using Factor = float;
    __device__ static float times(float f, float x) { return f * x; }
    __device__ static float sum(float a, float b) { return a + b; }
};
template <>
struct Number<double> {
    using Factor = double;
    __device__ static double times(double f, double x) { return f * x; }
    __device__ static double sum(double a, double b) { return a + b; }
};
template <>
struct Number<cuFloatComplex> {
    using Factor = cuFloatComplex;
    __device__ static cuFloatComplex times(cuFloatComplex f, cuFloatComplex x) {
        return scaled(f, x);
    }
    __device__ static cuFloatComplex sum(cuFloatComplex a, cuFloatComplex b) {
        return cuCaddf(a, b);
    }
};
template <>
struct Number<cuDoubleComplex> {
    using Factor = cuDoubleComplex;
    __device__ static cuDoubleComplex times(cuDoubleComplex f, cuDoubleComplex x) {
        return scaled(f, x);
    }
    __device__ static cuDoubleComplex sum(cuDoubleComplex a, cuDoubleComplex b) {
        return cuCadd(a, b);
    }
};
template <>
struct Number<__half> {
    using Factor = float;
    __device__ static float times(float f, __half x) { return f * __half2float(x); }
    __device__ static float sum(float a, float b) { return a + b; }
};
template <>
struct Number<__nv_bfloat16> {
    using Factor = float;
    __device__ static float times(float f, __nv_bfloat16 x) { return f * __bfloat162float(x); }
    __device__ static float sum(float a, float b) { return a + b; }
};

template <class T>
typename Number<T>::Factor factor_of(Scalar s);
template <>
float factor_of<float>(Scalar s) {
    return static_cast<float>(s.re);
}
template <>
double factor_of<double>(Scalar s) {
    return s.re;
}
template <>
cuFloatComplex factor_of<cuFloatComplex>(Scalar s) {
    return make_cuFloatComplex(static_cast<float>(s.re), static_cast<float>(s.im));
}
template <>
cuDoubleComplex factor_of<cuDoubleComplex>(Scalar s) {
    return make_cuDoubleComplex(s.re, s.im);
}
template <>
float factor_of<__half>(Scalar s) {
    return static_cast<float>(s.re);
}
template <>
float factor_of<__nv_bfloat16>(Scalar s) {
    return static_cast<float>(s.re);
}

template <class T>
__device__ T rounded(typename Number<T>::Factor x) {
    return T(x);
}

template <class T>
__global__ void combine_kernel(index_t m, index_t n, typename Number<T>::Factor keep,
                               typename Number<T>::Factor factor, const T* x, index_t ldx, T* c,
                               index_t ldc, bool read_c, bool read_x) {
    const index_t row_step = static_cast<index_t>(gridDim.x) * blockDim.x;
    for (index_t j = blockIdx.y; j < n; j += gridDim.y)
        for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < m;
             i += row_step) {
            T& out = c[i + j * ldc];
            typename Number<T>::Factor sum{};
            if (read_c) sum = Number<T>::times(keep, out);
            if (read_x) sum = Number<T>::sum(sum, Number<T>::times(factor, x[i + j * ldx]));
            out = rounded<T>(sum);
        }
}

template <class T>
cudaError_t launch(cudaStream_t stream, const CombineArgs& a) {
    const bool read_c = a.keep != Scalar{}, read_x = a.factor != Scalar{};
    // Enough blocks for any GPU, down few columns or along many.
    constexpr index_t threads = 256, most_columns = 16384, blocks = 16384;
    const index_t across = std::min(a.n, most_columns);
    const index_t down =
        std::min(std::max<index_t>(1, blocks / across), (a.m + threads - 1) / threads);
    const dim3 grid(static_cast<unsigned>(down), static_cast<unsigned>(across));
    combine_kernel<T><<<grid, static_cast<unsigned>(threads), 0, stream>>>(
        a.m, a.n, factor_of<T>(a.keep), factor_of<T>(a.factor), static_cast<const T*>(a.x), a.ldx,
        static_cast<T*>(a.c), a.ldc, read_c, read_x);
    return cudaPeekAtLastError();
}

}  // namespace

cudaError_t combine(cudaStream_t stream, const CombineArgs& args) {
    if (args.m == 0 || args.n == 0) return cudaSuccess;
    switch (args.type) {
        case Type::s:
            return launch<float>(stream, args);
        case Type::c:
            return launch<cuFloatComplex>(stream, args);
        case Type::z:
            return launch<cuDoubleComplex>(stream, args);
        case Type::h:
            return launch<__half>(stream, args);
        case Type::b:
            return launch<__nv_bfloat16>(stream, args);
        case Type::d:
            break;
    }
    return launch<double>(stream, args);
}

}  // namespace gemmill
