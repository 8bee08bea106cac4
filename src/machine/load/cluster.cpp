// SPDX-License-Identifier: Apache-2.0
#include "machine/load/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "machine/cluster_data.hpp"

namespace gemmill {
namespace {

constexpr std::string_view ending = ".cluster";

const std::string& field(const Record& record, std::string_view key) {
    const std::string* value = record.find(key);
    if (value == nullptr) fail(record, fmt::format("no {}=", key));
    return *value;
}

int count_in(const Record& record, std::string_view key) {
    const std::int64_t value = parse_integer(field(record, key), key);
    if (value < 1 || value > 1'000'000)
        fail(record, fmt::format("{}: {} is not in 1..1000000", key, value));
    return static_cast<int>(value);
}

double rate_in(const Record& record, std::string_view key) {
    const double value = parse_bytes_per_second(field(record, key), key);
    if (!(value > 0)) fail(record, fmt::format("{}: not above 0", key));
    return value;
}

double spread_in(const Record& record) {
    const std::string* text = record.find("spread");
    const double value = text == nullptr ? 0 : parse_real(*text, "spread");
    if (!(value >= 0 && value < 1)) fail(record, "spread: not in 0..1");
    return value;
}

void check_keys(const Record& record) {
    constexpr std::string_view known[] = {"node",   "nodes",     "ranks",  "injection", "latency",
                                          "within", "bisection", "spread", "origin"};
    for (const auto& [key, value] : record.fields)
        if (std::ranges::find(known, key) == std::end(known))
            fail(record, fmt::format("{} is no field of a cluster", shown(key)));
}

}  // namespace

Cluster parse_cluster(std::string_view text) {
    const std::vector<Record> records = parse_records(text);
    require(records.size() == 1, Code::parse, "one record",
            fmt::format("a cluster file with {} records", records.size()));
    const Record& x = records.front();
    if (x.words.size() != 2 || x.words[0] != "cluster") fail(x, "expected 'cluster NAME'");
    check_keys(x);
    Cluster cluster;
    cluster.name = x.words[1], cluster.node = field(x, "node");
    cluster.nodes = count_in(x, "nodes"), cluster.ranks = count_in(x, "ranks");
    cluster.injection = rate_in(x, "injection"), cluster.within = rate_in(x, "within");
    cluster.bisection = rate_in(x, "bisection");
    cluster.latency = parse_seconds(field(x, "latency"), "latency");
    cluster.spread = spread_in(x);
    if (const std::string* origin = x.find("origin")) cluster.origin = *origin;
    return cluster;
}

std::vector<std::string> cluster_names() {
    std::vector<std::string> names;
    for (const auto& [name, text] : cluster_data) names.emplace_back(name);
    return names;
}

bool is_cluster(const std::string& name_or_file) {
    return name_or_file.ends_with(ending) || std::ranges::count(cluster_names(), name_or_file) > 0;
}

Cluster load_cluster(const std::string& name_or_file) {
    Cluster cluster;
    const auto known =
        std::ranges::find(cluster_data, name_or_file, [](const auto& row) { return row.first; });
    cluster = parse_cluster(known != cluster_data.end() ? std::string(known->second)
                                                        : read_file(name_or_file));
    const Machine node = load_machine(cluster.node);
    require(static_cast<int>(node.devices.size()) >= cluster.ranks, Code::bad_argument,
            "a device for each rank",
            fmt::format("cluster {}: {} has {} devices for {} ranks", cluster.name, cluster.node,
                        node.devices.size(), cluster.ranks));
    return cluster;
}

double speed_of_rank(const Cluster& cluster, int rank, int devices) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(rank));
    double slowest = 0;
    for (int i = 0; i < devices; ++i)
        slowest = std::max(slowest, static_cast<double>(random()) / 0x1p32);
    return 1 - cluster.spread * slowest;
}

}  // namespace gemmill
