// SPDX-License-Identifier: Apache-2.0
// The page of a timeline: its data are complete and cannot break out of the script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/draw/xml.hpp"
#include "plan/sample.hpp"

namespace gemmill {
namespace {

using nlohmann::json;
using test::count_of;
using test::sample_plan;
using test::sample_timeline;
using testing::HasSubstr;
using testing::Not;

json data_of(const std::string& page) {
    const std::string open = "type=\"application/json\">";
    const std::size_t begin = page.find(open) + open.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(PlanHtml, HoldsEveryStep) {
    const Plan plan = sample_plan();
    const Timeline times = sample_timeline(plan);
    const json data = data_of(draw_html(plan, times));
    std::set<int> seen;
    for (const json& row : data["rows"]) {
        const json& numbers = row["steps"];
        ASSERT_EQ(numbers.size() % 7, 0u);
        for (std::size_t i = 0; i < numbers.size(); i += 7) {
            const int id = numbers[i];
            seen.insert(id);
            EXPECT_NEAR(numbers[i + 2].get<double>(), times[id].begin * 1e9, 1);
            EXPECT_NEAR(numbers[i + 3].get<double>(), 1e4, 1);
            EXPECT_EQ(numbers[i + 4], plan.steps[id].out.tile);
            EXPECT_EQ(numbers[i + 6], static_cast<int>(plan.steps[id].op));
        }
    }
    EXPECT_EQ(seen.size(), plan.steps.size());
    EXPECT_EQ(data["rows"].size(), 7u);
    EXPECT_EQ(data["tiles"][3], "B[64:128,0:64]");
    EXPECT_EQ(data["groups"], json::parse(R"(["gpu0","gpu1"])"));
    EXPECT_EQ(data["rows"][1]["name"], "host -> gpu0");
    EXPECT_EQ(data["rows"][1]["steps"][5], 32768);
}

TEST(PlanHtml, NeedsNoNetwork) {
    const Plan plan = sample_plan();
    const std::string page = draw_html(plan, sample_timeline(plan));
    for (const char* part : {"http:", "https:", "src=", "@import", "url(", "@DATA@", "@TITLE@"})
        EXPECT_THAT(page, Not(HasSubstr(part)));
}

TEST(PlanHtml, NamesCannotEndTheScript) {
    Plan plan = sample_plan();
    plan.machine.name = "</script><b>@DATA@";
    plan.machine.devices[0].name = "</title></script>\xff";
    const std::string page = draw_html(plan, sample_timeline(plan));
    EXPECT_EQ(count_of(page, "</script>"), 2);
    EXPECT_EQ(count_of(page, "</title>"), 1);
    EXPECT_THAT(data_of(page)["title"].get<std::string>(), HasSubstr("</script><b>@DATA@"));
}

TEST(PlanHtml, TimelineMustBelongToThePlan) { EXPECT_THROW(draw_html(sample_plan(), {}), Error); }

}  // namespace
}  // namespace gemmill
