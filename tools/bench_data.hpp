// SPDX-License-Identifier: Apache-2.0
// Matrices for measuring: random, made by all cores, made once for many cases.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench_cases.hpp"
#include "gemmill/context.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::command {

/// Calls f with parts of 0 to count on all cores.
void parallel(index_t count, const std::function<void(index_t first, index_t last)>& f);

/// Seeds of A, B and C.
inline constexpr std::array<std::uint64_t, 3> seeds{1, 2, 3};

/// -1 to 1, by a hash (splitmix64's) of seed and index.
template <class R>
R random_real(std::uint64_t seed, index_t index) {
    std::uint64_t z = (seed << 56) + static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    const double x = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
    if constexpr (sizeof(R) < sizeof(float))
        return static_cast<R>(static_cast<float>(x));
    else
        return static_cast<R>(x);
}

/// An element of a matrix that was filled: a complex one is two reals.
template <class T>
T random_element(std::uint64_t seed, index_t index) {
    if constexpr (is_complex(type_of<T>)) {
        using R = typename T::value_type;
        return {random_real<R>(seed, 2 * index), random_real<R>(seed, 2 * index + 1)};
    } else {
        return random_real<T>(seed, index);
    }
}

void fill_random(Type type, void* data, index_t count, std::uint64_t seed);

/// A, B and C wherever cases want them. Each array has room for the largest case; memory is taken
/// when it is first needed.
class BenchData {
  public:
    /// The context outlives it.
    BenchData(Context& context, const std::vector<BenchCase>& cases);
    ~BenchData();
    BenchData(const BenchData&) = delete;
    BenchData& operator=(const BenchData&) = delete;

    /// The call of a case; A and B are filled.
    GemmArgs place(const BenchCase& one);
    /// Makes C what it was first.
    void reset(const BenchCase& one);
    /// The call with all matrices on the host, and with C as it is now.
    GemmArgs on_host(const BenchCase& one);

  private:
    enum Kind : std::size_t { pinned, pageable, device, kinds };
    struct Array {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
    };
    static Kind host_kind(const BenchCase& one) { return one.pinned ? pinned : pageable; }
    Array& array(Kind kind, std::size_t operand);
    /// Where the host has an operand, and where the case has it.
    std::byte* host(const BenchCase& one, std::size_t operand);
    std::byte* home(const BenchCase& one, std::size_t operand);
    void make(const BenchCase& one);
    void send(const BenchCase& one, std::size_t operand);

    Context& context_;
    std::array<std::array<Array, 3>, kinds> arrays_;
    std::array<std::optional<Type>, kinds> filled_;  // what A and B hold
};

}  // namespace gemmill::command
