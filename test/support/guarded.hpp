// SPDX-License-Identifier: Apache-2.0
// A matrix in poisoned surroundings: NaNs that carry their position stand before it, behind it and
// between its columns, so that reading them shows in the result and writing them shows here.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "gemmill/types.hpp"
#include "support/random.hpp"

namespace gemmill::test {

struct GuardedShape {
    Type type = Type::d;
    Layout layout = Layout::ColMajor;
    index_t rows = 0, cols = 0;
    index_t gap = 0;  ///< elements between the end of a column (row) and the next
};

class Guarded {
  public:
    /// Where the matrix lives when that is not the host's own memory: bytes that outlive it, and a
    /// way to copy between them and the host, which sees the matrix as it was last fetched.
    struct Place {
        std::function<void*(std::size_t)> allocate;
        std::function<void(void*, const void*, std::size_t)> copy;
    };

    explicit Guarded(const GuardedShape& shape, const Place& place = {})
        : shape_(shape), copy_(place.copy) {
        const index_t lines = column_major() ? shape.cols : shape.rows;
        const index_t words = (ld() * lines * bytes_of(shape.type) + 3) / 4;
        size_ = static_cast<std::size_t>(2 * guard + 4 * words);
        owner_ = std::make_unique<std::uint64_t[]>(size_ / 8 + 1);
        begin_ = reinterpret_cast<std::byte*>(owner_.get());
        if (place.allocate) away_ = static_cast<std::byte*>(place.allocate(size_));
        poison();
    }

    const GuardedShape& shape() const { return shape_; }
    index_t ld() const {
        return std::max<index_t>(1, column_major() ? shape_.rows : shape_.cols) + shape_.gap;
    }
    /// Where a call finds the matrix.
    std::byte* data() const { return (away_ != nullptr ? away_ : begin_) + guard; }
    /// Brings the matrix to where it lives, and back.
    void send() const {
        if (away_ != nullptr) copy_(away_, begin_, size_);
    }
    void fetch() const {
        if (away_ != nullptr) copy_(begin_, away_, size_);
    }

    /// Every element and all around it is NaN.
    void poison() {
        for (std::size_t at = 0; at + 4 <= size_; at += 4) {
            const std::uint32_t word = mark(at);
            std::memcpy(begin_ + at, &word, 4);
        }
        keep();
    }
    void fill(Random& random) {
        for (index_t j = 0; j < shape_.cols; ++j)
            for (index_t i = 0; i < shape_.rows; ++i) {
                const double re = random.real();
                set(i, j, {re, is_complex(shape_.type) ? random.real() : 0});
            }
        keep();
    }
    void set(index_t i, index_t j, std::complex<double> value) {
        with_type(shape_.type, [&]<class T>() {
            const T x = from_scalar<T>(to_scalar(value));
            std::memcpy(element(i, j), &x, sizeof x);
        });
    }
    std::complex<double> at(index_t i, index_t j) const {
        return with_type(shape_.type, [&]<class T>() -> std::complex<double> {
            T x;
            std::memcpy(&x, element(i, j), sizeof x);
            return std::complex<double>(x);
        });
    }

    /// Remembers the present bytes, and puts them back.
    void keep() { kept_.assign(begin_, begin_ + size_); }
    void restore() { std::memcpy(begin_, kept_.data(), size_); }

    /// Bit for bit as it was kept, with everything around it.
    bool unchanged() const { return std::memcmp(begin_, kept_.data(), size_) == 0; }
    bool same_element(index_t i, index_t j) const {
        const std::byte* here = element(i, j);
        return std::memcmp(here, kept_.data() + (here - begin_), element_size()) == 0;
    }
    /// Nothing but the elements has changed.
    bool surroundings_unchanged() const {
        std::vector<std::byte> now(begin_, begin_ + size_);
        for (index_t j = 0; j < shape_.cols; ++j)
            for (index_t i = 0; i < shape_.rows; ++i) {
                const std::ptrdiff_t at = element(i, j) - begin_;
                std::memcpy(now.data() + at, kept_.data() + at, element_size());
            }
        return now == kept_;
    }
    /// The elements alone, for a comparison of bits.
    std::vector<std::byte> elements() const {
        std::vector<std::byte> all;
        for (index_t j = 0; j < shape_.cols; ++j)
            for (index_t i = 0; i < shape_.rows; ++i)
                all.insert(all.end(), element(i, j), element(i, j) + element_size());
        return all;
    }

  private:
    static constexpr index_t guard = 192;

    bool column_major() const { return shape_.layout == Layout::ColMajor; }
    std::size_t element_size() const { return static_cast<std::size_t>(bytes_of(shape_.type)); }
    std::byte* element(index_t i, index_t j) const {
        const index_t index = column_major() ? i + j * ld() : i * ld() + j;
        return begin_ + guard + index * bytes_of(shape_.type);
    }
    /// A NaN as a float, as two of either 16-bit type and, as the upper half, as a double.
    static std::uint32_t mark(std::size_t at) {
        return 0x7ff87fc0U | (static_cast<std::uint32_t>(at / 4 * 2654435761U) & 0x8007803fU);
    }

    GuardedShape shape_;
    std::size_t size_ = 0;
    std::unique_ptr<std::uint64_t[]> owner_;
    std::byte* begin_ = nullptr;
    std::byte* away_ = nullptr;
    std::function<void(void*, const void*, std::size_t)> copy_;
    std::vector<std::byte> kept_;
};

}  // namespace gemmill::test
