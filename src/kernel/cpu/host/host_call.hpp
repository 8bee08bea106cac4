// SPDX-License-Identifier: Apache-2.0
// One call of a host BLAS, by its C or by its Fortran interface.
#pragma once

#include <complex>

#include "kernel/cpu/host/host_library.hpp"
#include "kernel/cpu/host/host_room.hpp"
#include "kernel/kernel.hpp"
#include "kernel/reference/level3.hpp"

namespace gemmill {

template <class... P>
void call_function(void* function, P... arguments) {
    reinterpret_cast<void (*)(P...)>(function)(arguments...);
}

/// How CBLAS takes arguments: flags are numbers, sizes values, and complex factors addresses.
struct CStyle {
    static constexpr int col_major = 102;
    static int of(Op op) { return op == Op::NoTrans ? 111 : op == Op::Trans ? 112 : 113; }
    static int of(Uplo uplo) { return uplo == Uplo::Upper ? 121 : 122; }
    static int of(Diag diag) { return diag == Diag::NonUnit ? 131 : 132; }
    static int of(Side side) { return side == Side::Left ? 141 : 142; }
    template <class I>
    static I size(const I& x) {
        return x;
    }
    template <class T>
    static auto factor(const T& x) {
        if constexpr (is_complex(type_of<T>))
            return static_cast<const void*>(&x);
        else
            return x;
    }
    template <class... P>
    static void call(void* function, P... arguments) {
        call_function(function, col_major, arguments...);
    }
};

/// How Fortran takes them: all are addresses, and flags are letters, whose lengths stand behind.
struct FortranStyle {
    template <class Flag>
    static const char* of(const Flag& flag) {
        static_assert(sizeof flag == 1);
        return reinterpret_cast<const char*>(&flag);
    }
    template <class I>
    static const I* size(const I& x) {
        return &x;
    }
    template <class T>
    static const T* factor(const T& x) {
        return &x;
    }
    template <class... P>
    static void call(void* function, P... arguments) {
        constexpr std::size_t one = 1;
        call_function(function, arguments..., one, one, one, one);
    }
};

/// A call of a routine for elements T with integers I, which hold all its sizes.
template <class T, class I, class Style>
class HostCall {
  public:
    HostCall(const Level3Args& x, const HostLibrary& library)
        : x_(x),
          function_(library.find(x.routine, x.type)),
          m_(static_cast<I>(x.m)),
          n_(static_cast<I>(x.n)),
          k_(static_cast<I>(x.k)),
          lda_(static_cast<I>(x.lda)),
          ldb_(static_cast<I>(x.ldb)),
          ldc_(static_cast<I>(x.ldc)),
          alpha_(from_scalar<T>(x.alpha)),
          beta_(from_scalar<T>(x.beta)) {}

    void run() const {
        switch (x_.routine) {
            case Routine::gemm:
                return call(of(x_.op_a), of(x_.op_b), size(m_), size(n_), size(k_), factor(alpha_),
                            x_.a, size(lda_), x_.b, size(ldb_), factor(beta_), x_.c, size(ldc_));
            case Routine::symm:
            case Routine::hemm:
                return call(of(x_.side), of(x_.uplo), size(m_), size(n_), factor(alpha_), x_.a,
                            size(lda_), x_.b, size(ldb_), factor(beta_), x_.c, size(ldc_));
            case Routine::syrk:
                return rank_k(alpha_, beta_);
            case Routine::herk:
                return rank_k(std::real(alpha_), std::real(beta_));
            case Routine::syr2k:
                return rank_2k(beta_);
            case Routine::her2k:
                return rank_2k(std::real(beta_));
            default:
                return call(of(x_.side), of(x_.uplo), of(x_.op_a), of(x_.diag), size(m_), size(n_),
                            factor(alpha_), x_.a, size(lda_), x_.c, size(ldc_));
        }
    }

  private:
    template <class Flag>
    static auto of(const Flag& flag) {
        return Style::of(flag);
    }
    static auto size(const I& x) { return Style::size(x); }
    template <class F>
    static auto factor(const F& x) {
        return Style::factor(x);
    }
    template <class... P>
    void call(P... arguments) const {
        Style::call(function_, arguments...);
    }

    template <class F>
    void rank_k(const F& alpha, const F& beta) const {
        call(of(x_.uplo), of(x_.op_a), size(n_), size(k_), factor(alpha), x_.a, size(lda_),
             factor(beta), x_.c, size(ldc_));
    }
    template <class F>
    void rank_2k(const F& beta) const {
        call(of(x_.uplo), of(x_.op_a), size(n_), size(k_), factor(alpha_), x_.a, size(lda_), x_.b,
             size(ldb_), factor(beta), x_.c, size(ldc_));
    }

    const Level3Args& x_;
    void* function_;
    I m_, n_, k_, lda_, ldb_, ldc_;
    T alpha_, beta_;
};

template <class T, class I>
void call_host(const Level3Args& x, const HostLibrary& library) {
    const HostTurn turn;
    if (!turn.granted()) return reference_level3(x);
    if (library.fortran)
        HostCall<T, I, FortranStyle>(x, library).run();
    else
        HostCall<T, I, CStyle>(x, library).run();
}

}  // namespace gemmill
