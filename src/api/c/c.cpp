// SPDX-License-Identifier: Apache-2.0
// The C interface: contexts, memory and gemm.
#include "api/c/c.hpp"

#include <complex>
#include <cstdint>

#include "gemmill/gemm.hpp"
#include "gemmill/version.hpp"

namespace gemmill::c {

std::string& message() {
    thread_local std::string text;
    return text;
}

gemmill_code fail(Code code, const char* text) noexcept {
    try {
        message() = text;
    } catch (...) {  // no memory for the text: the code alone must do
    }
    return static_cast<gemmill_code>(code);
}

}  // namespace gemmill::c

namespace {

using namespace gemmill::c;

/// gemm of elements T, which C calls E; it gives scalars as S.
template <class T, class S, class E>
gemmill_code gemm_of(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                     int64_t n, int64_t k, S alpha, const E* a, int64_t lda, const E* b,
                     int64_t ldb, S beta, E* c, int64_t ldc) {
    using Scalar = gemmill::scalar_t<T>;
    return guarded([&] {
        gemmill::gemm<T>(context_of(context), flag<gemmill::Layout>(layout),
                         flag<gemmill::Op>(op_a), flag<gemmill::Op>(op_b), m, n, k,
                         read<Scalar>(alpha, "alpha"), reinterpret_cast<const T*>(a), lda,
                         reinterpret_cast<const T*>(b), ldb, read<Scalar>(beta, "beta"),
                         reinterpret_cast<T*>(c), ldc);
    });
}

}  // namespace

extern "C" {

const char* gemmill_version(void) { return GEMMILL_VERSION; }
const char* gemmill_message(void) { return message().c_str(); }

gemmill_code gemmill_create(gemmill_context** context) {
    return gemmill_create_with(context, nullptr, nullptr, 0);
}

gemmill_code gemmill_create_with(gemmill_context** context, const char* const* names,
                                 const char* const* values, size_t count) {
    return guarded([&] {
        check_not_null(context, "context");
        *context = nullptr;
        gemmill::Options options = gemmill::Options::from_environment();
        for (size_t i = 0; i < count; ++i) {
            check_not_null(names, "names");
            check_not_null(values, "values");
            check_not_null(names[i], "a name");
            check_not_null(values[i], "a value");
            options.set(names[i], values[i]);
        }
        *context = new gemmill_context{gemmill::Context(options)};
    });
}

void gemmill_destroy(gemmill_context* context) { delete context; }

gemmill_code gemmill_allocate(gemmill_context* context, int32_t device, size_t bytes,
                              void** pointer) {
    return guarded([&] {
        check_not_null(pointer, "pointer");
        *pointer = nullptr;
        *pointer = context_of(context).allocate(device, bytes);
    });
}

gemmill_code gemmill_allocate_host(gemmill_context* context, size_t bytes, void** pointer) {
    return guarded([&] {
        check_not_null(pointer, "pointer");
        *pointer = nullptr;
        *pointer = context_of(context).allocate_host(bytes);
    });
}

gemmill_code gemmill_copy(gemmill_context* context, void* to, const void* from, size_t bytes) {
    return guarded([&] {
        if (bytes == 0) return;
        check_not_null(to, "to");
        check_not_null(from, "from");
        context_of(context).copy(to, from, bytes);
    });
}

gemmill_code gemmill_keep(gemmill_context* context, const void* pointer) {
    return guarded([&] { context_of(context).keep(pointer); });
}

gemmill_code gemmill_drop(gemmill_context* context, const void* pointer) {
    return guarded([&] { context_of(context).drop(pointer); });
}

void gemmill_release(gemmill_context* context, void* pointer) {
    if (context != nullptr)
        context->context.release(pointer);
    else if (pointer != nullptr)
        guarded([&] { gemmill::default_context().release(pointer); });
}

gemmill_code gemmill_sgemm(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                           int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                           const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
    return gemm_of<float>(context, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c,
                          ldc);
}

gemmill_code gemmill_dgemm(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                           int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
                           const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
    return gemm_of<double>(context, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c,
                           ldc);
}

gemmill_code gemmill_cgemm(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                           int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                           const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
    return gemm_of<std::complex<float>>(context, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb,
                                        beta, c, ldc);
}

gemmill_code gemmill_zgemm(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                           int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                           const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
    return gemm_of<std::complex<double>>(context, layout, op_a, op_b, m, n, k, alpha, a, lda, b,
                                         ldb, beta, c, ldc);
}

gemmill_code gemmill_hgemm(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                           int64_t n, int64_t k, float alpha, const uint16_t* a, int64_t lda,
                           const uint16_t* b, int64_t ldb, float beta, uint16_t* c, int64_t ldc) {
    return gemm_of<gemmill::half>(context, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta,
                                  c, ldc);
}

gemmill_code gemmill_bgemm(gemmill_context* context, char layout, char op_a, char op_b, int64_t m,
                           int64_t n, int64_t k, float alpha, const uint16_t* a, int64_t lda,
                           const uint16_t* b, int64_t ldb, float beta, uint16_t* c, int64_t ldc) {
    return gemm_of<gemmill::bfloat16>(context, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb,
                                      beta, c, ldc);
}

}  // extern "C"
