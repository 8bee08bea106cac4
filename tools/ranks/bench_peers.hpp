// SPDX-License-Identifier: Apache-2.0
// What `gemmill bench pdgemm` compares with: ScaLAPACK, and the host BLAS on all cores.
#pragma once

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

namespace gemmill::command {

/// The routines that are compared with, opened at run time.
class Peers {
  public:
    Peers() {
        void* scalapack = dlopen(GEMMILL_SCALAPACK_PATH, RTLD_NOW | RTLD_GLOBAL);
        void* blas = dlopen(GEMMILL_HOST_BLAS_PATH, RTLD_NOW | RTLD_LOCAL);
        find(scalapack, "pdgemm_", pdgemm);
        find(scalapack, "Cblacs_get", blacs_get);
        find(scalapack, "Cblacs_gridinit", blacs_gridinit);
        find(blas, "cblas_dgemm", dgemm);
        find(blas, "openblas_set_num_threads", set_threads);
    }
    bool has_scalapack() const {
        return pdgemm != nullptr && blacs_get != nullptr && blacs_gridinit != nullptr;
    }
    bool has_blas() const { return dgemm != nullptr && set_threads != nullptr; }

    void (*pdgemm)(const char*, const char*, const int*, const int*, const int*, const double*,
                   const double*, const int*, const int*, const int*, const double*, const int*,
                   const int*, const int*, const double*, double*, const int*, const int*,
                   const int*) = nullptr;
    void (*blacs_get)(int, int, int*) = nullptr;
    void (*blacs_gridinit)(int*, const char*, int, int) = nullptr;
    void (*dgemm)(int, int, int, int, int, int, double, const double*, int, const double*, int,
                  double, double*, int) = nullptr;
    void (*set_threads)(int) = nullptr;

  private:
    template <class F>
    static void find(void* library, const char* name, F*& function) {
        if (library != nullptr) function = reinterpret_cast<F*>(dlsym(library, name));
    }
};

/// Rank 0 gets all cores while the others sleep.
class AllCores {
  public:
    explicit AllCores(const Peers& peers) : peers_(peers) {
        sched_getaffinity(0, sizeof mine_, &mine_);
        cpu_set_t all;
        CPU_ZERO(&all);
        const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
        for (int core = 0; core < cores; ++core) CPU_SET(static_cast<unsigned>(core), &all);
        sched_setaffinity(0, sizeof all, &all);
        peers_.set_threads(cores);
    }
    ~AllCores() {
        peers_.set_threads(1);
        sched_setaffinity(0, sizeof mine_, &mine_);
    }
    AllCores(const AllCores&) = delete;
    AllCores& operator=(const AllCores&) = delete;

  private:
    const Peers& peers_;
    cpu_set_t mine_{};
};

}  // namespace gemmill::command
