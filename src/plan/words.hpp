// SPDX-License-Identifier: Apache-2.0
// The words of the plan's text form, in the order of their enums.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gemmill {

inline constexpr std::array side_words{"left", "right"};    // Side::Right is the second
inline constexpr std::array uplo_words{"upper", "lower"};   // Uplo::Lower
inline constexpr std::array diag_words{"nonunit", "unit"};  // Diag::Unit
inline constexpr std::array factor_words{"zero", "one", "general"};
inline constexpr std::array operand_words{"A", "B", "C"};
inline constexpr std::array queue_words{"compute", "transfer"};
inline constexpr std::array step_words{"fetch", "compute", "add", "write", "mirror"};
inline constexpr std::array keep_words{"zero", "beta", "one"};

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

}  // namespace gemmill
