// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <vector>

#include "backend/cuda_part.hpp"

namespace gemmill {
namespace {

/// Beside this library or program, in the lib folder next to its own, or where the loader looks.
void* open_cuda(std::string& why) {
    constexpr const char* name = "libgemmill_cuda.so";
    std::string here;
    if (Dl_info info; ::dladdr(reinterpret_cast<const void*>(&probe_gpus), &info) != 0)
        here = info.dli_fname;
    const auto folder =
        here.rfind('/') == std::string::npos ? "." : here.substr(0, here.rfind('/'));
    for (const std::string& path : {fmt::format("{}/{}", folder, name),
                                    fmt::format("{}/../lib/{}", folder, name), std::string(name)})
        if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    why = fmt::format("no {}: this is a build without CUDA", name);
    return nullptr;
}

}  // namespace

std::string probe_gpus(std::string& why) {
    void* library = open_cuda(why);
    if (library == nullptr) return {};
    const auto probe =
        reinterpret_cast<gemmill_cuda_probe_function>(::dlsym(library, "gemmill_cuda_probe"));
    std::vector<char> text(1 << 20);
    const int code = probe != nullptr ? probe(text.data(), text.size()) : -1;
    if (code == 0 && text[0] != '\0') return text.data();
    why =
        code == 0 ? "no GPU" : fmt::format("CUDA: {}", probe != nullptr ? text.data() : "too old");
    return {};
}

Machine with_gpus(const Machine& host, std::string& why) {
    return parse_machine(to_text(host) + probe_gpus(why));
}

}  // namespace gemmill
