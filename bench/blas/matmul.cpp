// SPDX-License-Identifier: Apache-2.0
// c = a @ b as numpy does it, on ordinary arrays, by a program that knows its host BLAS only:
// plain, with the drop-in preloaded, and with NVBLAS preloaded, each in a process of its own.
#include <fmt/format.h>
#include <sys/mman.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runner.hpp"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);
}

namespace {

using nlohmann::json;

struct Flags {
    int n = 8192, repeats = 7;
    std::string out;
    std::string drop_in = GEMMILL_BLAS_LIBRARY, host_blas = GEMMILL_HOST_BLAS_PATH;
    std::string nvblas = "/usr/local/cuda/lib64/libnvblas.so";
    std::string by = "host,drop-in,nvblas";
    std::string folder;   // for the files of NVBLAS
    bool inside = false;  // this is one of the processes
    bool cblas = true;
};

[[noreturn]] void usage(int code) {
    fmt::print(code == 0 ? stdout : stderr,
               "usage: gemmill_bench_matmul [--n N] [--repeats N] [--quick] [--out FILE]\n"
               "           [--by host,drop-in,nvblas]\n"
               "           [--drop-in FILE] [--nvblas FILE] [--host-blas FILE]\n"
               "Median seconds of c = a @ b (n = 8192): host BLAS, drop-in, NVBLAS where it is.\n");
    std::exit(code);
}

Flags flags_of(int argc, char** argv) {
    Flags flags;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto next = [&] { return i + 1 < argc ? argv[++i] : (usage(2), nullptr); };
        if (word == "--n")
            flags.n = std::atoi(next());
        else if (word == "--repeats")
            flags.repeats = std::atoi(next());
        else if (word == "--quick")
            flags.n = 512, flags.repeats = 3;
        else if (word == "--out")
            flags.out = next();
        else if (word == "--by")
            flags.by = next();
        else if (word == "--drop-in")
            flags.drop_in = next();
        else if (word == "--nvblas")
            flags.nvblas = next();
        else if (word == "--host-blas")
            flags.host_blas = next();
        else if (word == "--inside")
            flags.inside = true;
        else if (word == "--no-cblas")
            flags.cblas = false;
        else
            usage(word == "--help" ? 0 : 2);
    }
    if (flags.n < 1 || flags.repeats < 1) usage(2);
    return flags;
}

// --- inside one process -------------------------------------------------------------------------

/// Fresh pages each time, huge ones where there are, as numpy has them for large arrays.
class Array {
  public:
    explicit Array(int n)
        : bytes_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * sizeof(double)),
          data_(
              ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (data_ == MAP_FAILED) throw std::bad_alloc();
        ::madvise(data_, bytes_, MADV_HUGEPAGE);
    }
    ~Array() { ::munmap(data_, bytes_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    double* data() const { return static_cast<double*>(data_); }
    std::size_t size() const { return bytes_ / sizeof(double); }

  private:
    std::size_t bytes_;
    void* data_;
};

/// In [-1, 1), by splitmix64.
void fill(Array& array, std::uint64_t seed) {
    for (std::size_t i = 0; i < array.size(); ++i) {
        std::uint64_t z = seed += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        array.data()[i] = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
    }
}

/// x M of a matrix whose lines of n elements are its columns.
std::vector<double> from_left(const std::vector<double>& x, const double* m) {
    std::vector<double> y(x.size());
    for (std::size_t j = 0; j < x.size(); ++j)
        for (std::size_t i = 0; i < x.size(); ++i) y[j] += x[i] * m[i + j * x.size()];
    return y;
}

/// Whether x (A B) = (x A) B, columns one behind the other, for a random x of signs.
bool is_product(int n, const double* a, const double* b, const double* c) {
    std::mt19937_64 random(7);
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& value : x) value = random() % 2 == 0 ? 1 : -1;
    const auto wanted = from_left(from_left(x, a), b), found = from_left(x, c);
    const double bound = std::numeric_limits<double>::epsilon() * (n + 2.0) * n * n;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(found[i] - wanted[i]) <= bound)) return false;
    return true;
}

struct Call {
    const char* name;
    bool fresh;   ///< into a new c each time
    bool by_row;  ///< by lines that are rows: c' = b' a' by columns
    void (*multiply)(int n, const double* a, const double* b, double* c);
};

void by_fortran(int n, const double* a, const double* b, double* c) {
    const double one = 1, zero = 0;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
}
void by_cblas(int n, const double* a, const double* b, double* c) {
    cblas_dgemm(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
}

constexpr Call calls[] = {{"dgemm_, same c", false, false, by_fortran},
                          {"dgemm_, new c", true, false, by_fortran},
                          {"cblas_dgemm, new c", true, true, by_cblas}};

double seconds_of(const Call& call, int n, const Array& a, const Array& b,
                  std::unique_ptr<Array>& c) {
    const auto start = std::chrono::steady_clock::now();
    if (call.fresh) c = nullptr, c = std::make_unique<Array>(n);
    call.multiply(n, a.data(), b.data(), c->data());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

json time_calls(const Flags& flags) {
    constexpr double long_call = 0.5;  // seconds of the second call: no more then
    const int n = flags.n;
    Array a(n), b(n);
    fill(a, 1);
    fill(b, 2);
    json all = json::array();
    for (const Call& call : calls) {
        if (call.by_row && !flags.cblas) continue;
        auto c = std::make_unique<Array>(n);
        const double first = seconds_of(call, n, a, b, c);
        std::vector<double> times;
        do times.push_back(seconds_of(call, n, a, b, c));
        while (std::ssize(times) < flags.repeats && times.front() < long_call);
        const bool right = call.by_row ? is_product(n, b.data(), a.data(), c->data())
                                       : is_product(n, a.data(), b.data(), c->data());
        all.push_back({{"call", call.name},
                       {"first_seconds", first},
                       {"seconds", bench::median(times)},
                       {"samples", times},
                       {"right", right}});
    }
    return all;
}

// --- outside ------------------------------------------------------------------------------------

struct Contender {
    std::string name, environment, flags;
};

/// NVBLAS reads its settings from a file, and has no CBLAS.
Contender nvblas(const Flags& flags, int tile) {
    const std::string file = fmt::format("{}/nvblas-{}.conf", flags.folder, tile);
    std::ofstream(file) << "NVBLAS_LOGFILE " << flags.folder << "/nvblas.log\n"
                        << "NVBLAS_CPU_BLAS_LIB " << flags.host_blas << "\n"
                        << "NVBLAS_GPU_LIST 0\nNVBLAS_TILE_DIM " << tile << "\n"
                        << "NVBLAS_AUTOPIN_MEM_ENABLED\n";
    return {fmt::format("NVBLAS, tile {}", tile),
            fmt::format("NVBLAS_CONFIG_FILE='{}' LD_PRELOAD='{}'", file, flags.nvblas),
            "--no-cblas"};
}

json run(const Flags& flags, const Contender& who) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string line = fmt::format("{} '{}' --inside {} --n {} --repeats {}", who.environment,
                                         self, who.flags, flags.n, flags.repeats);
    std::FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start " + line);
    std::string text;
    char part[4096];
    while (const std::size_t count = std::fread(part, 1, sizeof part, pipe))
        text.append(part, count);
    if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + line);
    return json::parse(text);
}

int compare(Flags flags) {
    flags.folder = std::filesystem::temp_directory_path() / "gemmill_bench_matmul";
    std::filesystem::create_directories(flags.folder);
    const auto wanted = [&](const char* who) { return flags.by.find(who) != std::string::npos; };
    std::vector<Contender> all;
    if (wanted("host")) all.push_back({"host BLAS", "", ""});
    if (wanted("drop-in"))
        all.push_back({"drop-in", fmt::format("LD_PRELOAD='{}'", flags.drop_in), ""});
    if (wanted("nvblas") && std::filesystem::exists(flags.nvblas))
        for (const int tile : {2048, 4096, 8192}) all.push_back(nvblas(flags, tile));
    bool right = true;
    json results = json::array();
    fmt::print("{:<18} {:<20} {:>11} {:>11} {:>9} {:>6}\n", "by", "call", "first", "median",
               "TFLOP/s", "right");
    for (const Contender& who : all)
        for (json& one : [&] { return run(flags, who); }()) {
            const double seconds = one["seconds"];
            fmt::print("{:<18} {:<20} {:>8.1f} ms {:>8.1f} ms {:>9.2f} {:>6}\n", who.name,
                       one["call"].get<std::string>(), 1e3 * one["first_seconds"].get<double>(),
                       1e3 * seconds, 2e-12 * std::pow(flags.n, 3) / seconds,
                       one["right"].get<bool>() ? "yes" : "NO");
            std::fflush(stdout);
            right = right && one["right"].get<bool>();
            one["by"] = who.name;
            one["n"] = flags.n;
            results.push_back(std::move(one));
        }
    bench::Settings settings;
    settings.rounds = flags.repeats;
    settings.out = flags.out;
    bench::write(settings, results);
    return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const Flags flags = flags_of(argc, argv);
    try {
        if (!flags.inside) return compare(flags);
        std::cout << time_calls(flags) << '\n';
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "gemmill_bench_matmul: {}\n", error.what());
        return 2;
    }
}
