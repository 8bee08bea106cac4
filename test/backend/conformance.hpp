// SPDX-License-Identifier: Apache-2.0
// What every backend must do. A backend is done when it passes: instantiate Conformance with a way
// to make it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "kernel/kernel.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"

namespace gemmill::test {

/// How the tests get a backend of so many devices, each with memory of its own.
struct BackendMaker {
    std::string name;
    /// nullptr where the machine has no such devices.
    std::function<std::unique_ptr<Backend>(int devices)> make;
    /// With kernels or memory of the test's choice; empty for a backend that has its own.
    std::function<std::unique_ptr<Backend>(int devices, Kernels kernels)> make_with_kernels;
    std::function<std::unique_ptr<Backend>(int devices, Allocate allocate)> make_with_memory;
};

inline void PrintTo(const BackendMaker& maker, std::ostream* out) { *out << maker.name; }

class Conformance : public ::testing::TestWithParam<BackendMaker> {
  protected:
    void SetUp() override {
        if (make(1) == nullptr) GTEST_SKIP() << "no " << GetParam().name << " devices";
    }
    std::unique_ptr<Backend> make(int devices) const { return GetParam().make(devices); }
};

/// Memory of a backend for operands, given back at the end.
class Homes {
  public:
    explicit Homes(Backend& backend) : backend_(backend) {}
    ~Homes() {
        for (void* block : blocks_) backend_.release(block);
    }
    /// Where the problem says; the host's own memory, or what the backend has of it.
    std::array<Guarded::Place, 3> of(const Problem& p, Random& random) {
        std::array<Guarded::Place, 3> places;
        for (std::size_t o = 0; o < 3; ++o)
            if (p.home[o] != 0 || random.chance(50)) places[o] = in(p.home[o]);
        return places;
    }

  private:
    Guarded::Place in(MemoryId memory) {
        return {[this, memory](std::size_t bytes) {
                    blocks_.push_back(backend_.allocate(memory, bytes));
                    return blocks_.back();
                },
                [this](void* to, const void* from, std::size_t bytes) {
                    backend_.copy(to, from, bytes);
                }};
    }

    Backend& backend_;
    std::vector<void*> blocks_;
};

inline std::string name_of_maker(const ::testing::TestParamInfo<BackendMaker>& maker) {
    return maker.param.name;
}

}  // namespace gemmill::test
