// SPDX-License-Identifier: Apache-2.0
// Batches through the C interface.
#include <initializer_list>
#include <string>

#include "api/c/c.hpp"
#include "gemmill/batch.hpp"
#include "gemmill/error.hpp"

namespace {

using namespace gemmill;

char upper(char x) { return x >= 'a' ? static_cast<char>(x - ('a' - 'A')) : x; }
/// Op has the letters as its values.
const Op* ops_of(const char* ops) { return reinterpret_cast<const Op*>(ops); }

Type type_of_letter(char letter) {
    const std::string_view letters = "SDCZHB";
    const std::size_t at = letters.find(upper(letter));
    require(at != std::string_view::npos, Code::bad_argument, "s, d, c, z, h or b",
            std::string("type is '") + letter + "'");
    return static_cast<Type>(at);
}

BatchFactor factor_of(Type type, const void* value, const char* name) {
    c::check_not_null(value, name);
    return with_type(type, [&]<class T>() -> BatchFactor {
        return {to_scalar(*static_cast<const scalar_t<T>*>(value))};
    });
}

BatchOptions options_of(const gemmill_batch_options* given) {
    BatchOptions options;
    if (given == nullptr) return options;
    options.check = given->check != 0;
    if (given->has_stream != 0) options.stream = given->stream;
    return options;
}

/// Arrays with a value for each product.
struct NamedArray {
    const void* array;
    const char* name;
};
void check_arrays(int64_t count, std::initializer_list<NamedArray> arrays) {
    if (count <= 0) return;
    for (const NamedArray& of : arrays) c::check_not_null(of.array, of.name);
}

/// Products of one shape; the matrices are still to be told.
Batch one_shape(char letter, char op_a, char op_b, int64_t m, int64_t n, int64_t k,
                const void* alpha, const void* beta, int64_t count) {
    Batch batch;
    batch.type = type_of_letter(letter);
    batch.count = count;
    batch.op_a = {c::flag<Op>(op_a)}, batch.op_b = {c::flag<Op>(op_b)};
    batch.m = {m}, batch.n = {n}, batch.k = {k};
    batch.alpha = factor_of(batch.type, alpha, "alpha");
    batch.beta = factor_of(batch.type, beta, "beta");
    return batch;
}

const void* const* array_of(void* const* c) { return const_cast<const void* const*>(c); }

}  // namespace

extern "C" {

gemmill_code gemmill_gemm_strided(gemmill_context* context, char type, char layout, char op_a,
                                  char op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                                  const void* a, int64_t lda, int64_t stride_a, const void* b,
                                  int64_t ldb, int64_t stride_b, const void* beta, void* c,
                                  int64_t ldc, int64_t stride_c, int64_t count,
                                  const gemmill_batch_options* options) {
    return c::guarded([&] {
        Batch batch = one_shape(type, op_a, op_b, m, n, k, alpha, beta, count);
        batch.a = {a, stride_a, nullptr, {lda}};
        batch.b = {b, stride_b, nullptr, {ldb}};
        batch.c = {c, stride_c, nullptr, {ldc}};
        gemm_batch(c::context_of(context), c::flag<Layout>(layout), batch, options_of(options));
    });
}

gemmill_code gemmill_gemm_pointers(gemmill_context* context, char type, char layout, char op_a,
                                   char op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                                   const void* const* a, int64_t lda, const void* const* b,
                                   int64_t ldb, const void* beta, void* const* c, int64_t ldc,
                                   int64_t count, const gemmill_batch_options* options) {
    return c::guarded([&] {
        Batch batch = one_shape(type, op_a, op_b, m, n, k, alpha, beta, count);
        batch.a = {nullptr, 0, a, {lda}};
        batch.b = {nullptr, 0, b, {ldb}};
        batch.c = {nullptr, 0, array_of(c), {ldc}};
        gemm_batch(c::context_of(context), c::flag<Layout>(layout), batch, options_of(options));
    });
}

gemmill_code gemmill_gemm_variable(gemmill_context* context, char type, char layout,
                                   const char* op_a, const char* op_b, const int64_t* m,
                                   const int64_t* n, const int64_t* k, int64_t max_m, int64_t max_n,
                                   int64_t max_k, const void* alpha, const void* const* a,
                                   const int64_t* lda, const void* const* b, const int64_t* ldb,
                                   const void* beta, void* const* c, const int64_t* ldc,
                                   int64_t count, const gemmill_batch_options* options) {
    return c::guarded([&] {
        const Type t = type_of_letter(type);
        check_arrays(count, {{op_a, "op_a"},
                             {op_b, "op_b"},
                             {m, "m"},
                             {n, "n"},
                             {k, "k"},
                             {alpha, "alpha"},
                             {a, "a"},
                             {lda, "lda"},
                             {b, "b"},
                             {ldb, "ldb"},
                             {beta, "beta"},
                             {c, "c"},
                             {ldc, "ldc"}});
        gemm_batch(c::context_of(context), c::flag<Layout>(layout),
                   {t,
                    count,
                    {Op::NoTrans, ops_of(op_a)},
                    {Op::NoTrans, ops_of(op_b)},
                    {max_m, m},
                    {max_n, n},
                    {max_k, k},
                    {{}, alpha},
                    {{}, beta},
                    {nullptr, 0, a, {1, lda}},
                    {nullptr, 0, b, {1, ldb}},
                    {nullptr, 0, array_of(c), {1, ldc}}},
                   options_of(options));
    });
}

gemmill_code gemmill_gemm_groups(gemmill_context* context, char type, char layout,
                                 int64_t group_count, const int64_t* group_sizes, const char* op_a,
                                 const char* op_b, const int64_t* m, const int64_t* n,
                                 const int64_t* k, const void* alpha, const void* const* a,
                                 const int64_t* lda, const void* const* b, const int64_t* ldb,
                                 const void* beta, void* const* c, const int64_t* ldc,
                                 int64_t* info, const gemmill_batch_options* options) {
    return c::guarded([&] {
        const BatchInfo mode = info != nullptr ? static_cast<BatchInfo>(info[0]) : BatchInfo::none;
        require(mode >= BatchInfo::none && mode <= BatchInfo::all, Code::bad_argument, "0 to 3",
                "info[0] is no mode");
        detail::gemm_groups(c::context_of(context), c::flag<Layout>(layout), group_count,
                            group_sizes,
                            {type_of_letter(type),
                             0,
                             {Op::NoTrans, ops_of(op_a)},
                             {Op::NoTrans, ops_of(op_b)},
                             {0, m},
                             {0, n},
                             {0, k},
                             {{}, alpha},
                             {{}, beta},
                             {nullptr, 0, a, {1, lda}},
                             {nullptr, 0, b, {1, ldb}},
                             {nullptr, 0, array_of(c), {1, ldc}}},
                            mode, info, options_of(options));
    });
}

}  // extern "C"
