// SPDX-License-Identifier: Apache-2.0
// What the functions of the C interface share: codes and a message, never an exception.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "gemmill/context.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemmill.h"

struct gemmill_context {
    gemmill::Context context;
};

namespace gemmill::c {

/// Of this thread's last failure.
GEMMILL_API std::string& message();
/// Keeps the text as the message; the code as C knows it.
GEMMILL_API gemmill_code fail(Code code, const char* text) noexcept;

template <class F>
gemmill_code guarded(F&& body) noexcept {
    try {
        body();
        message().clear();
        return GEMMILL_OK;
    } catch (const Error& error) {
        return fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return fail(Code::out_of_memory, "out of memory");
    } catch (const std::exception& error) {
        return fail(Code::internal, error.what());
    } catch (...) {
        return fail(Code::internal, "unknown exception");
    }
}

/// A flag from its letter, of either case.
template <class Flag>
Flag flag(char letter) {
    return static_cast<Flag>(letter >= 'a' ? letter - ('a' - 'A') : letter);
}

inline Context& context_of(gemmill_context* context) {
    return context != nullptr ? context->context : default_context();
}

inline void check_not_null(const void* pointer, const char* name) {
    require(pointer != nullptr, Code::bad_argument, "not null", std::string(name) + " is null");
}

/// alpha or beta as C gives it: reals by value, complex numbers by address.
template <class T>
T read(T scalar, const char*) {
    return scalar;
}
template <class T>
T read(const void* scalar, const char* name) {
    check_not_null(scalar, name);
    return *static_cast<const T*>(scalar);
}

}  // namespace gemmill::c
