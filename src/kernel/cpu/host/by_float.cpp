// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/by_float.hpp"

#include <algorithm>
#include <memory>

#include "kernel/cpu/convert.hpp"

namespace gemmill {
namespace {

/// A column-major block, as it is stored.
template <class T>
struct Block {
    T* data;
    index_t ld, rows, cols;
};

/// The block (i, j) of op(X), which is rows x cols there.
template <class T>
Block<const T> block_of(const void* x, index_t ld, Op op, index_t i, index_t j, index_t rows,
                        index_t cols) {
    const auto* data = static_cast<const T*>(x);
    if (op == Op::NoTrans) return {data + i + j * ld, ld, rows, cols};
    return {data + j + i * ld, ld, cols, rows};
}

/// `to` has no gaps.
template <class T>
void widen(const Block<const T>& from, float* to) {
    for (index_t j = 0; j < from.cols; ++j)
        convert(from.data + j * from.ld, from.rows, to + j * from.rows);
}

template <class T>
void narrow(const float* from, const Block<T>& to) {
    for (index_t j = 0; j < to.cols; ++j) convert(from + j * to.rows, to.rows, to.data + j * to.ld);
}

using Sgemm = void (*)(const GemmArgs&);

template <class T>
class ByFloat {
  public:
    ByFloat(const GemmArgs& g, Sgemm sgemm)
        : g_(g),
          sgemm_(sgemm),
          depth_(from_scalar<float>(g.alpha) != 0 ? g.k : 0),
          reads_c_(from_scalar<float>(g.beta) != 0),
          a_(room(g.m, depth_)),
          b_(room(depth_, g.n)),
          c_(room(g.m, g.n)) {}

    void run() const {
        for (index_t j = 0; j < g_.n; j += float_block)
            for (index_t i = 0; i < g_.m; i += float_block) make_block(i, j);
    }

  private:
    using Floats = std::unique_ptr<float[]>;

    static Floats room(index_t rows, index_t cols) {
        return std::make_unique_for_overwrite<float[]>(
            static_cast<std::size_t>(std::min(rows, float_block) * std::min(cols, float_block)));
    }
    static index_t part(index_t whole, index_t first) {
        return std::min(float_block, whole - first);
    }

    void make_block(index_t i, index_t j) const {
        const Block<T> c{static_cast<T*>(g_.c) + i + j * g_.ldc, g_.ldc, part(g_.m, i),
                         part(g_.n, j)};
        if (reads_c_) widen<T>({c.data, c.ld, c.rows, c.cols}, c_.get());
        GemmArgs s = g_;
        s.type = Type::s;
        s.m = c.rows, s.n = c.cols, s.k = 0;
        s.c = c_.get(), s.ldc = c.rows;
        if (depth_ == 0) sgemm_(s);
        for (index_t l = 0; l < depth_; l += float_block) {
            take_factors(s, i, j, l);
            sgemm_(s);
            s.beta = {1, 0};
        }
        narrow(c_.get(), c);
    }

    void take_factors(GemmArgs& s, index_t i, index_t j, index_t l) const {
        s.k = part(depth_, l);
        const auto a = block_of<T>(g_.a, g_.lda, g_.op_a, i, l, s.m, s.k);
        const auto b = block_of<T>(g_.b, g_.ldb, g_.op_b, l, j, s.k, s.n);
        widen(a, a_.get());
        widen(b, b_.get());
        s.a = a_.get(), s.lda = a.rows;
        s.b = b_.get(), s.ldb = b.rows;
    }

    const GemmArgs& g_;
    Sgemm sgemm_;
    index_t depth_;  // of the product; 0 when A and B are not read
    bool reads_c_;
    Floats a_, b_, c_;
};

}  // namespace

void gemm_by_float(const GemmArgs& args, void (*sgemm)(const GemmArgs&)) {
    if (args.type == Type::h)
        ByFloat<half>(args, sgemm).run();
    else
        ByFloat<bfloat16>(args, sgemm).run();
}

}  // namespace gemmill
