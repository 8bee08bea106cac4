// SPDX-License-Identifier: Apache-2.0
// Batches with their matrices, each in poisoned surroundings, and the judge of each product.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "gemmill/batch.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {

/// Products that are alike in what a batch can only have one of: type and layout.
class BatchCase {
  public:
    using Places = Operands::Places;

    BatchCase(std::vector<GemmCase> products, Random& random, const Places& places = {})
        : products_(std::move(products)) {
        for (const GemmCase& one : products_) operands_.emplace_back(one, random, places);
        with_type(type(), [&]<class T>() { describe<T>(); });
    }

    Type type() const { return products_.empty() ? Type::d : products_[0].type; }
    Layout layout() const { return products_.empty() ? Layout::ColMajor : products_[0].layout; }
    index_t count() const { return static_cast<index_t>(products_.size()); }
    Operands& operator[](std::size_t i) { return operands_[i]; }

    /// With arrays of everything, which are on the host.
    Batch variable() const {
        Batch b;
        b.type = type();
        b.count = count();
        b.op_a = {Op::NoTrans, op_a_.data()}, b.op_b = {Op::NoTrans, op_b_.data()};
        b.m = {0, m_.data()}, b.n = {0, n_.data()}, b.k = {0, k_.data()};
        b.alpha = {{}, alpha_.data()}, b.beta = {{}, beta_.data()};
        b.a = {nullptr, 0, a_.data(), {1, lda_.data()}};
        b.b = {nullptr, 0, b_.data(), {1, ldb_.data()}};
        b.c = {nullptr, 0, c_.data(), {1, ldc_.data()}};
        return b;
    }
    /// As if all were like the first.
    Batch uniform() const {
        Batch b = variable();
        b.op_a = {op_a_[0]}, b.op_b = {op_b_[0]};
        b.m = {m_[0]}, b.n = {n_[0]}, b.k = {k_[0]};
        b.alpha = {products_[0].alpha}, b.beta = {products_[0].beta};
        b.a.ld = {lda_[0]}, b.b.ld = {ldb_[0]}, b.c.ld = {ldc_[0]};
        return b;
    }

    void send() const {
        for (const Operands& x : operands_) x.send();
    }
    ::testing::AssertionResult check() {
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            operands_[i].allow_roundings(1);
            if (auto result = operands_[i].check(); !result)
                return result << " (product " << i << " of " << operands_.size() << ")";
        }
        return ::testing::AssertionSuccess();
    }
    /// Nothing was written.
    ::testing::AssertionResult untouched() const {
        for (const Operands& x : operands_) {
            x.fetch();
            const GemmCase& one = x.problem();
            Tile all;
            all.rows = one.m, all.cols = one.n;
            if (!x.old(all) || !x.check_surroundings())
                return ::testing::AssertionFailure() << "written: " << to_string(one);
        }
        return ::testing::AssertionSuccess();
    }

  private:
    template <class T>
    void describe() {
        using S = scalar_t<T>;
        const auto put = [](std::vector<std::byte>& all, Scalar value) {
            const S x = from_scalar<S>(value);
            const auto* bytes = reinterpret_cast<const std::byte*>(&x);
            all.insert(all.end(), bytes, bytes + sizeof x);
        };
        for (Operands& x : operands_) {
            const GemmCase& one = x.problem();
            op_a_.push_back(one.op_a), op_b_.push_back(one.op_b);
            m_.push_back(one.m), n_.push_back(one.n), k_.push_back(one.k);
            lda_.push_back(x.a().ld()), ldb_.push_back(x.b().ld()), ldc_.push_back(x.c().ld());
            a_.push_back(x.a().data()), b_.push_back(x.b().data()), c_.push_back(x.c().data());
            put(alpha_, one.alpha), put(beta_, one.beta);
        }
    }

    std::vector<GemmCase> products_;
    std::deque<Operands> operands_;
    std::vector<Op> op_a_, op_b_;
    std::vector<index_t> m_, n_, k_, lda_, ldb_, ldc_;
    std::vector<const void*> a_, b_, c_;
    std::vector<std::byte> alpha_, beta_;
};

/// The matrices of a column-major batch of one shape on the host, copied one behind the other.
class Chain {
  public:
    using Memory = std::vector<std::byte>;

    /// From `shift` elements behind a multiple of 16 bytes on, with `gap` elements between them,
    /// and `between` their columns.
    Chain(BatchCase& batch, index_t shift = 0, index_t gap = 0, index_t between = 0)
        : batch_(batch),
          x_(batch.uniform()),
          size_(bytes_of(x_.type)),
          shift_(shift),
          gap_(gap),
          between_(between) {
        const auto turned = [](Op op) { return op != Op::NoTrans; };
        copy(a_, x_.a, x_.m.all, x_.k.all, turned(x_.op_a.all));
        copy(b_, x_.b, x_.k.all, x_.n.all, turned(x_.op_b.all));
        copy(c_, x_.c, x_.m.all, x_.n.all, false);
    }
    /// With matrices where these were copied to.
    Batch at(const std::byte* a, const std::byte* b, const std::byte* c) const {
        Batch x = x_;
        const auto place = [&](BatchMatrix& of, const std::byte* data, const Place& p) {
            of = {data + begin(), apart(p), nullptr, {std::max<index_t>(1, p.rows + between_)}};
        };
        place(x.a, a, a_), place(x.b, b, b_), place(x.c, c, c_);
        return x;
    }
    Batch here() const { return at(a_.memory.data(), b_.memory.data(), c_.memory.data()); }
    /// By pointers: in order, or with the first and the last exchanged.
    Batch by_pointers(bool in_order) {
        Batch x = here();
        const auto list = [&](BatchMatrix& of, Place& p) {
            p.pointers.clear();
            for (index_t i = 0; i < x.count; ++i)
                p.pointers.push_back(static_cast<const std::byte*>(of.data) + i * apart(p) * size_);
            if (!in_order && !p.pointers.empty()) std::swap(p.pointers.front(), p.pointers.back());
            of.array = p.pointers.data();
        };
        list(x.a, a_), list(x.b, b_), list(x.c, c_);
        return x;
    }
    const Memory& a() const { return a_.memory; }
    const Memory& b() const { return b_.memory; }
    Memory& c() { return c_.memory; }

    /// Every product is right, and nothing was written but C.
    ::testing::AssertionResult check() {
        each(c_, x_.c, [&](std::byte* here, std::byte* there, std::size_t bytes) {
            std::memcpy(there, here, bytes);
            std::memset(here, static_cast<int>(poison), bytes);
        });
        if (!std::ranges::all_of(c_.memory, [](std::byte b) { return b == poison; }))
            return ::testing::AssertionFailure() << "written outside of C";
        return batch_.check();
    }

  private:
    static constexpr std::byte poison{0x5a};
    static constexpr index_t guard = 64;  // bytes before the first and behind the last
    struct Place {
        index_t rows = 0, cols = 0;
        Memory memory;
        std::vector<const void*> pointers;
    };
    index_t apart(const Place& p) const { return (p.rows + between_) * p.cols + gap_; }
    index_t begin() const { return guard + shift_ * size_; }

    /// f(here, there, bytes) for each column.
    template <class F>
    void each(Place& p, const BatchMatrix& of, F f) {
        for (index_t i = 0; i < x_.count; ++i)
            for (index_t j = 0; j < p.cols; ++j)
                f(p.memory.data() + begin() + (i * apart(p) + j * (p.rows + between_)) * size_,
                  static_cast<std::byte*>(const_cast<void*>(of.array[i])) + j * of.ld.all * size_,
                  static_cast<std::size_t>(p.rows * size_));
    }
    void copy(Place& p, const BatchMatrix& of, index_t rows, index_t cols, bool turned) {
        p.rows = turned ? cols : rows, p.cols = turned ? rows : cols;
        p.memory.assign(static_cast<std::size_t>(2 * begin() + x_.count * apart(p) * size_),
                        poison);
        each(p, of, [](std::byte* here, const std::byte* there, std::size_t bytes) {
            std::memcpy(here, there, bytes);
        });
    }

    BatchCase& batch_;
    Batch x_;
    index_t size_, shift_, gap_, between_;
    Place a_, b_, c_;
};

/// Each of its own shape.
inline std::vector<GemmCase> random_products(Random& random, index_t count, index_t largest) {
    std::vector<GemmCase> all;
    const GemmCase first = random_case(random, largest);
    for (index_t i = 0; i < count; ++i) {
        all.push_back(random_case(random, largest));
        all.back().type = first.type;
        all.back().layout = first.layout;
        if (!is_complex(first.type)) all.back().alpha.im = all.back().beta.im = 0;
    }
    return all;
}

}  // namespace gemmill::test
