// SPDX-License-Identifier: Apache-2.0
// What the text form of a plan says comes back; everything malformed is an error with its line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/sample.hpp"
#include "support/mutator.hpp"

namespace gemmill {
namespace {

using test::Mutator;
using test::RandomPlan;
using test::sample_plan;
using testing::HasSubstr;
using testing::StartsWith;

std::string fault_of(const std::string& text) {
    try {
        parse_plan(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::parse) << error.what();
        return error.text();
    }
    return "";
}

std::string with(std::string text, const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return at == std::string::npos ? text : text.replace(at, old.size(), by);
}

int line_of(const std::string& text, const std::string& part) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(part));
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

TEST(PlanText, SampleComesBack) {
    const Plan plan = sample_plan();
    EXPECT_TRUE(parse_plan(to_text(plan)) == plan);
}

TEST(PlanText, MeasuredRatesOfTheMachineComeBack) {
    Plan plan = sample_plan();
    plan.machine.devices[1].rates = {{Type::d, {64, 1024}, {64}, {1e9, 2e9}}};
    EXPECT_TRUE(parse_plan(to_text(plan)) == plan);
}

TEST(PlanText, RandomPlansComeBack) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const Plan plan = RandomPlan(seed).make(static_cast<int>(1 + seed % 40));
        const std::string text = to_text(plan);
        const Plan back = parse_plan(text);
        ASSERT_TRUE(back == plan) << text;
        ASSERT_EQ(to_text(back), text);
    }
}

TEST(PlanText, RecordsMayStandInAnyOrder) {
    const std::string text = to_text(sample_plan());
    const std::size_t queues = text.find("queue 0"), tiles = text.find("# rows,columns");
    std::string moved = text;
    moved.erase(queues, tiles - queues);
    moved += text.substr(queues, tiles - queues);
    EXPECT_TRUE(parse_plan(moved) == sample_plan());
}

TEST(PlanText, FaultsNameTheirLine) {
    const std::string text = to_text(sample_plan());
    const std::pair<const char*, const char*> changes[] = {
        {"operand B", "operand A"},
        {"operand B", "operand 0"},
        {"operand B", "operand solve"},
        {"operand B", "operand B C"},
        {"type=d", "type=x"},
        {"type=d", "type=sd"},
        {"rows=128", "rows=-1"},
        {"rows=128", "rows=99999999999999999999"},
        {"cols=128", "kols=128"},
        {"cols=128 at=host", "cols=128 at=moon"},
        {"cols=128 at=host", "cols=128"},
        {"cols=128 at", "cols=128 triangle=left at"},
        {"cols=128 at", "cols=128 structure=flat at"},
        {"cols=128 at", "cols=128 pitch=-1 at"},
        {"goal C <- beta C + alpha A B", "goal D <- beta C"},
        {"goal C <- beta C + alpha A B", "goal C = beta C"},
        {"goal C <- beta C + alpha A B", "goal C <-"},
        {"goal C <- beta C + alpha A B", "goal C <- beta C + alpha A"},
        {"goal C <- beta C + alpha A B", "goal C <- beta C + + alpha A B"},
        {"goal C <- beta C + alpha A B", "goal C <- beta C + gamma A B"},
        {"goal C <- beta C + alpha A B", "goal solve <- beta C"},
        {"policy \"by hand\"", "policy by hand"},
        {"devices gpu0", "devices gpu9"},
        {"limit 0", "limit 0 0"},
        {"slab 0", "slab x"},
        {"prediction seconds=", "prediction seconds=x"},
        {"busy=", "busy=1,"},
        {"queue 1 compute", "queue 2 compute"},
        {"queue 1 compute", "queue 1 think"},
        {"device=gpu1", "device=[2]"},
        {"device=gpu1", "device=gpu1 urgent=maybe"},
        {"link=gpu0:gpu1", "link=gpu0:gpu1 urgent=yes"},
        {"device=gpu1", "link=gpu1"},
        {"link=gpu0:gpu1", "link=gpu1:gpu0"},
        {"link=gpu0:gpu1", "link=gpu1"},
        {"tile 3 B", "tile 4 B"},
        {"tile 3 B", "tile 3 D"},
        {"tile 3 B[64:128", "tile 3 B[64-128"},
        {"tile 3 B[64:128", "tile 3 B[128:64"},
        {"tile 3 B[64:128,0:64]", "tile 3 B[64:128,0:64"},
        {"tile 3 B[64:128,0:64]", "tile 3 B[64:128]"},
        {"steps=0..7", "steps=0..19"},
        {"steps=0..7", "steps=0:7"},
        {"buffer 3 memory=gpu0 tile=3", "buffer 3 memory=gpu0 tile=8"},
        {"step 3 gpu0:gpu1.0 fetch", "step 3 gpu0:gpu1.0 throw"},
        {"step 3 gpu0:gpu1.0 fetch", "step 3"},
        {"step 3 gpu0:gpu1.0 fetch", "step 3 gpu0:gpu1.0 mirror"},
        {"step 3 gpu0:gpu1.0 fetch", "leap 3 gpu0:gpu1.0 fetch"},
        {"step 3 gpu0:gpu1.0", "step 3 gpu0:gpu1.1"},
        {"step 3 gpu0:gpu1.0", "step 3 gpu0.0"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@11 <- A[0:128,0:64]@0 piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@moon <- A[0:128,0:64]@0 piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@5 <- A[0:128,0:65]@0 piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@5 <- D[0:128,0:64]@0 piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@5 <- A[0:128,0:64] piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@5 piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@5 <- 0 piece=1/2"},
        {"@5 <- A[0:128,0:64]@0 piece=1/2", "@5 <- A + A[0:128,0:64]@0 piece=1/2"},
        {"piece=1/2", "piece=2/2"},
        {"piece=1/2", "piece=0/0"},
        {"piece=1/2", "piece=1"},
        {"after=1,4,6", "after=1,,6"},
        {"after=1,4,6", "after=19"},
        {"after=1,4,6", "after=-1"},
        {"after=1,4,6", "after=2147483648"},
        {"after=1,4,6", "wait=1"},
        {"@4 <- beta C + alpha", "@4 <- gamma C + alpha"},
        {"@4 <- beta C + alpha", "@4 <- beta B + alpha"},
        {"@4 <- beta C + alpha", "@4 <- beta C + alpha B[0:64,0:64]@2"},
        {"@4 <- beta C + alpha", "@4 <- A[0:128,0:64]@0 B[0:64,0:64]@2 + alpha"},
        {"B[0:64,0:64]@2 after=1,4,6", "after=1,4,6"},
        {"memory gpu1", "memory gpu1 gpu2"},
        {"link gpu0 -> gpu1", "link gpu0 -> moon"},
        {"devices gpu0 gpu1", "devices gpu0 gpu1 gpu0"},
    };
    for (const auto& [old, by] : changes) {
        const std::string place = "line " + std::to_string(line_of(text, old)) + ": ";
        EXPECT_THAT(fault_of(with(text, old, by)), StartsWith(place)) << old << " -> " << by;
    }
}

TEST(PlanText, WholeRecordsMissingOrTwice) {
    const std::string text = to_text(sample_plan());
    EXPECT_THAT(fault_of(""), StartsWith("line 1: "));
    EXPECT_THAT(fault_of("gemmill-plan 2\n"), HasSubstr("no machine record"));
    EXPECT_THAT(fault_of("# hello\ngemmill-plan 3\n"), StartsWith("line 2: "));
    EXPECT_THAT(fault_of(with(text, "policy \"by hand\"\n", "")), HasSubstr("no policy record"));
    EXPECT_THAT(fault_of(text + "policy best\n"), HasSubstr("policy is given twice"));
    EXPECT_THAT(fault_of(text + "gemmill-plan 2\n"), HasSubstr("given twice"));
    EXPECT_THAT(fault_of(text + "=\n"), StartsWith("line "));
    EXPECT_THAT(fault_of(text + "a=b\n"), HasSubstr("must begin with a word"));
}

TEST(PlanText, NumbersWithoutEndGiveShortErrorsAtOnce) {
    const std::string text = to_text(sample_plan()), huge(2'000'000, '9');
    const std::pair<const char*, std::string> changes[] = {
        {"rows=128", "rows=" + huge},
        {"rows=128", "rows=-9223372036854775808"},
        {"limit 0", "limit " + huge},
        {"step 0 ", "step 1000000000 "},
        {"tile 0 ", "tile 1000000000 "},
        {"B[64:128,0:64]", "B[64:" + huge + ",0:64]"},
        {"B[64:128,0:64]", "B[-64:128,0:64]"},
        {"piece=1/2", "piece=1/1000000000"},
        {"steps=0..7", "steps=0..1000000000"},
        {"after=1,4,6", "after=" + huge},
        {"goal C", "goal " + huge},
        {"devices gpu0", "devices " + huge},
        {"step 3 gpu0:gpu1.0 fetch", huge},
        {"step 3 gpu0:gpu1.0 fetch", "step 3 " + huge + " fetch"},
        {"step 3 gpu0:gpu1.0 fetch", "step 3 gpu0:gpu1.0 " + huge},
        {"link=gpu0:gpu1", "link=" + huge},
        {"prediction seconds=", "prediction seconds=x" + huge},
    };
    for (const auto& [old, by] : changes) {
        const std::string fault = fault_of(with(text, old, by));
        EXPECT_THAT(fault, StartsWith("line ")) << old;
        EXPECT_LE(fault.size(), 250U) << old;
    }
}

TEST(PlanText, PlansOfTheFirstFormAreRefusedInWords) {
    const std::string text = "gemmill-plan 1\nmachine old\nmemory host kind=host size=1\n";
    EXPECT_THAT(fault_of(text), HasSubstr("line 1: a plan of form 1"));
    EXPECT_THAT(fault_of(text), HasSubstr("make it again"));
}

/// A sum says all of itself, also what adds nothing.
TEST(PlanText, ScalesComeBack) {
    Plan plan = sample_plan();
    for (int scale = 0; scale < 6; ++scale) {
        plan.steps[7].weight = plan.steps[7].keep = static_cast<Scale>(scale);
        plan.goal.keep = plan.goal.terms[0].weight = static_cast<Scale>(scale);
        ASSERT_TRUE(parse_plan(to_text(plan)) == plan) << to_text(plan);
    }
}

/// Parses; everything but Error(parse) is a failure. What parses must print and come back.
void survive(const std::string& text) {
    try {
        const Plan plan = parse_plan(text);
        const std::string printed = to_text(plan);
        ASSERT_TRUE(parse_plan(printed) == plan) << text;
    } catch (const Error& error) {
        ASSERT_EQ(error.code(), Code::parse) << error.what() << "\n" << text;
        ASSERT_THAT(error.text(), StartsWith("line ")) << text;
    }
}

TEST(PlanText, MutatedTextsAreReadOrRefused) {
    const std::string text = to_text(sample_plan());
    for (unsigned seed = 0; seed < 4000; ++seed) {
        survive(Mutator(seed).mutate(text));
        if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

TEST(PlanText, CutTextsAreReadOrRefused) {
    const std::string text = to_text(sample_plan());
    for (std::size_t length = 0; length < text.size(); length += 3) survive(text.substr(0, length));
}

TEST(PlanText, RandomBytesAreRefused) {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        const std::string bytes = Mutator(seed).noise(200);
        survive(bytes);
        survive("gemmill-plan 2\n" + bytes);
    }
}

}  // namespace
}  // namespace gemmill
