// SPDX-License-Identifier: Apache-2.0
#include "api/blas/hosts/hosts.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill::blas {
namespace {

/// Nothing, and why, when it cannot be used.
std::optional<HostLibrary> load(const std::string& path, std::string& why) {
    try {
        return load_host_blas(path);
    } catch (const Error& error) {
        why = error.text();
        return std::nullopt;
    }
}

std::optional<HostLibrary> of_this_system(bool wide, std::string& why) {
    const std::string path = wide ? GEMMILL_HOST_BLAS64_PATH : "";
    if (!path.empty())
        if (auto library = load(path, why)) return library;
    return load("", why);
}

std::optional<HostLibrary> by_default(Family family, std::string& why) {
    const HostNames& names = names_of(family);
    if (auto library = loaded_host_blas(names, Wanted::fast)) return library;
    if (auto library = of_this_system(names.wide, why)) return library;
    return loaded_host_blas(names, Wanted::any);
}

HostLibrary choose(Family family, const std::string& named, std::string& fault) {
    std::string why;
    if (!named.empty()) {
        if (auto library = load(named, why)) return *library;
        fault = why + "; the default one is used";
    }
    if (auto library = by_default(family, why)) return *library;
    fault = why + "; what stays on the host is done by plain loops, which are slow";
    return {};
}

}  // namespace

const HostLibrary& Hosts::open(Family family, const std::string& named, std::string& fault) {
    const auto* const library = new HostLibrary(choose(family, named, fault));
    ready_[static_cast<std::size_t>(family)].store(library, std::memory_order_release);
    return *library;
}

std::string Hosts::names() const {
    std::vector<std::string> all;
    for (const auto& library : ready_) {
        const HostLibrary* const found = library.load();
        if (found == nullptr) continue;
        const std::string name = found->name.empty() ? "plain loops" : found->name;
        if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    }
    return join(all, " and ");
}

}  // namespace gemmill::blas
