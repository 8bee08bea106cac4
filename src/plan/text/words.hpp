// SPDX-License-Identifier: Apache-2.0
// The words of the plan's text form, in the order of their enums.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "gemmill/types.hpp"

namespace gemmill {

inline constexpr std::array side_words{"left", "right"};    // Side::Right is the second
inline constexpr std::array uplo_words{"upper", "lower"};   // Uplo::Lower
inline constexpr std::array diag_words{"nonunit", "unit"};  // Diag::Unit
inline constexpr std::array queue_words{"compute", "transfer"};
inline constexpr std::array scale_words{"0", "1", "-1", "alpha", "conj(alpha)", "beta"};
inline constexpr std::array triangle_words{"none", "lower", "upper"};
inline constexpr std::array structure_words{"general", "symmetric", "hermitian", "triangular",
                                            "unit"};

/// The word of an enum's value.
template <std::size_t N, class Enum>
constexpr const char* word_of(const std::array<const char*, N>& words, Enum value) {
    return words[static_cast<std::size_t>(value)];
}

/// The number of a word, or -1.
template <std::size_t N>
constexpr int find_word(const std::array<const char*, N>& words, std::string_view text) {
    for (std::size_t i = 0; i < N; ++i)
        if (text == words[i]) return static_cast<int>(i);
    return -1;
}

/// What stands behind a transposed factor.
constexpr std::string_view suffix_of(Op op) {
    return op == Op::NoTrans ? "" : op == Op::Trans ? "'" : "^H";
}
/// The way back: cuts it off.
constexpr Op cut_suffix(std::string_view& text) {
    for (const Op op : {Op::Trans, Op::ConjTrans})
        if (text.ends_with(suffix_of(op))) {
            text.remove_suffix(suffix_of(op).size());
            return op;
        }
    return Op::NoTrans;
}

}  // namespace gemmill
