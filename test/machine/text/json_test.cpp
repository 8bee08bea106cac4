// SPDX-License-Identifier: Apache-2.0
// The JSON form: round trips, and faults that name the key.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "machine/machines.hpp"
#include "support/error_of.hpp"

namespace gemmill {
namespace {

using nlohmann::json;
using test::error_of;

json small_json() { return json::parse(to_json(test::small_machine())); }

TEST(MachineJson, CatalogueReadsBack) {
    for (const std::string& name : catalogue_names()) {
        const Machine m = load_machine(name);
        EXPECT_EQ(machine_from_json(to_json(m)), m) << name;
    }
}

TEST(MachineJson, RandomMachinesReadBack) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        const Machine m = test::RandomMachine(seed).make();
        ASSERT_EQ(machine_from_json(to_json(m)), m) << to_json(m);
    }
}

TEST(MachineJson, KeepsWhatWasMeasuredOfPacking) {
    Machine m = test::small_machine();
    m.packers = 6;
    m.slot = (4 << 20) + 1;
    EXPECT_EQ(machine_from_json(to_json(m)), m) << to_json(m);
}

TEST(MachineJson, LinksUseNames) {
    const json j = small_json();
    EXPECT_EQ(j["links"][0]["from"], "host");
    EXPECT_EQ(j["links"][0]["via"][0], "bus");
    EXPECT_EQ(j["devices"][1]["memory"], "gpu1");
    EXPECT_EQ(j["devices"][1]["peak"]["d"], 1e12);
}

TEST(MachineJson, WhatIsOptionalMayBeLeftOut) {
    const Machine m = machine_from_json(R"({"name": "x", "memories": [
        {"name": "host", "kind": "host", "size": 5}]})");
    EXPECT_EQ(m.memories[0].capacity, 5);
    EXPECT_TRUE(m.devices.empty());
}

TEST(MachineJson, TextThatIsNotUnicodeIsReplacedNotThrown) {
    Machine m = test::small_machine();
    m.origin = "\xff";
    EXPECT_NO_THROW((void)machine_from_json(to_json(m)));
}

struct Bad {
    const char* pointer;
    json value;
    const char* words;
};

TEST(MachineJson, FaultsNameTheKey) {
    const Bad cases[] = {
        {"/name", 3, "'name' in machine"},
        {"/colour", "red", "unknown key 'colour' in machine"},
        {"/issue", "5us", "'issue'"},
        {"/issue", -1, "'issue'"},
        {"/packers", 1e300, "'packers' in machine"},
        {"/slot", -1, "'slot' in machine"},
        {"/origin", std::string(2'000'000, 'x'), "expected at most 1000"},
        {"/devices/0/rates", 3, "'rates' in devices[0] is not an array"},
        {"/devices/0/rates", {{{"type", ""}}}, "'type' in rates"},
        {"/devices/0/rates",
         {{{"type", "d"}, {"edges", 3}, {"ks", {1}}, {"flops", {1}}}},
         "'edges' in rates is not an array"},
        {"/memories", "none", "'memories' in machine is not an array"},
        {"/memories/0", 7, "memories[0] is not an object"},
        {"/memories/0/size", 1.5, "'size' in memories[0]"},
        {"/memories/0/size", -1, "'size' in memories[0]"},
        {"/memories/0/size", 18446744073709551615ULL, "'size' in memories[0]"},
        {"/memories/0/kind", "disk", "'kind' in memories[0]"},
        {"/memories/1/name", "host", "memory 'host' is given twice"},
        {"/memories/1/name", "a b", "no memory name"},
        {"/devices/0/memory", "tape", "unknown memory 'tape'"},
        {"/devices/0/queues", 0, "'queues' in devices[0]"},
        {"/devices/0/peak", 1e12, "peak is not an object"},
        {"/devices/0/peak/q", 1e12, "unknown key 'q' in peak"},
        {"/devices/1/name", "gpu0", "device 'gpu0' is given twice"},
        {"/resources/0/bandwidth", nullptr, "'bandwidth' in resources[0]"},
        {"/links/0/to", "gpu9", "unknown memory 'gpu9'"},
        {"/links/0/via", "bus", "'via' in links[0]"},
        {"/links/0/via/0", 0, "'via' in links[0]"},
        {"/links/0/via/0", "train", "unknown resource 'train'"},
        {"/links/1", small_json()["links"][0], "links[1] is given twice"},
    };
    for (const Bad& bad : cases) {
        json j = small_json();
        j[json::json_pointer(bad.pointer)] = bad.value;
        const Error error = error_of([&] { (void)machine_from_json(j.dump()); });
        EXPECT_EQ(error.code(), Code::parse) << bad.pointer;
        EXPECT_NE(error.text().find(bad.words), std::string::npos) << error.text();
    }
}

TEST(MachineJson, ErrorsStayShort) {
    const std::string huge(2'000'000, 'x');
    for (const std::string& text :
         {"{\"" + huge + "\": 1}", "{\"name\": " + huge + "}", "{\"" + huge, huge}) {
        const Error error = error_of([&] { (void)machine_from_json(text); });
        EXPECT_EQ(error.code(), Code::parse);
        EXPECT_LE(error.text().size(), 500U);
    }
}

TEST(MachineJson, MissingKeysAreNamed) {
    for (const char* pointer : {"/name", "/memories/0/name", "/memories/0/size", "/memories/0/kind",
                                "/devices/0/memory", "/devices/0/peak", "/devices/0/queues",
                                "/resources/0/bandwidth", "/links/0/from", "/links/0/bandwidth"}) {
        const json::json_pointer at(pointer);
        json j = small_json();
        j[at.parent_pointer()].erase(at.back());
        const Error error = error_of([&] { (void)machine_from_json(j.dump()); });
        EXPECT_EQ(error.code(), Code::parse) << pointer;
        EXPECT_NE(error.text().find("'" + at.back() + "' is missing"), std::string::npos)
            << error.text();
    }
}

TEST(MachineJson, MalformedTextIsAParseError) {
    for (const char* text :
         {"", "{", "[]", "3", "null", "{\"name\": 1e999}", "{\"name\": \"\xff\"}"})
        EXPECT_EQ(error_of([&] { (void)machine_from_json(text); }).code(), Code::parse) << text;
}

}  // namespace
}  // namespace gemmill
