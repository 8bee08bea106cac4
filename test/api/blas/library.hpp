// SPDX-License-Identifier: Apache-2.0
// The BLAS symbols of a library that is opened as a program would: Fortran and C, integers Int, as
// one family of names spells them.
#pragma once

#include <dlfcn.h>

#include <complex>
#include <stdexcept>
#include <string>

#include "base/routine.hpp"
#include "gemmill/types.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::test {

/// What stands around "dgemm": "scipy_", "_64_" and "64_".
struct Spelling {
    const char* prefix = "";
    const char* fortran = "_";
    const char* c = "";
};

template <class Int>
class Library {
  public:
    explicit Library(const char* path, Spelling spelling = {})
        : handle_(::dlopen(path, RTLD_NOW | RTLD_LOCAL)), spelling_(spelling) {
        if (handle_ == nullptr) throw std::runtime_error(::dlerror());
    }
    ~Library() { ::dlclose(handle_); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void* find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }
    std::string fortran_name(const std::string& routine) const {
        return spelling_.prefix + routine + spelling_.fortran;
    }
    std::string c_name(const std::string& routine) const {
        return spelling_.prefix + ("cblas_" + routine) + spelling_.c;
    }
    /// "dgemm"
    static std::string plain_name(const Level3Args& x) {
        return letter_of(x.type) + std::string(name_of(x.routine));
    }

    /// Column-major, under the name of its routine or another one.
    void fortran(const Level3Args& x) const { fortran(x, fortran_name(plain_name(x))); }
    void fortran(const Level3Args& x, const std::string& name) const {
        void* const f = need(name);
        with(x, [&]<class T>() { fortran_as<T>(f, x); });
    }
    void cblas(Layout layout, const Level3Args& x) const {
        cblas(layout, x, c_name(plain_name(x)));
    }
    void cblas(Layout layout, const Level3Args& x, const std::string& name) const {
        void* const f = need(name);
        with(x, [&]<class T>() { cblas_as<T>(f, layout == Layout::ColMajor ? 102 : 101, x); });
    }

    /// A call with m = n = 0 whose complex factors are null, by both names.
    void without_factors(const Level3Args& x) const {
        const Int zero = 0, k = static_cast<Int>(x.k), ld = 5;
        void* const f = need(fortran_name(plain_name(x)));
        void* const c = need(c_name(plain_name(x)));
        const auto null = static_cast<const void*>(nullptr);
        void* const no_matrix = nullptr;
        switch (x.routine) {
            case Routine::gemm:
                call(f, "N", "N", &zero, &zero, &k, null, null, &ld, null, &ld, null, no_matrix,
                     &ld);
                return call(c, 102, 111, 111, zero, zero, k, null, null, ld, null, ld, null,
                            no_matrix, ld);
            case Routine::gemmt:
                call(f, "U", "N", "N", &zero, &k, null, null, &ld, null, &ld, null, no_matrix, &ld);
                return call(c, 101, 121, 111, 111, zero, k, null, null, ld, null, ld, null,
                            no_matrix, ld);
            case Routine::symm:
            case Routine::hemm:
                call(f, "L", "U", &zero, &zero, null, null, &ld, null, &ld, null, no_matrix, &ld);
                return call(c, 102, 141, 121, zero, zero, null, null, ld, null, ld, null, no_matrix,
                            ld);
            case Routine::syrk:
            case Routine::herk:
                return call(f, "U", "N", &zero, &k, null, null, &ld, null, no_matrix, &ld);
            case Routine::syr2k:
            case Routine::her2k:
                return call(f, "U", "N", &zero, &k, null, null, &ld, null, &ld, null, no_matrix,
                            &ld);
            default:
                call(f, "L", "U", "N", "N", &zero, &zero, null, null, &ld, no_matrix, &ld);
                return call(c, 102, 141, 121, 111, 131, zero, zero, null, null, ld, no_matrix, ld);
        }
    }

  private:
    void* need(const std::string& name) const {
        void* const f = find(name);
        if (f == nullptr) throw std::runtime_error("no symbol " + name);
        return f;
    }
    template <class F>
    static void with(const Level3Args& x, F f) {
        switch (x.type) {
            case Type::s:
                return f.template operator()<float>();
            case Type::c:
                return f.template operator()<std::complex<float>>();
            case Type::z:
                return f.template operator()<std::complex<double>>();
            default:
                return f.template operator()<double>();
        }
    }
    template <class... P>
    static void call(void* f, P... p) {
        reinterpret_cast<void (*)(P...)>(f)(p...);
    }

    template <class T>
    static void fortran_as(void* f, const Level3Args& x) {
        // Letters of either case will do, and lengths stand behind.
        const char side = static_cast<char>(static_cast<char>(x.side) + ('a' - 'A'));
        const char uplo = static_cast<char>(x.uplo), diag = static_cast<char>(x.diag);
        const char op_a = static_cast<char>(x.op_a), op_b = static_cast<char>(x.op_b);
        const auto integer = [](index_t i) { return static_cast<Int>(i); };
        const Int m = integer(x.m), n = integer(x.n), k = integer(x.k);
        const Int lda = integer(x.lda), ldb = integer(x.ldb), ldc = integer(x.ldc);
        const T alpha = from_scalar<T>(x.alpha), beta = from_scalar<T>(x.beta);
        const auto real_alpha = std::real(alpha), real_beta = std::real(beta);
        const std::size_t one = 1;
        switch (x.routine) {
            case Routine::gemm:
                return call(f, &op_a, &op_b, &m, &n, &k, &alpha, x.a, &lda, x.b, &ldb, &beta, x.c,
                            &ldc, one, one);
            case Routine::gemmt:
                return call(f, &uplo, &op_a, &op_b, &n, &k, &alpha, x.a, &lda, x.b, &ldb, &beta,
                            x.c, &ldc, one, one, one);
            case Routine::symm:
            case Routine::hemm:
                return call(f, &side, &uplo, &m, &n, &alpha, x.a, &lda, x.b, &ldb, &beta, x.c, &ldc,
                            one, one);
            case Routine::syrk:
                return call(f, &uplo, &op_a, &n, &k, &alpha, x.a, &lda, &beta, x.c, &ldc, one, one);
            case Routine::herk:
                return call(f, &uplo, &op_a, &n, &k, &real_alpha, x.a, &lda, &real_beta, x.c, &ldc,
                            one, one);
            case Routine::syr2k:
                return call(f, &uplo, &op_a, &n, &k, &alpha, x.a, &lda, x.b, &ldb, &beta, x.c, &ldc,
                            one, one);
            case Routine::her2k:
                return call(f, &uplo, &op_a, &n, &k, &alpha, x.a, &lda, x.b, &ldb, &real_beta, x.c,
                            &ldc, one, one);
            default:
                return call(f, &side, &uplo, &op_a, &diag, &m, &n, &alpha, x.a, &lda, x.c, &ldc,
                            one, one, one, one);
        }
    }

    static int of(Op op) {
        return op == Op::NoTrans ? 111 : op == Op::Trans ? 112 : op == Op::ConjTrans ? 113 : 0;
    }

    template <class T>
    static void cblas_as(void* f, int layout, const Level3Args& x) {
        const auto factor = [](const T& value) {
            if constexpr (is_complex(type_of<T>))
                return static_cast<const void*>(&value);
            else
                return value;
        };
        const auto integer = [](index_t i) { return static_cast<Int>(i); };
        const Int m = integer(x.m), n = integer(x.n), k = integer(x.k);
        const Int lda = integer(x.lda), ldb = integer(x.ldb), ldc = integer(x.ldc);
        const T alpha = from_scalar<T>(x.alpha), beta = from_scalar<T>(x.beta);
        const int side = x.side == Side::Left ? 141 : 142, uplo = x.uplo == Uplo::Upper ? 121 : 122;
        const int diag = x.diag == Diag::NonUnit ? 131 : 132, op_a = of(x.op_a), op_b = of(x.op_b);
        switch (x.routine) {
            case Routine::gemm:
                return call(f, layout, op_a, op_b, m, n, k, factor(alpha), x.a, lda, x.b, ldb,
                            factor(beta), x.c, ldc);
            case Routine::gemmt:
                return call(f, layout, uplo, op_a, op_b, n, k, factor(alpha), x.a, lda, x.b, ldb,
                            factor(beta), x.c, ldc);
            case Routine::symm:
            case Routine::hemm:
                return call(f, layout, side, uplo, m, n, factor(alpha), x.a, lda, x.b, ldb,
                            factor(beta), x.c, ldc);
            case Routine::syrk:
                return call(f, layout, uplo, op_a, n, k, factor(alpha), x.a, lda, factor(beta), x.c,
                            ldc);
            case Routine::herk:
                return call(f, layout, uplo, op_a, n, k, std::real(alpha), x.a, lda,
                            std::real(beta), x.c, ldc);
            case Routine::syr2k:
                return call(f, layout, uplo, op_a, n, k, factor(alpha), x.a, lda, x.b, ldb,
                            factor(beta), x.c, ldc);
            case Routine::her2k:
                return call(f, layout, uplo, op_a, n, k, factor(alpha), x.a, lda, x.b, ldb,
                            std::real(beta), x.c, ldc);
            default:
                return call(f, layout, side, uplo, op_a, diag, m, n, factor(alpha), x.a, lda, x.c,
                            ldc);
        }
    }

    void* handle_;
    Spelling spelling_;
};

}  // namespace gemmill::test
