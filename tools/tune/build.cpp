// SPDX-License-Identifier: Apache-2.0
#include "tune/build.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "backend/run_each.hpp"
#include "base/text.hpp"
#include "batch/choice/choice.hpp"
#include "command/console.hpp"
#include "command/stopwatch.hpp"
#include "command/values.hpp"
#include "gemmill/error.hpp"
#include "gemmill/version.hpp"
#include "kernel/cuda/tuned/candidate.hpp"

namespace gemmill::command {
namespace {

namespace fs = std::filesystem;

const char* cuda_type(Type type) {
    static constexpr const char* names[] = {"float",           "double", "cuFloatComplex",
                                            "cuDoubleComplex", "__half", "__nv_bfloat16"};
    return names[static_cast<int>(type)];
}

std::string find_nvcc() {
    const char* path = std::getenv("PATH");
    std::vector<std::string> folders = split(path != nullptr ? path : "", ':');
    folders.emplace_back("/usr/local/cuda/bin");
    for (const std::string& folder : folders)
        if (!folder.empty() && fs::exists(fs::path(folder) / "nvcc"))
            return (fs::path(folder) / "nvcc").string();
    throw Error(Code::io, "no nvcc in PATH or /usr/local/cuda/bin",
                "the CUDA toolkit; or libraries built elsewhere, with --run-only");
}

/// The folders of headers of a tree, or none.
std::vector<std::string> headers_of(const fs::path& tree) {
    const auto has = [](const fs::path& folder, const char* file) {
        return fs::exists(folder / file);
    };
    for (const auto& [kernels, api] :
         {std::pair{tree / "src", tree / "include"},
          std::pair{tree / "share/gemmill/kernels", tree / GEMMILL_INCLUDEDIR}})
        if (has(kernels, "kernel/cuda/one_shape/run.cuh") && has(api, "gemmill/batch.hpp"))
            return {kernels.string(), api.string()};
    return {};
}

std::vector<std::string> find_headers(const std::string& source) {
    std::error_code ignored;
    const fs::path installed =
        fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
    std::vector<fs::path> trees{installed, GEMMILL_SOURCE_TREE};
    if (!source.empty()) trees = {source};
    std::vector<std::string> looked_in;
    for (const fs::path& tree : trees) {
        if (const auto found = headers_of(tree); !found.empty()) return found;
        looked_in.push_back(tree.string());
    }
    throw Error(Code::io, fmt::format("no headers of the kernels in {}", join(looked_in, " or ")),
                "--source: a source tree of Gemmill");
}

std::uint64_t hash(std::string_view text, std::uint64_t h = 14695981039346656037U) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return h;
}

/// Of everything that the kernels are made of.
std::uint64_t hash_of(const Toolchain& toolchain) {
    std::vector<fs::path> files;
    for (const auto& [folder, ends] :
         {std::pair{fs::path(toolchain.includes[0]) / "kernel", ".cuh"},
          std::pair{fs::path(toolchain.includes[0]) / "kernel", ".hpp"},
          std::pair{fs::path(toolchain.includes[1]) / "gemmill", ".hpp"}})
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.path().extension() == ends) files.push_back(entry.path());
    std::ranges::sort(files);
    std::uint64_t h = hash(toolchain.nvcc + toolchain.arch);
    for (const fs::path& file : files) h = hash(read_file(file.string()), h);
    return h;
}

std::string quote(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

/// The first lines that a compiler wrote about an error.
std::string first_error(const std::string& log) {
    std::string text;
    int lines = 0;
    for (const std::string& line : split(log, '\n'))
        if (line.find("error") != std::string::npos && lines++ < 3) text += "\n" + line;
    return text.empty() ? "\n" + log.substr(0, 400) : text;
}

void compile(const Toolchain& t, const fs::path& base) {
    const std::string log = base.string() + ".log", made = base.string() + ".part";
    std::string command = quote(t.nvcc) + " -std=c++20 --expt-relaxed-constexpr -O3 -shared" +
                          " -Xcompiler -fPIC,-fvisibility=hidden -Xptxas -v -arch=" + quote(t.arch);
    for (const std::string& folder : t.includes) command += " -I" + quote(folder);
    command +=
        fmt::format(" -o {} {} > {} 2>&1", quote(made), quote(base.string() + ".cu"), quote(log));
    if (std::system(command.c_str()) != 0)
        throw Error(
            Code::failed_step,
            fmt::format("nvcc failed, all it said is in {}:{}", log, first_error(read_file(log))),
            "candidates that compile");
    fs::rename(made, base.string() + ".so");
}

const batch::Candidates* open(const fs::path& library) {
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* const fault = handle == nullptr ? ::dlerror() : nullptr;
    require(handle != nullptr, Code::io, "a library of candidates",
            fault != nullptr ? fault : library.string());
    const auto symbol =
        reinterpret_cast<batch::CandidatesSymbol>(::dlsym(handle, batch::candidates_symbol));
    const batch::Candidates* table = symbol != nullptr ? symbol() : nullptr;
    require(table != nullptr && std::string_view(table->version) == GEMMILL_VERSION, Code::io,
            "built by this version", fmt::format("{} holds no candidates", library.string()));
    return table;
}

}  // namespace

Toolchain find_toolchain(const std::string& source, const std::string& arch) {
    return {find_nvcc(), find_headers(source), arch};
}

std::string source_of(const std::vector<PipeCandidate>& candidates, Type type) {
    std::string rows;
    for (const PipeCandidate& c : candidates) rows += "    " + row_of(c, type) + "\n";
    return fmt::format(R"(// Made by gemmill tune batch.
#include "kernel/cuda/one_shape/run.cuh"
#include "kernel/cuda/tuned/candidate.hpp"

namespace gemmill::batch {{
namespace {{

using T = {};
constexpr Kernel all[] = {{
{}}};

int run(int i, int device, void* stream, const Batch& x) {{
    if (const auto error = cudaSetDevice(device)) return error;
    return all[i].run(x, static_cast<cudaStream_t>(stream));
}}
constexpr Candidates table{{"{}", Type::{}, {}, [](int i) {{ return all[i].name.data(); }},
                           [](int i) {{ return all[i].edge; }}, run,
                           [](int code) {{ return cudaGetErrorString(static_cast<cudaError_t>(code)); }}}};

}}  // namespace
}}  // namespace gemmill::batch

extern "C" __attribute__((visibility("default"))) const gemmill::batch::Candidates*
gemmill_batch_candidates() {{
    return &gemmill::batch::table;
}}
)",
                       cuda_type(type), rows, GEMMILL_VERSION, letter_of(type), candidates.size());
}

void build(const std::vector<PipeCandidate>& candidates, Type type, const Toolchain& toolchain,
           const BuildOptions& options) {
    make_folder(options.folder);
    const std::uint64_t key = hash_of(toolchain);
    struct Library {
        fs::path base;
        std::string source;
        std::size_t kernels;
    };
    std::vector<Library> missing;
    for (std::size_t first = 0; first < candidates.size(); first += options.per_library) {
        const std::size_t last = std::min(candidates.size(), first + options.per_library);
        const std::vector<PipeCandidate> some(candidates.begin() + static_cast<index_t>(first),
                                              candidates.begin() + static_cast<index_t>(last));
        const std::string source = source_of(some, type);
        const fs::path base = fs::path(options.folder) /
                              fmt::format("{}_{:016x}", letter_of(type), hash(source, key));
        if (!fs::exists(base.string() + ".so")) missing.push_back({base, source, some.size()});
    }
    fmt::print("{}: {} candidates, {} libraries to build in {}\n", letter_of(type),
               candidates.size(), missing.size(), options.folder);
    std::atomic<std::size_t> next = 0, done = 0;
    std::mutex mutex;
    const Stopwatch watch;
    run_each(std::min(missing.size(), static_cast<std::size_t>(std::max(1, options.jobs))),
             [&](std::size_t) {
                 for (std::size_t i = next++; i < missing.size(); i = next++) {
                     const auto& [base, source, kernels] = missing[i];
                     write_file(base.string() + ".cu", source);
                     compile(toolchain, base);
                     const std::lock_guard lock(mutex);
                     fmt::print("[{}/{}] {}: {} kernels, {}\n", ++done, missing.size(),
                                base.filename().string(), kernels, human_seconds(watch.seconds()));
                     flush_output();
                 }
             });
}

bool spills(const std::string& log, const PipeCandidate& c) {
    // In a mangled name the parameters of a template follow one another.
    std::string key;
    const auto add = [&](std::initializer_list<int> numbers) {
        for (const int x : numbers) key += fmt::format("Li{}E", x);
    };
    add({c.rows, c.depth, c.mt, c.nt, c.wr, c.wc});
    if (c.is_piped()) add({c.slab, c.stages});
    key += "E";
    bool of_this = false;
    for (const std::string& line : split(log, '\n')) {
        if (line.find("Compiling entry function") != std::string::npos)
            of_this = line.find(key) != std::string::npos;
        else if (of_this && line.find("spill stores") != std::string::npos)
            return line.find(" 0 bytes spill stores") == std::string::npos;
    }
    return false;
}

Loaded load(const std::string& folder, Type type) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".so" &&
            entry.path().filename().string().starts_with(fmt::format("{}_", letter_of(type))))
            files.push_back(entry.path());
    std::ranges::sort(files);
    Loaded loaded;
    for (fs::path& file : files) {
        const batch::Candidates* table = open(file);
        const std::string log = read_file(file.replace_extension(".log").string());
        for (int i = 0; i < table->count; ++i) {
            const std::string name = table->name(i);
            const auto candidate = candidate_named(name);
            if (candidate && spills(log, *candidate)) {
                loaded.spilled.push_back(name);
                continue;
            }
            loaded.kernels.push_back({name, [table, i](int gpu, void* stream, const Batch& x) {
                                          const int code = table->run(i, gpu, stream, x);
                                          require(code == 0, Code::failed_step,
                                                  "a kernel that runs", table->words(code));
                                      }});
        }
    }
    return loaded;
}

}  // namespace gemmill::command
