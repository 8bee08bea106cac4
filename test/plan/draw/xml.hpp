// SPDX-License-Identifier: Apache-2.0
// A small check that a text is well-formed XML: tags nest, attributes are quoted, & is escaped.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace gemmill::test {

class XmlCheck {
  public:
    explicit XmlCheck(std::string_view text) : rest_(text) {}

    /// Empty when well-formed, otherwise what is wrong.
    std::string fault() {
        while (fault_.empty() && !rest_.empty()) {
            if (rest_.front() == '<')
                tag();
            else
                character();
        }
        if (fault_.empty() && !open_.empty()) fault_ = "not closed: " + open_.back();
        if (fault_.empty() && roots_ != 1) fault_ = "not one root";
        return fault_;
    }

  private:
    bool take(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }

    void character() {
        const auto c = static_cast<unsigned char>(rest_.front());
        if (c < ' ' && c != '\n') fault_ = "control character";
        if (c > '~') fault_ = "not ASCII";
        if (c == '&') {
            for (const char* entity : {"&lt;", "&gt;", "&amp;", "&quot;"})
                if (take(entity)) return;
            fault_ = "bare &";
        }
        rest_.remove_prefix(1);
    }

    std::string name() {
        std::string text;
        while (!rest_.empty() && (std::isalnum(rest_.front()) || rest_.front() == '-'))
            text += rest_.front(), rest_.remove_prefix(1);
        if (text.empty()) fault_ = "name expected at: " + std::string(rest_.substr(0, 20));
        return text;
    }

    void tag() {
        take("<");
        if (take("/")) {
            const std::string closed = name();
            if (open_.empty() || open_.back() != closed) fault_ = "wrong end tag " + closed;
            if (!open_.empty()) open_.pop_back();
            if (!take(">")) fault_ = "end tag does not end";
            return;
        }
        if (open_.empty()) ++roots_;
        open_.push_back(name());
        while (fault_.empty() && take_blanks()) attribute();
        if (take("/>"))
            open_.pop_back();
        else if (!take(">"))
            fault_ = "tag does not end: " + open_.back();
    }

    bool take_blanks() {
        bool any = false;
        while (take(" ")) any = true;
        return any;
    }

    void attribute() {
        name();
        if (!take("=\"")) fault_ = "attribute without value";
        while (fault_.empty() && !take("\"")) {
            if (rest_.empty() || rest_.front() == '<') fault_ = "attribute does not end";
            if (fault_.empty()) character();
        }
    }

    std::string_view rest_;
    std::vector<std::string> open_;
    int roots_ = 0;
    std::string fault_;
};

inline int count_of(std::string_view text, std::string_view part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

}  // namespace gemmill::test
