// SPDX-License-Identifier: Apache-2.0
#include "machine/chips.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmill/error.hpp"
#include "machine/chip_data.hpp"
#include "machine/machines.hpp"
#include "support/error_of.hpp"

namespace gemmill {
namespace {

using test::error_of;

constexpr const char* host = "machine m\nmemory host kind=host size=1GB\n";

Machine read(const std::string& lines) { return parse_machine(host + lines); }

TEST(Chips, of_the_library_are_sound_and_read_back) {
    for (const auto& [name, text] : chip_data) {
        const Machine m = read(std::string("device d memory=host bandwidth=1GB/s d=1T chip=") +
                               std::string(name));
        EXPECT_EQ(check(m), std::vector<std::string>()) << name;
        EXPECT_EQ(parse_machine(to_text(m)), m) << name;
        EXPECT_EQ(m.chips.at(0).name, name);
        EXPECT_FALSE(m.chips[0].origin.empty()) << name;
    }
    EXPECT_EQ(known_chip("abacus"), nullptr);
}

/// The chip of the library, and one like it of the file, whatever the order of lines.
TEST(Chips, are_looked_for_in_the_file_first) {
    const Machine m = read(
        "device d memory=host bandwidth=1GB/s d=1T chip=gpu\nchip gpu d=7\n"
        "efficiency gpu op=trsm edges=1 others=1 parts=0.25\n");
    ASSERT_EQ(m.chips.size(), 1u);
    EXPECT_EQ(m.chips[0].fma[1], 7);
    ASSERT_EQ(m.chips[0].efficiencies.size(), 1u);
    EXPECT_EQ(m.chips[0].efficiencies[0].parts, std::vector<double>{0.25});
    const Machine like =
        read("chip mine like=sm_90 d=5\ndevice d memory=host bandwidth=1GB/s d=1T chip=mine\n");
    EXPECT_EQ(like.chips[0].efficiencies, known_chip("sm_90")->efficiencies);
    EXPECT_EQ(like.chips[0].fma[1], 5);
    EXPECT_EQ(like.chips[0].fma[0], known_chip("sm_90")->fma[0]);
}

TEST(Chips, give_peaks_and_rates_by_cycles) {
    const Machine m = read(
        "chip c s=4 d=2\n"
        "efficiency c op=gemm types=d edges=10,20 others=5 parts=0.25,0.5\n"
        "device d memory=host chip=c cycles=100G\n");
    const Device& d = m.devices.at(0);
    EXPECT_EQ(d.peak[0], 400e9);
    EXPECT_EQ(d.peak[1], 200e9);
    EXPECT_EQ(d.peak[4], 0);
    ASSERT_EQ(d.rates.size(), 1u);
    EXPECT_EQ(d.rates[0], (Rates{Type::d, {10, 20}, {5}, {50e9, 100e9}}));
}

TEST(Chips, faults_are_named) {
    const struct {
        const char *lines, *words;
    } faults[] = {
        {"device d memory=host bandwidth=1GB/s d=1T chip=abacus", "no chip 'abacus'"},
        {"device d memory=host cycles=1G", "cycles without a chip"},
        {"chip c like=abacus", "like: no chip 'abacus'"},
        {"chip c\nchip c", "'c'"},
        {"efficiency c op=trsm edges=1 others=1 parts=1", "unknown chip 'c'"},
        {"chip c\nefficiency c op=trsm edges=1 others=1", "'parts' is missing"},
        {"chip c\nefficiency c op=trsm edges=1 others=1 parts=1\n"
         "efficiency c op=trsm types=d edges=1 others=1 parts=1",
         "efficiency of trsm is given twice"},
    };
    for (const auto& fault : faults) {
        const std::string text = error_of([&] { (void)read(fault.lines); }).text();
        EXPECT_NE(text.find(fault.words), std::string::npos) << fault.lines << ": " << text;
    }
}

TEST(Chips, are_checked) {
    Machine m = read(
        "chip c\nefficiency c op=trsm edges=1,2 others=1 parts=0.5,1\n"
        "device d memory=host bandwidth=1GB/s d=1T chip=c\n");
    ASSERT_TRUE(check(m).empty());
    const auto faulty = [&](auto change) {
        Machine other = m;
        change(other, other.chips[0].efficiencies[0]);
        return check(other).size() == 1;
    };
    using M = Machine&;
    using E = Efficiency&;
    EXPECT_TRUE(faulty([](M other, E) { other.devices[0].chip = 1; }));
    EXPECT_TRUE(faulty([](M other, E) { other.devices[0].chip = -2; }));
    EXPECT_TRUE(faulty([](M, E e) { e.parts.pop_back(); }));
    EXPECT_TRUE(faulty([](M, E e) { e.parts[0] = 2; }));
    EXPECT_TRUE(faulty([](M, E e) { e.edges = {2, 1}; }));
    EXPECT_TRUE(faulty([](M, E e) { e.types = "dq"; }));
}

}  // namespace
}  // namespace gemmill
