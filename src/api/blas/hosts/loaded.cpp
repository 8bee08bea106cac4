// SPDX-License-Identifier: Apache-2.0
#include "api/blas/hosts/loaded.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gemmill::blas {
namespace {

/// The names that a loaded object shows to others, in its memory.
struct Names {
    const ElfW(Sym) * symbols = nullptr;
    const char* text = nullptr;
    std::uint32_t count = 0;
};

/// How many symbols there are stands nowhere: the last one is at the end of the last chain.
std::uint32_t count_by_hash(const std::uint32_t* table) {
    const std::uint32_t buckets = table[0], first = table[1], bloom = table[2];
    const auto* const heads = table + 4 + bloom * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
    std::uint32_t last = 0;
    for (std::uint32_t b = 0; b < buckets; ++b) last = std::max(last, heads[b]);
    if (last < first) return first;
    const std::uint32_t* const chains = heads + buckets;
    while ((chains[last - first] & 1) == 0) ++last;
    return last + 1;
}

const ElfW(Dyn) * dynamic_of(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr +
                                                      object.dlpi_phdr[i].p_vaddr);
    return nullptr;
}

Names names_in(const dl_phdr_info& object) {
    Names names;
    const ElfW(Dyn)* entry = dynamic_of(object);
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        // The loader has made addresses of them, but in the kernel's own object.
        const bool moved = entry->d_un.d_ptr >= object.dlpi_addr;
        const auto address = moved ? entry->d_un.d_ptr : 0;
        if (entry->d_tag == DT_SYMTAB)
            names.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        else if (entry->d_tag == DT_STRTAB)
            names.text = reinterpret_cast<const char*>(address);
        else if (entry->d_tag == DT_GNU_HASH && address != 0)
            names.count = count_by_hash(reinterpret_cast<const std::uint32_t*>(address));
    }
    return names.symbols != nullptr && names.text != nullptr ? names : Names{};
}

/// Without its folder; the program has no path here.
std::string file_of(std::string_view path) {
    return path.empty() ? "the program" : std::string(path.substr(path.rfind('/') + 1));
}

/// What a file is known for, where its names do not tell.
bool has_one_linked_in(std::string_view file) { return file.starts_with("libtorch_cpu.so"); }

std::optional<LoadedBlas> blas_in(const dl_phdr_info& object) {
    LoadedBlas found{file_of(object.dlpi_name), BlasReach::linked_in, ""};
    bool any = has_one_linked_in(found.file), known = false;
    const Names names = names_in(object);
    for (std::uint32_t i = 1; i < names.count; ++i) {
        if (names.symbols[i].st_shndx == SHN_UNDEF) continue;
        const std::string_view name = names.text + names.symbols[i].st_name;
        if (name == "gemmill_dropin") return std::nullopt;
        known = known || is_known_name(name);
        if (found.name.empty() && is_renamed(name)) found.name = name;
    }
    const bool program = *object.dlpi_name == '\0';  // which calls its own functions directly
    if (known && !program)
        found.reach = BlasReach::known;
    else if (!found.name.empty())
        found.reach = BlasReach::renamed;
    any = any || known || !found.name.empty();
    return any ? std::optional(found) : std::nullopt;
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [&](auto start) { return name.starts_with(start); });
}

/// What follows "dgemm" in a name of the routine, and not of a part of it.
bool is_end(std::string_view text) {
    constexpr std::array<std::string_view, 5> ends{"", "_", "_64_", "64_", "_64"};
    return std::ranges::find(ends, text) != ends.end();
}

}  // namespace

bool is_known_name(std::string_view name) {
    if (name.starts_with("scipy_")) name.remove_prefix(6);
    if (name.starts_with("cblas_")) name.remove_prefix(6);
    return starts_with_any(name, {"dgemm", "sgemm"}) && is_end(name.substr(5));
}

bool is_renamed(std::string_view name) {
    // Names of C++, of libraries for GPUs, and our own.
    if (starts_with_any(name, {"_Z", "rocblas_", "hipblas", "gemmill_"})) return false;
    const std::size_t at = std::min(name.find("dgemm"), name.find("sgemm"));
    return at != std::string_view::npos && is_end(name.substr(at + 5)) && !is_known_name(name);
}

std::vector<LoadedBlas> loaded_blas() {
    std::vector<LoadedBlas> all;
    const auto add = [](dl_phdr_info* object, std::size_t, void* to) {
        if (auto found = blas_in(*object))
            static_cast<std::vector<LoadedBlas>*>(to)->push_back(std::move(*found));
        return 0;
    };
    ::dl_iterate_phdr(add, &all);
    return all;
}

}  // namespace gemmill::blas
