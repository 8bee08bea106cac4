// SPDX-License-Identifier: Apache-2.0
// What the drop-in adds: to small calls, against the same host BLAS called directly, and to the
// start of a program, against the same program without it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "runner.hpp"

namespace {

using Dgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*,
                       const double*, const int*, const double*, const int*, const double*, double*,
                       const int*);
using CblasDgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*,
                            int, double, double*, int);
using Dtrsm = void (*)(const char*, const char*, const char*, const char*, const int*, const int*,
                       const double*, const double*, const int*, double*, const int*);

struct Blas {
    Dgemm dgemm;
    CblasDgemm cblas_dgemm;
    Dtrsm dtrsm;
};

Blas open_blas(const char* path) {
    void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(::dlerror());
    return {reinterpret_cast<Dgemm>(::dlsym(library, "dgemm_")),
            reinterpret_cast<CblasDgemm>(::dlsym(library, "cblas_dgemm")),
            reinterpret_cast<Dtrsm>(::dlsym(library, "dtrsm_"))};
}

/// One kind of call of either library, on its own result.
struct Case {
    const char* name;
    void (*call)(const Blas&, int n, const double* a, const double* b, double* c);
};

// beta 0.5 keeps the numbers from growing without end.
constexpr double alpha = 0.25, beta = 0.5;
const Case cases[] = {
    {"dgemm_",
     [](const Blas& blas, int n, const double* a, const double* b, double* c) {
         blas.dgemm("N", "T", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
     }},
    {"cblas_dgemm",
     [](const Blas& blas, int n, const double* a, const double* b, double* c) {
         blas.cblas_dgemm(101, 111, 111, n, n, n, alpha, a, n, b, n, beta, c, n);
     }},
    {"dtrsm_",
     [](const Blas& blas, int n, const double* a, const double*, double* c) {
         const double one = 1;
         blas.dtrsm("L", "L", "N", "U", &n, &n, &one, a, &n, c, &n);
         // Back to where it was: what is solved again and again leaves the range.
         for (int i = 0; i < n * n; ++i) c[i] = a[i];
     }},
};

nlohmann::json small_calls(const bench::Settings& settings, bool& all_agree) {
    const Blas ours = open_blas(GEMMILL_BLAS_LIBRARY);
    {
        const int n = 1;
        double x = 1;
        cases[0].call(ours, n, &x, &x, &x);  // opens the host BLAS as it will stay
    }
    const Blas host = open_blas(GEMMILL_HOST_BLAS_PATH);
    nlohmann::json results;
    fmt::print("{:<12} {:>4} {:>10} {:>10} {:>9} {:>6}\n", "call", "n", "host ns", "drop-in",
               "added ns", "agree");
    for (const Case& c : cases)
        for (const int n : {1, 4, 8, 16, 32, 64}) {
            if (settings.quick && n > 8) continue;
            const auto a = bench::random_matrix(n, 1), b = bench::random_matrix(n, 2);
            auto x = bench::random_matrix(n, 3), y = x;
            c.call(host, n, a.data(), b.data(), x.data());
            c.call(ours, n, a.data(), b.data(), y.data());
            const bool same = x == y;
            all_agree = all_agree && same;
            const bench::Pair pair = bench::compare(
                settings, {"host", [&] { c.call(host, n, a.data(), b.data(), x.data()); }},
                {"drop-in", [&] { c.call(ours, n, a.data(), b.data(), y.data()); }});
            const double added = (pair.second - pair.first) * 1e9;
            fmt::print("{:<12} {:>4} {:>10.1f} {:>10.1f} {:>9.1f} {:>6}\n", c.name, n,
                       pair.first * 1e9, pair.second * 1e9, added, same ? "yes" : "NO");
            results.push_back({{"name", c.name},
                               {"n", n},
                               {"host_seconds", pair.first},
                               {"dropin_seconds", pair.second},
                               {"added_ns", added},
                               {"agree", same}});
        }
    return results;
}

/// Seconds from start to end of /bin/true.
double start_true(const char* preload) {
    const std::string variable = std::string("LD_PRELOAD=") + preload;
    char* environment[] = {const_cast<char*>(variable.c_str()), nullptr};
    char name[] = "/bin/true";
    char* arguments[] = {name, nullptr};
    const auto begin = std::chrono::steady_clock::now();
    pid_t child = 0;
    int status = -1;
    if (::posix_spawn(&child, name, nullptr, nullptr, arguments, environment) == 0)
        ::waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error("/bin/true failed");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

nlohmann::json starts(const bench::Settings& settings) {
    std::vector<double> plain, under;
    for (int i = 0; i < (settings.quick ? 5 : 201); ++i) {
        plain.push_back(start_true(""));
        under.push_back(start_true(GEMMILL_BLAS_LIBRARY));
    }
    const double first = bench::median(plain), second = bench::median(under);
    fmt::print("/bin/true    {:.3f} ms, preloaded {:.3f} ms, added {:.3f} ms\n", first * 1e3,
               second * 1e3, (second - first) * 1e3);
    return {{"name", "/bin/true"},
            {"plain_seconds", first},
            {"preloaded_seconds", second},
            {"added_ms", (second - first) * 1e3}};
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Settings settings = bench::parse(argc, argv);
    bool all_agree = true;
    nlohmann::json results = small_calls(settings, all_agree);
    results.push_back(starts(settings));
    bench::write(settings, results);
    return all_agree ? 0 : 1;
}
