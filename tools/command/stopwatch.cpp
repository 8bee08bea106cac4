// SPDX-License-Identifier: Apache-2.0
#include "command/stopwatch.hpp"

#include <chrono>
#include <thread>

namespace gemmill::command {
namespace {

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

}  // namespace

Stopwatch::Stopwatch() : start_(now()) {}
double Stopwatch::seconds() const { return now() - start_; }

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

}  // namespace gemmill::command
