// SPDX-License-Identifier: Apache-2.0
#include "api/blas/handler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "api/blas/say.hpp"

namespace gemmill::blas {
namespace {

/// What the library that holds an address, and those that it needs, have under a name.
void* find_from(const void* address, const std::string& name) {
    Dl_info info{};
    link_map* map = nullptr;
    if (::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
        return nullptr;
    const bool program = *map->l_name == '\0';
    void* const library = ::dlopen(program ? nullptr : map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    void* const found = ::dlsym(library, name.c_str());
    ::dlclose(library);  // it stays: its code is what called
    return found;
}

void* find_handler(const std::string& name, const void* caller) {
    if (void* const found = ::dlsym(RTLD_DEFAULT, name.c_str())) return found;
    return find_from(caller, name);
}

void* find_xerbla(Family family, const void* caller) {
    const HostNames& names = names_of(family);
    return find_handler(fmt::format("{}xerbla{}", names.prefix, names.fortran_suffix), caller);
}

const void* base_of(const void* address) {
    Dl_info info{};
    return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// nullptr where it stands beside the routines, in a BLAS.
void* find_cblas_xerbla(Family family, const void* caller) {
    const auto spelled = [&](const char* name) {
        return fmt::format("{}cblas_{}{}", names_of(family).prefix, name, names_of(family).suffix);
    };
    void* const found = find_handler(spelled("xerbla"), caller);
    const void* const beside = found != nullptr ? find_from(found, spelled("dgemm")) : nullptr;
    return beside != nullptr && base_of(beside) == base_of(found) ? nullptr : found;
}

/// "DGEMM ", "DGEMMTR": as netlib calls it, without an end.
struct FortranName {
    std::array<char, 8> text{};
    std::size_t length = 0;

    explicit FortranName(const char* name) {
        for (; *name != '\0' && length < text.size(); ++name)
            text[length++] = static_cast<char>(std::toupper(static_cast<unsigned char>(*name)));
        while (length < 6) text[length++] = ' ';
    }
};

/// A handler that is called with integers of the family's width.
template <class Int>
void call_xerbla(void* handler, const FortranName& name, Int position) {
    using Xerbla = void (*)(const char*, const Int*, std::size_t);
    reinterpret_cast<Xerbla>(handler)(name.text.data(), &position, name.length);
}
template <class Int>
void call_cblas_xerbla(void* handler, const char* name, Int position) {
    using Xerbla = void (*)(Int, const char*, const char*, ...);
    reinterpret_cast<Xerbla>(handler)(position, name, "");
}

}  // namespace

bool tell_xerbla(Family family, const char* routine, int position, const void* caller) {
    void* const handler = find_xerbla(family, caller);
    if (handler == nullptr) return false;
    const FortranName name(routine);
    if (names_of(family).wide)
        call_xerbla<std::int64_t>(handler, name, position);
    else
        call_xerbla<std::int32_t>(handler, name, position);
    return true;
}

bool tell_cblas_xerbla(Family family, const char* routine, int position, const void* caller) {
    void* const handler = find_cblas_xerbla(family, caller);
    if (handler == nullptr) return false;
    if (names_of(family).wide)
        call_cblas_xerbla<std::int64_t>(handler, routine, position);
    else
        call_cblas_xerbla<std::int32_t>(handler, routine, position);
    return true;
}

void say_bad_argument(const char* routine, int position) {
    const FortranName fortran(routine);
    const bool c = std::string_view(routine).starts_with("cblas_");
    const std::string_view name =
        c ? std::string_view(routine) : std::string_view(fortran.text.data(), fortran.length);
    say(fmt::format(" ** On entry to {} parameter number {} had an illegal value", name, position));
}

}  // namespace gemmill::blas
