// SPDX-License-Identifier: Apache-2.0
// A plan is data: look at a machine that is not here, then at the plan of a call on CPU devices.
#include <iostream>

#include "gemmill/gemmill.hpp"

int main() {
    const gemmill::Machine far = gemmill::load_machine("hgx-a100-8");
    std::cout << far.name << ": " << far.devices.size() << " devices, " << far.links.size()
              << " links\n";

    gemmill::Options options;
    options.devices = "cpu:2";
    gemmill::Context context(options);

    gemmill::Problem problem;
    problem.m = problem.n = problem.k = 2048;
    const auto plan = context.plan(problem);

    const gemmill::Statistics figures = gemmill::statistics(*plan);
    const gemmill::Bytes& moved = figures.moved;
    std::cout << "policy " << plan->policy << ", " << plan->steps.size() << " steps, "
              << plan->tiles.size() << " tiles\n"
              << "to devices " << moved.h2d << " bytes, back " << moved.d2h << " bytes\n"
              << "predicted " << plan->prediction.seconds << " s, no plan is below "
              << plan->prediction.bound_seconds << " s\n";

    // The text form is exact: it can be kept, compared, checked and run again.
    const std::string text = gemmill::to_text(*plan);
    std::cout << text.substr(0, text.find('\n')) << "\n...\n";
    const bool same = gemmill::parse_plan(text) == *plan;
    return same && gemmill::validate(*plan).empty() ? 0 : 1;
}
