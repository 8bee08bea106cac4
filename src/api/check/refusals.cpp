// SPDX-License-Identifier: Apache-2.0
// Why a call is refused, in the words of the interface that it came through. Texts are made only
// when they are needed: the checks stand before every small call.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "api/check/argument_rules.hpp"
#include "api/check/arguments.hpp"
#include "api/state.hpp"
#include "base/routine.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// What an argument is and what it must be.
struct Words {
    std::string is, needs;
};

Words words_of_ld(const Level3Args& x, Rule rule, const char* name, index_t ld) {
    const index_t least = least_ld(stored_size(x, rule));
    return {std::to_string(ld),
            ld < least ? fmt::format("{} >= {}", name, least) : "a matrix of less than 2^63 bytes"};
}

Words words_of(const Level3Args& x, Rule rule, const char* name) {
    const auto size = [&](index_t value) {
        return Words{std::to_string(value), fmt::format("{} >= 0", name)};
    };
    const auto ld = [&](index_t value) { return words_of_ld(x, rule, name, value); };
    const auto flag = [&](const char* choices) {
        return Words{"no flag", fmt::format("{}: {}", name, choices)};
    };
    switch (rule) {
        case Rule::side:
            return flag("Left or Right");
        case Rule::uplo:
            return flag("Upper or Lower");
        case Rule::diag:
            return flag("NonUnit or Unit");
        case Rule::m:
            return size(x.m);
        case Rule::n:
            return size(x.n);
        case Rule::k:
            return size(x.k);
        case Rule::lda:
            return ld(x.lda);
        case Rule::ldb:
            return ld(x.ldb);
        case Rule::ldc:
            return ld(x.ldc);
        default:
            break;
    }
    if (!is_update(x.routine) || !is_complex(x.type)) return flag("NoTrans, Trans or ConjTrans");
    return {"not one that it has",
            fmt::format("{}: NoTrans or {}", name,
                        is_hermitian_update(x.routine) ? "ConjTrans" : "Trans")};
}

[[noreturn]] void refuse(Routine routine, const char* name, const Words& words) {
    throw Error(Code::bad_argument, fmt::format("{}: {} is {}", name_of(routine), name, words.is),
                words.needs);
}

/// Calls f(name, data, bytes) for each matrix that the call reads or writes, by the caller's name.
template <class F>
void each_matrix(const Level3Args& x, Layout layout, F f) {
    if (x.m == 0 || x.n == 0) return;
    const auto a = [&](const char* name) {
        f(name, x.a, extent_of(stored_size(x, Rule::lda), x.lda, bytes_of(x.type)));
    };
    const auto b = [&](const char* name) {
        f(name, x.b, extent_of(stored_size(x, Rule::ldb), x.ldb, bytes_of(x.type)));
    };
    const bool swapped = layout == Layout::RowMajor && is_product(x.routine);
    if (multiplies(x)) {
        swapped ? b("a") : a("a");
        if (has_b(x.routine)) swapped ? a("b") : b("b");
    }
    f(is_in_place(x.routine) ? "b" : "c", x.c,
      extent_of(stored_size(x, Rule::ldc), x.ldc, bytes_of(x.type)));
}

}  // namespace

void refuse(const Level3Args& call, Layout layout, int position) {
    const auto rows = rows_of(call.routine);
    const auto at = [&](int p) { return std::ranges::find(rows, p, &ArgumentRow::position); };
    const char* const name = layout == Layout::ColMajor
                                 ? at(position)->name
                                 : at(transposed_position(call.routine, position))->name;
    refuse(call.routine, name, words_of(call, at(position)->rule, name));
}

void check_pointers(const Level3Args& call, Layout layout) {
    each_matrix(call, layout, [&](const char* name, const void* data, index_t) {
        if (data == nullptr)
            refuse(call.routine, name, {"null", fmt::format("{} != nullptr", name)});
    });
}

void check_blocks(const Level3Args& call, Layout layout, const Context::State& state) {
    each_matrix(call, layout, [&](const char* name, const void* data, index_t bytes) {
        if (!state.keeps_to_blocks(data, static_cast<std::size_t>(bytes)))
            refuse(call.routine, name,
                   {fmt::format("larger ({} bytes) than the memory that it was given", bytes),
                    "all of it in one block of allocate()"});
    });
}

}  // namespace gemmill
