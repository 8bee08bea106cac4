// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

constexpr std::size_t most_fields = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Reads the tokens of one line: bare text, or text with a quoted part after '='.
class LineReader {
  public:
    LineReader(std::string_view line, int number) : rest_(line) { record_.line = number; }

    Record read() {
        for (skip_blanks(); !rest_.empty() && rest_.front() != '#'; skip_blanks()) token();
        return std::move(record_);
    }

  private:
    void skip_blanks() {
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    }

    void token() {
        std::string key = bare();
        if (rest_.empty() || rest_.front() != '=') {
            if (!record_.fields.empty()) fail(record_, "word " + shown(key) + " after a key=value");
            record_.words.push_back(std::move(key));
            return;
        }
        rest_.remove_prefix(1);
        if (key.empty()) fail(record_, "'=' without a key before it");
        if (record_.fields.size() == most_fields) fail(record_, "too many fields");
        if (record_.find(key) != nullptr) fail(record_, shown(key) + " is given twice");
        std::string value = !rest_.empty() && rest_.front() == '"' ? quoted_text() : value_text();
        record_.fields.emplace_back(std::move(key), std::move(value));
    }

    std::string until(auto stop) {
        std::size_t length = 0;
        while (length < rest_.size() && !stop(rest_[length])) ++length;
        std::string text(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return text;
    }

    std::string bare() {
        if (rest_.front() == '"') return quoted_text();
        if (rest_.starts_with("=>")) return arrow();
        return until([](char c) { return is_blank(c) || c == '=' || c == '#' || c == '"'; });
    }

    /// "=>" is a word, not a field without a key.
    std::string arrow() {
        rest_.remove_prefix(2);
        return "=>";
    }

    std::string value_text() {
        return until([](char c) { return is_blank(c) || c == '#' || c == '"'; });
    }

    std::string quoted_text() {
        std::string text;
        for (rest_.remove_prefix(1);;) {
            text += until([](char c) { return c == '"' || c == '\\'; });
            if (rest_.empty()) fail(record_, "a quote that does not end");
            const bool end = rest_.front() == '"';
            rest_.remove_prefix(1);
            if (end) break;
            if (rest_.empty()) fail(record_, "a quote that does not end");
            text += rest_.front() == 'n' ? '\n' : rest_.front();
            rest_.remove_prefix(1);
        }
        if (!rest_.empty() && !is_blank(rest_.front()) && rest_.front() != '#')
            fail(record_, "text right behind a closing quote");
        return text;
    }

    std::string_view rest_;
    Record record_;
};

}  // namespace

const std::string* Record::find(std::string_view key) const noexcept {
    for (const auto& [name, value] : fields)
        if (name == key) return &value;
    return nullptr;
}

std::vector<Record> parse_records(std::string_view text) {
    std::vector<Record> records;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        Record record = LineReader(text.substr(0, end), number).read();
        if (!record.words.empty() || !record.fields.empty()) records.push_back(std::move(record));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return records;
}

std::string quoted(std::string_view value) {
    if (!value.empty() && value.find_first_of(" \t\r\n\"\\=#") == std::string_view::npos)
        return std::string(value);
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        if (c == '\n')
            text += "\\n";
        else
            text += c;
    }
    return text + '"';
}

void fail(const Record& record, const std::string& text) {
    throw Error(Code::parse, fmt::format("line {}: {}", record.line, text));
}

}  // namespace gemmill
