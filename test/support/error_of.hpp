// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gemmill/error.hpp"

namespace gemmill::test {

/// The Error that f throws; one of code ok, without a text, when it throws none.
template <class F>
Error error_of(F f) {
    try {
        f();
    } catch (const Error& error) {
        return error;
    }
    return Error(Code::ok, "");
}

}  // namespace gemmill::test
