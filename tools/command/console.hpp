// SPDX-License-Identifier: Apache-2.0
// What the command prints: tables, lines, progress.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmill::command {

/// Rows of text in aligned columns: the first to the left, the others to the right.
class Table {
  public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text(std::string_view indent = "  ") const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// Lines of at most 80 columns, broken at blanks.
std::string wrapped(std::string_view text);
/// "85 %".
std::string percent(double share);

/// A line on stderr: it may get lost, the command goes on.
void say(const std::string& line);
/// What was printed so far is written. Throws Error(io) when it cannot be.
void flush_output();

/// A line on stderr while something takes its time; only when stderr is a terminal.
class Progress {
  public:
    explicit Progress(const std::string& text);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
};

}  // namespace gemmill::command
