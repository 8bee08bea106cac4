// SPDX-License-Identifier: Apache-2.0
#include "gemmill/gemm.hpp"

#include "api/call.hpp"

namespace gemmill {

template <class T>
void gemm(Context& context, Layout layout, Op op_a, Op op_b, index_t m, index_t n, index_t k,
          scalar_t<T> alpha, const T* a, index_t lda, const T* b, index_t ldb, scalar_t<T> beta,
          T* c, index_t ldc) {
    Level3Args call;
    call.routine = Routine::gemm;
    call.type = type_of<T>;
    call.op_a = op_a, call.op_b = op_b;
    call.m = m, call.n = n, call.k = k;
    call.alpha = to_scalar(alpha), call.beta = to_scalar(beta);
    call.a = a, call.lda = lda;
    call.b = b, call.ldb = ldb;
    call.c = c, call.ldc = ldc;
    call_level3(context, layout, call);
}

#define GEMMILL_GEMM_INSTANCE(T)                                                           \
    template GEMMILL_API void gemm<T>(Context&, Layout, Op, Op, index_t, index_t, index_t, \
                                      scalar_t<T>, const T*, index_t, const T*, index_t,   \
                                      scalar_t<T>, T*, index_t);
GEMMILL_GEMM_INSTANCE(float)
GEMMILL_GEMM_INSTANCE(double)
GEMMILL_GEMM_INSTANCE(std::complex<float>)
GEMMILL_GEMM_INSTANCE(std::complex<double>)
GEMMILL_GEMM_INSTANCE(half)
GEMMILL_GEMM_INSTANCE(bfloat16)
#undef GEMMILL_GEMM_INSTANCE

}  // namespace gemmill
