// SPDX-License-Identifier: Apache-2.0
// The catalogue, and loading by name, file or line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "machine/machines.hpp"
#include "machine/sharing.hpp"
#include "support/error_of.hpp"

namespace gemmill {
namespace {

using test::error_of;

/// A file that is gone after the test.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::string_view text)
        : path_((std::filesystem::temp_directory_path() /
                 ("gemmill_catalogue_test_" + std::to_string(::getpid()) + ".machine"))
                    .string()) {
        write_file(path_, text);
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

TEST(Catalogue, KnowsItsMachines) {
    EXPECT_THAT(catalogue_names(),
                testing::IsSupersetOf({"dgx-h100-8", "everest", "h200", "hgx-a100-8", "loewe-node",
                                       "makalu", "summit-node"}));
    EXPECT_TRUE(std::ranges::is_sorted(catalogue_names()));
}

TEST(Catalogue, EveryMachineIsSoundAndNamedAsItsFile) {
    for (const std::string& name : catalogue_names()) {
        const Machine m = load_machine(name);
        EXPECT_EQ(m.name, name);
        EXPECT_THAT(check(m), testing::IsEmpty()) << name;
    }
}

TEST(Catalogue, EveryNumberHasAnOrigin) {
    for (const std::string& name : catalogue_names()) {
        const Machine m = load_machine(name);
        EXPECT_FALSE(m.origin.empty()) << name;
        for (const Memory& x : m.memories) EXPECT_FALSE(x.origin.empty()) << name << x.name;
        for (const Device& x : m.devices) EXPECT_FALSE(x.origin.empty()) << name << x.name;
        for (const Resource& x : m.resources) EXPECT_FALSE(x.origin.empty()) << name << x.name;
        for (const Link& x : m.links) EXPECT_FALSE(x.origin.empty()) << name;
    }
}

TEST(Catalogue, EveryDeviceCanCopyWithinItsMemory) {
    for (const std::string& name : catalogue_names()) {
        const Machine m = load_machine(name);
        for (const Device& d : m.devices)
            EXPECT_GE(find_link(m, d.memory, d.memory), 0) << name << d.name;
    }
}

TEST(Catalogue, EverestHasPeersOnlyBetweenItsLastTwoCards) {
    const Machine m = load_machine("everest");
    const MemoryId a = find_memory(m, "0"), b = find_memory(m, "1"), c = find_memory(m, "2");
    EXPECT_GE(find_link(m, b, c), 0);
    EXPECT_GE(find_link(m, c, b), 0);
    for (const MemoryId other : {b, c}) {
        EXPECT_EQ(find_link(m, a, other), -1);
        EXPECT_EQ(find_link(m, other, a), -1);
    }
}

TEST(Load, TakesAFileInEitherForm) {
    const Machine m = test::small_machine();
    EXPECT_EQ(load_machine(TemporaryFile(to_text(m)).path()), m);
    EXPECT_EQ(load_machine(TemporaryFile("\n  " + to_json(m)).path()), m);
}

TEST(Load, TakesALine) { EXPECT_EQ(load_machine("gpu:2").devices.size(), 2U); }

TEST(Load, UnknownNamesListTheKnownOnes) {
    const Error error = error_of([] { (void)load_machine("cray-1"); });
    EXPECT_EQ(error.code(), Code::no_device);
    EXPECT_THAT(error.text(), testing::HasSubstr("'cray-1'"));
    EXPECT_THAT(error.text(), testing::HasSubstr("hgx-a100-8"));
    EXPECT_EQ(error_of([] { (void)load_machine(""); }).code(), Code::no_device);
    EXPECT_EQ(error_of([] { (void)load_machine(std::string(10000, 'x')); }).code(),
              Code::no_device);
}

TEST(Load, FaultsInAFileNameIt) {
    const TemporaryFile broken("machine x\ncable y\n");
    const Error parse = error_of([&] { (void)load_machine(broken.path()); });
    EXPECT_EQ(parse.code(), Code::parse);
    EXPECT_THAT(parse.text(),
                testing::AllOf(testing::HasSubstr(broken.path()), testing::HasSubstr("line 2")));
    EXPECT_EQ(error_of([] { (void)load_machine("/"); }).code(), Code::io);
}

TEST(Load, AnUnsoundMachineIsRefused) {
    const TemporaryFile file("machine x\nmemory host kind=host size=1GB\n");
    const Error error = error_of([&] { (void)load_machine(file.path()); });
    EXPECT_EQ(error.code(), Code::bad_argument);
    EXPECT_THAT(error.text(), testing::HasSubstr("no device"));
}

/// What host links of some GPUs get together, in GB/s per link.
double each(const Machine& m, const std::vector<int>& gpus, bool in, bool out) {
    std::vector<LinkId> links;
    for (const int gpu : gpus) {
        if (in) links.push_back(find_link(m, 0, m.devices[gpu].memory));
        if (out) links.push_back(find_link(m, m.devices[gpu].memory, 0));
    }
    return aggregate_bandwidth(m, links) / static_cast<double>(links.size()) / 1e9;
}

TEST(Catalogue, HgxSharesAsTheNodeWasRead) {
    const Machine m = load_machine("hgx-a100-8");
    const std::vector<int> one{0}, four{0, 2, 4, 6}, all{0, 1, 2, 3, 4, 5, 6, 7};
    const auto within = [](double low, double high) {
        return testing::AllOf(testing::Ge(low - 1e-6), testing::Le(high + 1e-6));
    };
    EXPECT_THAT(each(m, one, true, false), within(22, 24));
    EXPECT_THAT(each(m, four, true, false), within(18, 22));
    EXPECT_THAT(each(m, all, true, false), within(11, 12));
    EXPECT_THAT(each(m, one, true, true), within(16, 19));
    EXPECT_THAT(each(m, four, true, true), within(16, 18));
    EXPECT_NEAR(each(m, all, true, true), 9, 0.1);
    const std::vector<LinkId> pair{find_link(m, 1, 8), find_link(m, 8, 1)};
    EXPECT_NEAR(aggregate_bandwidth(m, std::span(pair).first(1)), 150e9, 1);
    EXPECT_NEAR(aggregate_bandwidth(m, pair), 272e9, 1);
}

TEST(Catalogue, H200SharesAsMeasured) {
    const Machine m = load_machine("h200");
    EXPECT_NEAR(each(m, {0}, true, false), 55.5, 1e-6);
    EXPECT_NEAR(each(m, {0}, false, true), 55.3, 1e-6);
    EXPECT_NEAR(each(m, {0}, true, true), 50.8, 1e-6);
}

}  // namespace
}  // namespace gemmill
