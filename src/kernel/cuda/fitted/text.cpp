// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/fitted/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace gemmill::batch {

KernelText kernel_text(std::string_view all, int i) {
    constexpr std::string_view entry = "\n.visible .entry ";
    const std::size_t head = all.find(entry);
    std::size_t begin = head;
    for (int before = 0; before < i && begin != std::string_view::npos; ++before)
        begin = all.find(entry, begin + 1);
    if (begin == std::string_view::npos) return {};
    const std::string_view text = all.substr(begin, all.find(entry, begin + 1) - begin);
    const std::string_view name = text.substr(entry.size());
    return {std::string(all.substr(0, head)).append(text),
            std::string(name.substr(0, name.find('(')))};
}

std::string filled(std::string_view text, std::span<const unsigned> words) {
    constexpr std::string_view hole = "0x401e";
    std::string out;
    out.reserve(text.size());
    for (;;) {
        const std::size_t at = text.find(hole);
        out.append(text.substr(0, at));
        if (at == std::string_view::npos) return out;
        text.remove_prefix(at + hole.size());
        std::size_t word = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), word);
        if (error != std::errc{} || word >= words.size()) return {};
        out.append(std::to_string(words[word]));
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
}

}  // namespace gemmill::batch
