// SPDX-License-Identifier: Apache-2.0
#include "gemmill/error.hpp"

#include <string_view>

namespace gemmill {
namespace {

std::string place_text(const std::source_location& place) {
    std::string_view file = place.file_name();
    if (const auto src = file.rfind("src/"); src != std::string_view::npos) file.remove_prefix(src);
    return std::string(file) + ":" + std::to_string(place.line());
}

}  // namespace

const char* name_of(Code code) noexcept {
    switch (code) {
        case Code::ok:
            return "ok";
        case Code::bad_argument:
            return "bad argument";
        case Code::out_of_memory:
            return "out of memory";
        case Code::no_device:
            return "no device";
        case Code::failed_step:
            return "failed step";
        case Code::parse:
            return "parse error";
        case Code::io:
            return "input/output error";
        case Code::invalid_plan:
            return "invalid plan";
        case Code::internal:
            break;
    }
    return "internal error";
}

Error::Error(Code code, std::string text, std::string condition, std::source_location place)
    : code_(code),
      text_(std::move(text)),
      condition_(std::move(condition)),
      place_(place_text(place)) {
    what_ = std::string(name_of(code)) + ": " + text_;
    if (!condition_.empty()) what_ += " (needs " + condition_ + ")";
}

}  // namespace gemmill
