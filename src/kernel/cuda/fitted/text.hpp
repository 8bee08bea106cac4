// SPDX-License-Identifier: Apache-2.0
// Texts of kernels with holes (fitted.cuh), as a compiler has written them. Also compiled into
// tests.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gemmill::batch {

/// A text with one kernel, and its name; both empty: there is no such kernel.
struct KernelText {
    std::string text, name;
};

/// Kernel number i of a text, with all that stands before the first one.
KernelText kernel_text(std::string_view all, int i);

/// The text with words[i] in the place of 0x401e and i. Empty where there is no such word.
std::string filled(std::string_view text, std::span<const unsigned> words);

}  // namespace gemmill::batch
