// SPDX-License-Identifier: Apache-2.0
// A set of small numbers that come and go at its front, as bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gemmill {

class RankSet {
  public:
    /// Of numbers below this.
    explicit RankSet(std::size_t most) : words_((most + 63) / 64), first_(words_.size()) {}

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    /// Of one that is not empty.
    std::int32_t front() const { return number(first_, std::countr_zero(words_[first_])); }
    std::int32_t back() const {
        std::size_t word = words_.size() - 1;
        while (words_[word] == 0) --word;
        return number(word, 63 - std::countl_zero(words_[word]));
    }
    void insert(std::int32_t rank) {
        std::uint64_t& word = words_[word_of(rank)];
        size_ += (word & bit(rank)) == 0 ? 1 : 0;
        word |= bit(rank);
        if (word_of(rank) < first_) first_ = word_of(rank);
    }
    void erase(std::int32_t rank) {
        std::uint64_t& word = words_[word_of(rank)];
        size_ -= (word & bit(rank)) != 0 ? 1 : 0;
        word &= ~bit(rank);
        while (first_ < words_.size() && words_[first_] == 0) ++first_;
    }
    /// Visits them in order until a visit returns false.
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t word = first_; word < words_.size(); ++word)
            for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
                if (!visit(number(word, std::countr_zero(left)))) return;
    }

  private:
    static std::size_t word_of(std::int32_t rank) { return static_cast<std::size_t>(rank) / 64; }
    static std::uint64_t bit(std::int32_t rank) { return std::uint64_t{1} << (rank % 64); }
    static std::int32_t number(std::size_t word, int bit) {
        return static_cast<std::int32_t>(64 * word) + bit;
    }

    std::vector<std::uint64_t> words_;
    std::size_t first_;  // word that is not 0; words_.size(): there is none
    std::size_t size_ = 0;
};

}  // namespace gemmill
