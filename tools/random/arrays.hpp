// SPDX-License-Identifier: Apache-2.0
// Memory for A, B and C, full of random numbers, made by all cores and once for many cases.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "gemmill/context.hpp"
#include "gemmill/types.hpp"

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

/// Where matrices of a case lie.
enum class Where : std::uint8_t { pinned, pageable, device };

/// An array for each operand in each kind of memory, taken when it is first needed and kept.
class BenchArrays {
  public:
    /// The context outlives it.
    explicit BenchArrays(Context& context) : context_(context) {}
    ~BenchArrays();
    BenchArrays(const BenchArrays&) = delete;
    BenchArrays& operator=(const BenchArrays&) = delete;

    /// Before the first data(): it has at least this room.
    void grow(Where where, std::size_t operand, std::size_t bytes);
    std::byte* data(Where where, std::size_t operand);
    /// Random numbers from the seed of the operand in all of an array of the host; anew only where
    /// it was not filled with this type before.
    void fill(Where where, std::size_t operand, Type type);

  private:
    static constexpr std::size_t page = 4096;
    struct Array {
        std::byte* data = nullptr;
        std::size_t bytes = page;  ///< whole pages
        std::optional<Type> filled;
    };
    Array& array(Where where, std::size_t operand) {
        return arrays_[static_cast<std::size_t>(where)][operand];
    }

    Context& context_;
    std::array<std::array<Array, 3>, 3> arrays_;
};

}  // namespace gemmill::command
