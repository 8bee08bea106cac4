// SPDX-License-Identifier: Apache-2.0
// A GemmCase through the C++ and the C interface.
#pragma once

#include <memory>
#include <vector>

#include "gemmill/gemmill.h"
#include "gemmill/gemmill.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {

struct Pointers {
    const void* a;
    const void* b;
    void* c;
};

inline Pointers pointers_of(Operands& x) { return {x.a().data(), x.b().data(), x.c().data()}; }

inline void call_gemm(Context& context, Operands& x, const Pointers& p) {
    const GemmCase& g = x.problem();
    x.send();
    with_type(g.type, [&]<class T>() {
        using S = scalar_t<T>;
        gemm<T>(context, g.layout, g.op_a, g.op_b, g.m, g.n, g.k, from_scalar<S>(g.alpha),
                static_cast<const T*>(p.a), x.a().ld(), static_cast<const T*>(p.b), x.b().ld(),
                from_scalar<S>(g.beta), static_cast<T*>(p.c), x.c().ld());
    });
}
inline void call_gemm(Context& context, Operands& x) { call_gemm(context, x, pointers_of(x)); }

inline gemmill_code call_c(gemmill_context* context, Operands& x) {
    const GemmCase& g = x.problem();
    x.send();
    const char layout = static_cast<char>(g.layout);
    const char op_a = static_cast<char>(g.op_a), op_b = static_cast<char>(g.op_b);
    const auto run = [&]<class T>(auto function, auto alpha, auto beta) {
        return function(context, layout, op_a, op_b, g.m, g.n, g.k, alpha,
                        reinterpret_cast<const T*>(x.a().data()), x.a().ld(),
                        reinterpret_cast<const T*>(x.b().data()), x.b().ld(), beta,
                        reinterpret_cast<T*>(x.c().data()), x.c().ld());
    };
    return with_type(g.type, [&]<class T>() {
        using S = scalar_t<T>;
        const S alpha = from_scalar<S>(g.alpha), beta = from_scalar<S>(g.beta);
        if constexpr (std::is_same_v<T, float>)
            return run.template operator()<T>(gemmill_sgemm, alpha, beta);
        else if constexpr (std::is_same_v<T, double>)
            return run.template operator()<T>(gemmill_dgemm, alpha, beta);
        else if constexpr (std::is_same_v<T, std::complex<float>>)
            return run.template operator()<T>(gemmill_cgemm, &alpha, &beta);
        else if constexpr (std::is_same_v<T, std::complex<double>>)
            return run.template operator()<T>(gemmill_zgemm, &alpha, &beta);
        else if constexpr (std::is_same_v<T, half>)
            return run.template operator()<std::uint16_t>(gemmill_hgemm, alpha, beta);
        else
            return run.template operator()<std::uint16_t>(gemmill_bgemm, alpha, beta);
    });
}

/// Blocks of device memory that are given back at the end.
class DeviceBlocks {
  public:
    explicit DeviceBlocks(Context& context) : context_(context) {}
    ~DeviceBlocks() {
        for (void* block : blocks_) context_.release(block);
    }
    DeviceBlocks(const DeviceBlocks&) = delete;
    DeviceBlocks& operator=(const DeviceBlocks&) = delete;

    Guarded::Place on(DeviceId device) {
        return {[this, device](std::size_t bytes) {
                    blocks_.push_back(context_.allocate(device, bytes));
                    return blocks_.back();
                },
                [this](void* to, const void* from, std::size_t bytes) {
                    context_.copy(to, from, bytes);
                }};
    }

  private:
    Context& context_;
    std::vector<void*> blocks_;
};

}  // namespace gemmill::test
