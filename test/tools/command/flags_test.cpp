// SPDX-License-Identifier: Apache-2.0
// What the flags of a call mean, and which flag an error names.
#include "command/flags.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "gemmill/error.hpp"
#include "plans/make.hpp"
#include "support/error_of.hpp"

namespace gemmill::command {
namespace {

using test::error_of;

CallFlags flags_of(const char* m = "100") {
    CallFlags f;
    f.machine = "gpu:2(mem=1GB,d=1T,s=1T,c=1T,z=1T)";
    f.m = m;
    return f;
}

Problem problem(const CallFlags& f) { return problem_of(f, machine_named(f.machine)); }

TEST(Flags, sizes_follow_m_and_the_side_of_a) {
    CallFlags f = flags_of("30");
    EXPECT_EQ(problem(f).n, 30);
    EXPECT_EQ(problem(f).k, 30);
    f.n = "20";
    f.routine = "trsm";
    EXPECT_EQ(problem(f).k, 30);
    f.side = "right";
    EXPECT_EQ(problem(f).k, 20);
    f.routine = "gemm", f.k = "7";
    EXPECT_EQ(problem(f).k, 7);
}

TEST(Flags, words_and_letters_become_flags) {
    CallFlags f = flags_of();
    f.routine = "her2k", f.type = "z", f.trans = "Cn", f.uplo = "upper";
    f.alpha = "1,2", f.beta = "0", f.at = "h,1,0";
    const Problem p = problem(f);
    EXPECT_EQ(p.routine, Routine::her2k);
    EXPECT_EQ(p.type, Type::z);
    EXPECT_EQ(p.op_a, Op::ConjTrans);
    EXPECT_EQ(p.op_b, Op::NoTrans);
    EXPECT_EQ(p.uplo, Uplo::Upper);
    EXPECT_EQ(p.alpha, Factor::general);
    EXPECT_EQ(p.beta, Factor::zero);
    EXPECT_EQ(p.home, (std::array<MemoryId, 3>{0, 2, 1}));
}

TEST(Flags, errors_name_the_flag) {
    const auto error = [](const std::function<void(CallFlags&)>& damage) {
        CallFlags f = flags_of();
        damage(f);
        return error_of([&] { problem(f); }).text();
    };
    const auto begins = [&](const char* start, const std::function<void(CallFlags&)>& damage) {
        EXPECT_TRUE(error(damage).starts_with(start)) << error(damage);
    };
    EXPECT_EQ(error([](CallFlags&) {}), "");
    begins("--m is required", [](CallFlags& f) { f.m = ""; });
    begins("--m:", [](CallFlags& f) { f.m = "-1"; });
    begins("--n:", [](CallFlags& f) { f.n = "ten"; });
    begins("--k:", [](CallFlags& f) { f.k = "1.5"; });
    begins("--routine:", [](CallFlags& f) { f.routine = "getrf"; });
    begins("--side:", [](CallFlags& f) { f.side = "middle"; });
    begins("--uplo:", [](CallFlags& f) { f.uplo = "l"; });
    begins("--diag:", [](CallFlags& f) { f.diag = "one"; });
    begins("--type:", [](CallFlags& f) { f.type = "q"; });
    begins("--trans:", [](CallFlags& f) { f.trans = "nx"; });
    begins("--trans:", [](CallFlags& f) { f.trans = "n"; });
    begins("--alpha:", [](CallFlags& f) { f.alpha = "1,2"; });  // of a real type
    begins("--beta:", [](CallFlags& f) { f.beta = "inf"; });
    begins("--at:", [](CallFlags& f) { f.at = "9"; });
    begins("--m, --n, --k:", [](CallFlags& f) { f.m = "400000", f.at = "0"; });
    begins("--tile:", [](CallFlags& f) { f.m = "20000", f.tile = "10"; });
    begins("--type: herk has no type d", [](CallFlags& f) { f.routine = "herk"; });
    begins("--type: her2k has no type s", [](CallFlags& f) { f.routine = "her2k", f.type = "s"; });
    begins("--type: hemm has no type b", [](CallFlags& f) { f.routine = "hemm", f.type = "b"; });
    begins("--type: syrk has no type h", [](CallFlags& f) { f.routine = "syrk", f.type = "h"; });
    begins("--trans: syrk has no c",
           [](CallFlags& f) { f.routine = "syrk", f.type = "z", f.trans = "cn"; });
    begins("--n: C of gemmt is 100 x 7", [](CallFlags& f) { f.routine = "gemmt", f.n = "7"; });
    begins("--k: A of trsm is 7 x 7", [](CallFlags& f) { f.routine = "trsm", f.k = "7"; });
}

TEST(Flags, a_plan_is_made_for_the_machine_that_is_named) {
    CallFlags f = flags_of("512");
    f.devices = "1", f.policy = "uncut", f.tile = "256";
    const MadePlan made = plan_of(f);
    EXPECT_EQ(made.plan.devices, std::vector<DeviceId>{1});
    EXPECT_EQ(made.plan.policy, "uncut");
    EXPECT_TRUE(validate(made.plan).empty());
    f.devices = "7";
    EXPECT_TRUE(error_of([&] { plan_of(f); }).text().starts_with("--devices:"));
    f = flags_of();
    f.machine = "cpu:0";
    EXPECT_TRUE(error_of([&] { plan_of(f); }).text().starts_with("--machine:"));
}

TEST(Flags, scalars_are_finite_and_complex_only_where_the_type_is) {
    EXPECT_EQ(scalar_of("-2.5", "--alpha", Type::d), (Scalar{-2.5, 0}));
    EXPECT_EQ(scalar_of("1,-2", "--alpha", Type::c), (Scalar{1, -2}));
    EXPECT_EQ(scalar_of("3,0", "--alpha", Type::s), (Scalar{3, 0}));
    EXPECT_THROW(scalar_of("1,1", "--alpha", Type::s), Error);
    EXPECT_THROW(scalar_of("1,2,3", "--alpha", Type::z), Error);
    EXPECT_THROW(scalar_of("nan", "--alpha", Type::d), Error);
    EXPECT_THROW(scalar_of("", "--alpha", Type::d), Error);
}

TEST(Flags, scalars_are_what_the_type_has) {
    EXPECT_EQ(scalar_of("0.1", "--alpha", Type::s), (Scalar{static_cast<double>(0.1F), 0}));
    EXPECT_EQ(scalar_of("1e-320", "--alpha", Type::c), Scalar{});
    EXPECT_EQ(scalar_of("1e-320", "--alpha", Type::z), (Scalar{1e-320, 0}));
    EXPECT_EQ(scalar_of("1e308", "--alpha", Type::z), (Scalar{1e308, 0}));
    for (const Type type : {Type::s, Type::c, Type::h, Type::b})
        EXPECT_EQ(error_of([&] { scalar_of("1e308", "--alpha", type); }).text(),
                  std::string("--alpha: type ") + letter_of(type) + " ends at 3.4e+38");
    CallFlags f = flags_of();
    f.type = "s", f.alpha = "1e-320";
    EXPECT_EQ(problem(f).alpha, Factor::zero);
}

}  // namespace
}  // namespace gemmill::command
