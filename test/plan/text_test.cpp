// SPDX-License-Identifier: Apache-2.0
// The text form of a plan: lossless, and an error with a line for everything malformed.
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

TEST(PlanText, SampleIsValid) { EXPECT_THAT(validate(sample_plan()), testing::IsEmpty()); }

TEST(PlanText, ReadsLikeAList) {
    const std::string text = to_text(sample_plan());
    EXPECT_THAT(text, StartsWith("gemmill-plan 1\nmachine sample"));
    EXPECT_THAT(text, HasSubstr("\nproblem gemm type=d trans=nn m=128 n=128 k=128 alpha=general "
                                "beta=general at=host,host,host\npolicy \"by hand\"\n"
                                "devices gpu0 gpu1\n"));
    EXPECT_THAT(text, HasSubstr("\nqueue 6 transfer link=gpu0:gpu1\n"));
    EXPECT_THAT(text, HasSubstr("\ntile 3 B rows=64:128 cols=0:64\n"));
    EXPECT_THAT(text, HasSubstr("\nbuffer 0 memory=gpu0 tile=0 offset=0 bytes=65536 ld=128 "
                                "steps=0..7\n"));
    EXPECT_THAT(text, HasSubstr("\nstep 3 fetch queue=6 out=0@5 in=0@0 piece=1/2 wait=1\n"));
    EXPECT_THAT(text, HasSubstr("\nstep 7 compute keep=beta queue=0 out=6@4 in=0@0,2@2 "
                                "wait=1,4,6\n"));
    EXPECT_THAT(text, HasSubstr("\nstep 17 write queue=3 out=6@home in=6@4 wait=13\n"));
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

TEST(PlanText, NamesThatAreNotPlainComeBackByNumber) {
    Plan plan = sample_plan();
    plan.machine.memories[1].name = "gpu:0";
    plan.machine.devices[0].name = "1";
    plan.machine.devices[1].name = "a@b";
    const std::string text = to_text(plan);
    EXPECT_THAT(text, HasSubstr("memory=[1]"));
    EXPECT_THAT(text, HasSubstr("link=host:[1]"));
    EXPECT_TRUE(parse_plan(text) == plan);
}

TEST(PlanText, RecordsMayStandInAnyOrder) {
    const std::string text = to_text(sample_plan());
    const std::size_t queues = text.find("queue 0"), tiles = text.find("# first:end");
    std::string moved = text;
    moved.erase(queues, tiles - queues);
    moved += text.substr(queues, tiles - queues);
    EXPECT_TRUE(parse_plan(moved) == sample_plan());
}

TEST(PlanText, FaultsNameTheirLine) {
    const std::string text = to_text(sample_plan());
    const std::pair<const char*, const char*> changes[] = {
        {"problem gemm", "problem trsm"},
        {"type=d", "type=x"},
        {"type=d", "type=sd"},
        {"trans=nn", "trans=nx"},
        {"trans=nn", "trans=n"},
        {"m=128", "m=-1"},
        {"m=128", "m=99999999999999999999"},
        {"n=128", "o=128"},
        {"alpha=general", "alpha=two"},
        {"at=host,host,host", "at=host,host"},
        {"at=host,host,host", "at=host,host,moon"},
        {"policy \"by hand\"", "policy by hand"},
        {"devices gpu0", "devices gpu9"},
        {"limit 0", "limit 0 0"},
        {"slab 0", "slab x"},
        {"prediction seconds=", "prediction seconds=x"},
        {"busy=", "busy=1,"},
        {"queue 1 compute", "queue 2 compute"},
        {"queue 1 compute", "queue 1 think"},
        {"device=gpu1", "device=[2]"},
        {"device=gpu1", "link=gpu1"},
        {"link=gpu0:gpu1", "link=gpu1:gpu0"},
        {"link=gpu0:gpu1", "link=gpu1"},
        {"tile 3 B", "tile 4 B"},
        {"tile 3 B", "tile 3 D"},
        {"rows=64:128", "rows=64-128"},
        {"rows=64:128", "rows=128:64"},
        {"steps=0..7", "steps=0..19"},
        {"steps=0..7", "steps=0:7"},
        {"buffer 3 memory=gpu0 tile=3", "buffer 3 memory=gpu0 tile=8"},
        {"step 3 fetch", "step 3 throw"},
        {"step 3 fetch", "step 3"},
        {"step 3 fetch", "step 3 compute"},
        {"step 3 fetch", "leap 3 fetch"},
        {"queue=6 out=0@5", "queue=7 out=0@5"},
        {"queue=6 out=0@5", "out=0@5"},
        {"out=0@5 in=0@0 piece=1/2", "out=8@5 in=0@0 piece=1/2"},
        {"out=0@5 in=0@0 piece=1/2", "out=0@11 in=0@0 piece=1/2"},
        {"out=0@5 in=0@0 piece=1/2", "out=- in=0@0 piece=1/2"},
        {"out=0@5 in=0@0 piece=1/2", "out=0@5 piece=1/2"},
        {"in=0@0 piece=1/2", "in=0@0,1@1,2@2 piece=1/2"},
        {"piece=1/2", "piece=2/2"},
        {"piece=1/2", "piece=0/0"},
        {"piece=1/2", "piece=1"},
        {"wait=1,4,6", "wait=1,,6"},
        {"wait=1,4,6", "wait=19"},
        {"wait=1,4,6", "wait=-1"},
        {"wait=1,4,6", "wait=2147483648"},
        {"keep=beta queue=0", "keep=all queue=0"},
        {"in=0@0,2@2", "in=0@0"},
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
    EXPECT_THAT(fault_of("gemmill-plan 1\n"), HasSubstr("no machine record"));
    EXPECT_THAT(fault_of("# hello\ngemmill-plan 2\n"), StartsWith("line 2: "));
    EXPECT_THAT(fault_of(with(text, "policy \"by hand\"\n", "")), HasSubstr("no policy record"));
    EXPECT_THAT(fault_of(text + "policy best\n"), HasSubstr("policy is given twice"));
    EXPECT_THAT(fault_of(text + "gemmill-plan 1\n"), HasSubstr("given twice"));
    EXPECT_THAT(fault_of(text + "=\n"), StartsWith("line "));
    EXPECT_THAT(fault_of(text + "a=b\n"), HasSubstr("must begin with a word"));
}

TEST(PlanText, NumbersWithoutEndGiveShortErrorsAtOnce) {
    const std::string text = to_text(sample_plan()), huge(2'000'000, '9');
    const std::pair<const char*, std::string> changes[] = {
        {"m=128", "m=" + huge},
        {"m=128", "m=-9223372036854775808"},
        {"limit 0", "limit " + huge},
        {"step 0 ", "step 1000000000 "},
        {"tile 0 ", "tile 1000000000 "},
        {"rows=64:128", "rows=64:" + huge},
        {"rows=64:128", "rows=-64:128"},
        {"piece=1/2", "piece=1/1000000000"},
        {"steps=0..7", "steps=0..1000000000"},
        {"wait=1,4,6", "wait=" + huge},
        {"problem gemm", "problem " + huge},
        {"devices gpu0", "devices " + huge},
        {"step 3 fetch", huge},
        {"step 3 fetch", "step 3 fetch " + huge + "=1"},
        {"link=gpu0:gpu1", "link=" + huge},
        {"prediction seconds=", "prediction seconds=x" + huge},
    };
    for (const auto& [old, by] : changes) {
        const std::string fault = fault_of(with(text, old, by));
        EXPECT_THAT(fault, StartsWith("line ")) << old;
        EXPECT_LE(fault.size(), 250U) << old;
    }
}

TEST(PlanText, WaitsOutsideThePlanAreRefused) {
    Plan plan = sample_plan();
    plan.steps.back().wait_count = 1000;
    EXPECT_THROW(to_text(plan), Error);
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
        survive("gemmill-plan 1\n" + bytes);
    }
}

}  // namespace
}  // namespace gemmill
