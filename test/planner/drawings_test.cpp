// SPDX-License-Identifier: Apache-2.0
// The drawings of docs/planner.md are plans of tiny problems, made and printed here.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "planner/planner.hpp"
#include "planner/shape/tiles/gemm.hpp"
#include "support/drawing.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

/// What a drawing is of. Its machine has no latencies: only bytes and flops take time.
struct Sketch {
    std::string machine;
    index_t m = 0, n = 0, k = 0;
    index_t tile = 0;
    std::array<MemoryId, 3> home{};
    Factor beta = Factor::zero;
    std::string policy = "uncut";
};

std::string title_of(const Sketch& s) {
    const std::string tiles = s.tile > 0 ? fmt::format(" in tiles of {}", s.tile) : "";
    return fmt::format("{} x {} x {}{} on {}\n", s.m, s.n, s.k, tiles, s.machine);
}

Machine machine_of(const Sketch& sketch) {
    Machine machine = synthetic_machine(sketch.machine);
    machine.call = machine.issue = 0;
    for (Device& device : machine.devices) device.launch = 0, device.queues = 1;
    for (Link& link : machine.links) link.latency = link.run_overhead = 0;
    return machine;
}

Problem problem_of(const Sketch& sketch) {
    Problem p;
    p.m = sketch.m, p.n = sketch.n, p.k = sketch.k;
    p.beta = sketch.beta;
    p.home = sketch.home;
    return p;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

Plan plan_of(const Sketch& sketch, const Settings& settings) {
    Options options;
    options.policy = sketch.policy;
    options.tile = sketch.tile;
    for (const auto& [name, value] : settings) options.set(name, value);
    return make_plan(problem_of(sketch), machine_of(sketch), options);
}

/// Policy best would search for the strips; here they are given.
Plan strips_of(const Sketch& sketch, const Strips& strips, const std::vector<double>& shares = {}) {
    Draft plan;
    plan.machine = machine_of(sketch);
    plan.problem = problem_of(sketch);
    describe(plan.problem, plan);
    plan.devices = parse_devices(plan.machine, "all");
    for (const Memory& memory : plan.machine.memories) plan.limit.push_back(memory.capacity);
    Choice choice;
    choice.devices = plan.devices;
    choice.grid = {1, std::ssize(plan.devices)};
    choice.strips = strips;
    choice.shares = shares;
    plan_gemm(plan, resolve_policy({}), choice);
    return plan;
}

std::string draw(const std::string& what, const Plan& plan, double columns_a_second) {
    EXPECT_TRUE(validate(plan).empty()) << what;
    return fmt::format("\n{}: {:.4g} s\n{}", what, makespan(simulate(plan)),
                       draw_times(plan, columns_a_second));
}

std::string join(const Settings& settings) {
    std::vector<std::string> words;
    for (const auto& [name, value] : settings) words.push_back(fmt::format("{}={}", name, value));
    return gemmill::join(words, ", ");
}

std::string draw_each(const Sketch& sketch, const std::vector<Settings>& each, double columns) {
    std::string text = title_of(sketch);
    for (const Settings& settings : each)
        text += draw(join(settings), plan_of(sketch, settings), columns);
    return text;
}

// --- the drawings -------------------------------------------------------------------------------

std::string draw_grid() {
    const Sketch sketch{.machine = "gpu:4(d=16)", .m = 18, .n = 13, .k = 4, .tile = 4};
    std::string text = title_of(sketch);
    for (const char* const spread : {"grid", "cyclic", "turns"})
        text += fmt::format("\nspread={}\n{}", spread,
                            draw_owners(plan_of(sketch, {{"spread", spread}})));
    return text;
}

std::string draw_caching() {
    return draw_each(
        {.machine = "gpu:1(d=16) pcie:32B/s", .m = 4, .n = 2, .k = 4, .tile = 2, .policy = "naive"},
        {{{"caching", "off"}, {"overlap", "off"}},
         {{"caching", "on"}, {"overlap", "off"}},
         {{"caching", "on"}, {"overlap", "on"}}},
        6);
}

std::string draw_cap() {
    const Sketch sketch{.machine = "gpu:1(d=16) pcie:32B/s", .m = 2, .n = 4, .k = 8, .tile = 2};
    const Plan plan = plan_of(sketch, {{"device_memory", "2048"}});
    return title_of(sketch) + draw("device_memory=2048", plan, 6) + "\n" + draw_places(plan, 6);
}

std::string draw_routing() {
    return draw_each({.machine = "gpu:3(d=16) pcie:32B/s(shared=2) nvlink:64B/s",
                      .m = 2,
                      .n = 6,
                      .k = 2,
                      .tile = 2},
                     {{{"routing", "home"}, {"chain", "off"}},
                      {{"routing", "bandwidth"}, {"chain", "off"}},
                      {{"routing", "eta"}, {"chain", "off"}}},
                     10);
}

std::string draw_chain() {
    return draw_each({.machine = "gpu:3(d=1G) pcie:3276800B/s(shared=3) nvlink:1092266B/s",
                      .m = 640,
                      .n = 1920,
                      .k = 640,
                      .tile = 640},
                     {{{"routing", "home"}, {"chain", "off"}}, {{"chain", "on"}}}, 8);
}

std::string draw_relay() {
    const Sketch sketch{
        .machine = "gpu:2(d=16) pcie:32B/s", .m = 2, .n = 4, .k = 2, .tile = 2, .home = {1, 0, 0}};
    return title_of(sketch) + draw("A on gpu0, devices=1", plan_of(sketch, {{"devices", "1"}}), 7);
}

std::string draw_order() {
    return draw_each({.machine = "gpu:1(d=16) pcie:32B/s", .m = 4, .n = 6, .k = 4, .tile = 2},
                     {{{"order", "natural"}}, {{"order", "panels"}}, {{"order", "fewest"}}}, 5);
}

std::string draw_eta() {
    const Sketch sketch{.machine = "gpu:2(d=16) pcie:32B/s nvlink:64B/s",
                        .m = 2,
                        .n = 6,
                        .k = 4,
                        .tile = 2,
                        .home = {0, 2, 0}};
    return title_of(sketch) +
           draw("B on gpu1, order=fewest", plan_of(sketch, {{"order", "fewest"}}), 14) +
           draw("B on gpu1, order=eta", plan_of(sketch, {{"order", "eta"}}), 14);
}

std::string draw_strips() {
    const Sketch sketch{.machine = "gpu:2(d=4194304) pcie:131072B/s nvlink:131072B/s",
                        .m = 128,
                        .n = 768,
                        .k = 384};
    const Strips strips{
        .front = 1.0 / 3, .by_rows = false, .panels = 3, .growth = 1, .strips = 2, .drain = 0};
    return title_of(sketch) + draw("order=strips", strips_of(sketch, strips), 5);
}

std::string draw_slices() {
    const Sketch sketch{.machine = "gpu:2(d=16777216,bandwidth=1572864B/s) pcie:262144B/s",
                        .m = 128,
                        .n = 128,
                        .k = 1536};
    Strips strips{.front = 1, .by_rows = false, .panels = 6, .growth = 1, .strips = 1, .drain = 0};
    const std::string whole = draw("k as a whole", strips_of(sketch, strips), 8);
    strips.panels = 3;
    strips.slices = 2;
    return title_of(sketch) + whole + draw("2 slices of k", strips_of(sketch, strips), 8);
}

std::string draw_late_c() {
    return draw_each({.machine = "gpu:1(d=16,bandwidth=192B/s) pcie:32B/s",
                      .m = 4,
                      .n = 2,
                      .k = 4,
                      .tile = 2,
                      .beta = Factor::general},
                     {{{"late_c", "never"}}, {{"late_c", "always"}}}, 7);
}

std::string draw_shares() {
    const Sketch sketch{.machine = "gpu:2(d=4194304) pcie:131072B/s nvlink:131072B/s",
                        .m = 128,
                        .n = 1024,
                        .k = 128,
                        .home = {1, 1, 1}};
    const Strips strips{
        .front = 0, .by_rows = false, .panels = 1, .growth = 1, .strips = 8, .drain = 0};
    return title_of(sketch) + draw("all on gpu0, equal shares", strips_of(sketch, strips), 10) +
           draw("all on gpu0, shares 5 : 3", strips_of(sketch, strips, {5, 3}), 10);
}

struct Drawing {
    const char* name;
    std::string (*make)();
};
constexpr Drawing drawings[] = {
    {"grid", draw_grid},     {"caching", draw_caching}, {"cap", draw_cap},
    {"shares", draw_shares}, {"routing", draw_routing}, {"chain", draw_chain},
    {"relay", draw_relay},   {"order", draw_order},     {"eta", draw_eta},
    {"strips", draw_strips}, {"slices", draw_slices},   {"late_c", draw_late_c},
};

// --- the page -----------------------------------------------------------------------------------

constexpr std::string_view marker = "<!-- drawing: ";

std::string page() { return read_file(GEMMILL_TEST_DATA "/../docs/planner.md"); }

/// What stands between the fences behind a drawing's marker.
std::string drawing_of_page(const std::string& name) {
    const std::string text = page();
    const std::string begin = fmt::format("{}{} -->\n```\n", marker, name);
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) return "";
    const std::size_t first = at + begin.size();
    return text.substr(first, text.find("```", first) - first);
}

class PageHas : public testing::TestWithParam<Drawing> {};

TEST_P(PageHas, the_plan_as_it_is_made) {
    const std::string drawing = GetParam().make();
    EXPECT_EQ(drawing_of_page(GetParam().name), drawing)
        << "docs/planner.md, drawing " << GetParam().name << " must be\n"
        << drawing;
    for (const std::string& line : split(drawing, '\n')) EXPECT_LE(line.size(), 100U) << line;
}

INSTANTIATE_TEST_SUITE_P(Drawings, PageHas, testing::ValuesIn(drawings),
                         [](const auto& drawing) { return drawing.param.name; });

TEST(Drawings, of_the_page_are_all_made_here) {
    const std::string text = page();
    std::size_t count = 0;
    for (std::size_t at = text.find(marker); at != std::string::npos; ++count)
        at = text.find(marker, at + 1);
    EXPECT_EQ(count, std::size(drawings));
}

}  // namespace
}  // namespace gemmill::test
