// SPDX-License-Identifier: Apache-2.0
// Whatever the text: a machine or an Error, nothing else.
#include <gtest/gtest.h>

#include <functional>

#include "gemmill/error.hpp"
#include "machine/machines.hpp"
#include "support/mutator.hpp"

namespace gemmill {
namespace {

using test::Mutator;
using Parse = std::function<Machine(const std::string&)>;

/// True when it parsed; anything but Error(parse) ends the test.
bool parses(const Parse& parse, const std::string& text) {
    try {
        const Machine m = parse(text);
        (void)check(m);
        return true;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::parse) << text;
        return false;
    }
}

void fuzz(const Parse& parse, const std::string& seed_text, int rounds) {
    Mutator mutator(7);
    int good = 0;
    for (int i = 0; i < rounds; ++i) good += parses(parse, mutator.mutate(seed_text)) ? 1 : 0;
    EXPECT_GT(good, 0);
    EXPECT_LT(good, rounds);
    for (int i = 0; i < rounds; ++i) parses(parse, mutator.noise());
}

const std::string seed_lines =
    "machine m issue=5us origin=\"a b\"\nmemory host kind=host size=1GB\nmemory gpu[0-3] size=4GB\n"
    "device gpu[0-3] memory=gpu[0-3] queues=8 launch=1us bandwidth=1TB/s d=1T\n"
    "resource bus[0,1] 9GB/s\nresource gpu[0-3].port 9GB/s\n"
    "link host -> gpu[0-3] bandwidth=8GB/s via=bus[0-1x2]\n"
    "link gpu[0-3] => gpu[0-3] bandwidth=8GB/s latency=1us run_overhead=9B via={from}.port\n";

TEST(MachineFuzz, Text) {
    fuzz([](const std::string& text) { return parse_machine(text); }, seed_lines, 4000);
}

TEST(MachineFuzz, WhatParsesReadsBack) {
    Mutator mutator(8);
    for (int i = 0; i < 2000; ++i) {
        Machine m;
        try {
            m = parse_machine(mutator.mutate(seed_lines));
        } catch (const Error&) {
            continue;
        }
        ASSERT_EQ(parse_machine(to_text(m)), m) << to_text(m);
    }
}

TEST(MachineFuzz, Json) {
    fuzz([](const std::string& text) { return machine_from_json(text); },
         to_json(test::small_machine()), 2000);
}

TEST(MachineFuzz, Synthetic) {
    fuzz(
        [](const std::string& text) { return synthetic_machine(text); },
        "gpu:4(mem=80GB,d=60T,queues=8) nvlink:450GB/s pcie:55GB/s(shared=2) host:2TB(read=99GB/s)",
        2000);
}

}  // namespace
}  // namespace gemmill
