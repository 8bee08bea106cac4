// SPDX-License-Identifier: Apache-2.0
// What every backend must do. A backend is done when it passes: instantiate Conformance with a way
// to make it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

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

inline std::string name_of_maker(const ::testing::TestParamInfo<BackendMaker>& maker) {
    return maker.param.name;
}

}  // namespace gemmill::test
