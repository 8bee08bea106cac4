// SPDX-License-Identifier: Apache-2.0
// Texts with small faults, the same in every run: what people and broken files write.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "support/random.hpp"

namespace gemmill::test {

class Mutator {
  public:
    explicit Mutator(std::uint64_t seed) : random_(seed) {}

    /// One to four edits.
    std::string mutate(std::string text) {
        for (index_t n = random_.between(1, 4); n > 0; --n) edit(text);
        return text;
    }

    std::string noise(index_t most = 80) {
        std::string text;
        for (index_t n = random_.below(most); n > 0; --n)
            text += static_cast<char>(random_.below(256));
        return text;
    }

    Random& random() { return random_; }

  private:
    std::size_t below(std::size_t n) {
        return static_cast<std::size_t>(random_.below(static_cast<index_t>(n)));
    }

    void edit(std::string& text) {
        static constexpr std::string_view marks = "[]{}()-=>,x#\"\\:.@/ 0123456789\nTGehg\xff";
        const std::size_t at = below(text.size() + 1),
                          length = std::min(below(12), text.size() - at);
        switch (below(8)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, 1, marks[below(marks.size())]);
                break;
            case 2:
                text.insert(at, text.substr(at, length));
                break;
            case 3:
                text.insert(below(text.size() + 1), text.substr(at, below(60)));
                break;
            case 4:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
                break;
            default:
                replace_number(text, at);
        }
    }

    /// The next number becomes one that code may not be ready for.
    void replace_number(std::string& text, std::size_t at) {
        static constexpr std::string_view odd[] = {"0",
                                                   "-1",
                                                   "1",
                                                   "1e-300",
                                                   "1e300",
                                                   "1e24",
                                                   "1e6",
                                                   "nan",
                                                   "inf",
                                                   "4096",
                                                   "2147483648",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "99999999999999999999"};
        static constexpr std::string_view digits = "0123456789.";
        const std::size_t begin = text.find_first_of(digits, at);
        if (begin == std::string::npos) return;
        const std::size_t end = std::min(text.find_first_not_of(digits, begin), text.size());
        text.replace(begin, end - begin, random_.pick(odd));
    }

    Random random_;
};

}  // namespace gemmill::test
