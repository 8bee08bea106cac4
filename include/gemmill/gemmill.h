/* SPDX-License-Identifier: Apache-2.0
 *
 * Gemmill for C, the only promised ABI. Every function that can fail returns a gemmill_code and
 * never lets an exception out; gemmill_message() tells, per thread, what the last failure was.
 */
#ifndef GEMMILL_H
#define GEMMILL_H

#include <stddef.h>
#include <stdint.h>

#if defined(GEMMILL_BUILD)
#define GEMMILL_C_API __attribute__((visibility("default")))
#else
#define GEMMILL_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemmill_code {
    GEMMILL_OK = 0,
    GEMMILL_BAD_ARGUMENT = 1,
    GEMMILL_OUT_OF_MEMORY = 2,
    GEMMILL_NO_DEVICE = 3,
    GEMMILL_FAILED_STEP = 4,
    GEMMILL_PARSE = 5,
    GEMMILL_IO = 6,
    GEMMILL_INVALID_PLAN = 7,
    GEMMILL_INTERNAL = 8
} gemmill_code;

/* Layout 'C' or 'R'; op 'N', 'T' or 'C' (lower case too). A context belongs to the process that
 * made it: in a forked child, calls of one that has devices return GEMMILL_NO_DEVICE. */
typedef struct gemmill_context gemmill_context;

/* "1.2.3" */
GEMMILL_C_API const char* gemmill_version(void);
/* The message of this thread's last failure; "" when there was none. Valid until the next call. */
GEMMILL_C_API const char* gemmill_message(void);

/* A context with the options of the environment. *context is NULL on failure. */
GEMMILL_C_API gemmill_code gemmill_create(gemmill_context** context);
/* The same, then options as pairs: names[i] = values[i]. */
GEMMILL_C_API gemmill_code gemmill_create_with(gemmill_context** context, const char* const* names,
                                               const char* const* values, size_t count);
/* Destroys it; NULL is ignored. Waits for the calls that other threads have under way; they must
 * not begin new ones. In a child process it leaves its parent's devices alone. */
GEMMILL_C_API void gemmill_destroy(gemmill_context* context);

/* Memory of a device of the context. */
GEMMILL_C_API gemmill_code gemmill_allocate(gemmill_context* context, int32_t device, size_t bytes,
                                            void** pointer);
/* Host memory that devices copy at full speed: pinned, where there are GPUs. */
GEMMILL_C_API gemmill_code gemmill_allocate_host(gemmill_context* context, size_t bytes,
                                                 void** pointer);
/* Of either kind. */
GEMMILL_C_API void gemmill_release(gemmill_context* context, void* pointer);
/* Copies between host and devices, or within either; done when it returns. Bytes that reach beyond
 * memory allocated here are a bad argument, as are matrices in the calls below. */
GEMMILL_C_API gemmill_code gemmill_copy(gemmill_context* context, void* to, const void* from,
                                        size_t bytes);
/* Promises that the matrix which begins at pointer does not change until gemmill_drop(): calls may
 * copy it to a device once. A call that writes to it drops it; memory that is freed or changed must
 * be dropped before. To drop what is not kept is a bad argument. */
GEMMILL_C_API gemmill_code gemmill_keep(gemmill_context* context, const void* pointer);
GEMMILL_C_API gemmill_code gemmill_drop(gemmill_context* context, const void* pointer);

/* C = alpha op(A) op(B) + beta C. context NULL means the default context. alpha and beta of the
 * complex types point to two reals, as do the matrices' elements. hgemm is for IEEE half and bgemm
 * for bfloat16: elements are given by their 16 bits, sums are in float. */
GEMMILL_C_API gemmill_code gemmill_sgemm(gemmill_context* context, char layout, char op_a,
                                         char op_b, int64_t m, int64_t n, int64_t k, float alpha,
                                         const float* a, int64_t lda, const float* b, int64_t ldb,
                                         float beta, float* c, int64_t ldc);
GEMMILL_C_API gemmill_code gemmill_dgemm(gemmill_context* context, char layout, char op_a,
                                         char op_b, int64_t m, int64_t n, int64_t k, double alpha,
                                         const double* a, int64_t lda, const double* b, int64_t ldb,
                                         double beta, double* c, int64_t ldc);
GEMMILL_C_API gemmill_code gemmill_cgemm(gemmill_context* context, char layout, char op_a,
                                         char op_b, int64_t m, int64_t n, int64_t k,
                                         const void* alpha, const void* a, int64_t lda,
                                         const void* b, int64_t ldb, const void* beta, void* c,
                                         int64_t ldc);
GEMMILL_C_API gemmill_code gemmill_zgemm(gemmill_context* context, char layout, char op_a,
                                         char op_b, int64_t m, int64_t n, int64_t k,
                                         const void* alpha, const void* a, int64_t lda,
                                         const void* b, int64_t ldb, const void* beta, void* c,
                                         int64_t ldc);
GEMMILL_C_API gemmill_code gemmill_hgemm(gemmill_context* context, char layout, char op_a,
                                         char op_b, int64_t m, int64_t n, int64_t k, float alpha,
                                         const uint16_t* a, int64_t lda, const uint16_t* b,
                                         int64_t ldb, float beta, uint16_t* c, int64_t ldc);
GEMMILL_C_API gemmill_code gemmill_bgemm(gemmill_context* context, char layout, char op_a,
                                         char op_b, int64_t m, int64_t n, int64_t k, float alpha,
                                         const uint16_t* a, int64_t lda, const uint16_t* b,
                                         int64_t ldb, float beta, uint16_t* c, int64_t ldc);

/* Many products in one call: C[i] = alpha op(A[i]) op(B[i]) + beta C[i] for i < count. `type` is
 * the BLAS letter of the elements: s, d, c, z, h or b; alpha and beta point to one value of that
 * type (two reals when it is complex, a float for h and b), or to one for each product where it
 * says so. Rules are those of gemm; batch.hpp says more. options NULL means all zeros. */
typedef struct gemmill_batch_options {
    int32_t check;      /* not 0: look at every product before the first is made, and whether one
                           writes what another writes or reads */
    int32_t has_stream; /* not 0: put the work into this cudaStream_t and return */
    void* stream;
} gemmill_batch_options;

/* Of one shape, at equal distances; strides are in elements, and that of c is not 0. */
GEMMILL_C_API gemmill_code gemmill_gemm_strided(
    gemmill_context* context, char type, char layout, char op_a, char op_b, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, int64_t lda, int64_t stride_a, const void* b,
    int64_t ldb, int64_t stride_b, const void* beta, void* c, int64_t ldc, int64_t stride_c,
    int64_t count, const gemmill_batch_options* options);
/* Of one shape, anywhere. */
GEMMILL_C_API gemmill_code gemmill_gemm_pointers(gemmill_context* context, char type, char layout,
                                                 char op_a, char op_b, int64_t m, int64_t n,
                                                 int64_t k, const void* alpha, const void* const* a,
                                                 int64_t lda, const void* const* b, int64_t ldb,
                                                 const void* beta, void* const* c, int64_t ldc,
                                                 int64_t count,
                                                 const gemmill_batch_options* options);
/* Each of its own shape: arrays of length count, alpha and beta too, on the host or on the GPU,
 * none of them NULL; op_a and op_b in upper case. max_m, max_n and max_k are 0 when they are not
 * known. */
GEMMILL_C_API gemmill_code gemmill_gemm_variable(
    gemmill_context* context, char type, char layout, const char* op_a, const char* op_b,
    const int64_t* m, const int64_t* n, const int64_t* k, int64_t max_m, int64_t max_n,
    int64_t max_k, const void* alpha, const void* const* a, const int64_t* lda,
    const void* const* b, const int64_t* ldb, const void* beta, void* const* c, const int64_t* ldc,
    int64_t count, const gemmill_batch_options* options);
/* Groups of one shape each, as in the Batched BLAS standard: arrays of length group_count but for
 * a, b and c, which have all products, group after group. info[0] says what to tell: 0 nothing, 1
 * info[0] of all, 2 info[g] of each group, 3 info[i] of each product: 0, or minus the place of the
 * first bad argument, where group_sizes is 2. info NULL is 0. */
GEMMILL_C_API gemmill_code gemmill_gemm_groups(
    gemmill_context* context, char type, char layout, int64_t group_count,
    const int64_t* group_sizes, const char* op_a, const char* op_b, const int64_t* m,
    const int64_t* n, const int64_t* k, const void* alpha, const void* const* a, const int64_t* lda,
    const void* const* b, const int64_t* ldb, const void* beta, void* const* c, const int64_t* ldc,
    int64_t* info, const gemmill_batch_options* options);

#ifdef __cplusplus
}
#endif

#include "gemmill/level3.h"

#endif /* GEMMILL_H */
