// SPDX-License-Identifier: Apache-2.0
#include "bench/level3/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "api/call.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "check/level3_check.hpp"
#include "command/console.hpp"
#include "command/values.hpp"
#include "gemmill/error.hpp"
#include "gemmill/version.hpp"
#include "random/arrays.hpp"
#include "stamp.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr double long_call = 0.5;  // seconds: slower peers are called twice only

/// Memory of a context as long as it lives.
using Block = std::unique_ptr<void, std::function<void(void*)>>;

class Level3Bench {
  public:
    Level3Bench(const Level3Setup& setup, const Peers& (*table)(), int gpu)
        : setup_(setup),
          context_(named("--devices", [&] { return Context(options_of(setup)); })),
          peers_(table(), gpu),
          bytes_(static_cast<std::size_t>(setup.n * setup.n) * sizeof(double)) {
        const Progress progress("making matrices");
        for (std::size_t o = 0; o < 3; ++o) {
            host_[o] = owned(context_.allocate_host(bytes_));
            device_[o] = owned(context_.allocate(0, bytes_));
            fill_random(Type::d, host_[o].get(), setup.n * setup.n, seeds[o]);
        }
        // Solving with a random triangle is hopeless; with a heavy diagonal it is not.
        auto* a = static_cast<double*>(host_[0].get());
        for (index_t i = 0; i < setup.n; ++i)
            a[i + i * setup.n] = 4 * std::sqrt(static_cast<double>(setup.n));
        old_ = owned(context_.allocate_host(bytes_));
        copy_host(old_.get(), host_[2].get());
        for (std::size_t o = 0; o < 3; ++o) context_.copy(device_[o].get(), host_[o].get(), bytes_);
    }

    Level3Result run(const Level3Case& one) {
        Level3Result result{one, {}, 0, 0};
        const Progress progress(name_of(one));
        const Level3Args args = args_of(one, one.on_gpu);
        const Problem problem = describe(context_, args);
        reset(one);
        const Level3Check check(args_of(one, false));
        std::vector<Contender> all = contenders(one, args);
        for (Contender& contender : all) first_call(one, check, contender);
        time(all);
        for (Contender& contender : all) result.timings.push_back(std::move(contender.timing));
        const auto plan = context_.plan(problem);
        result.predicted = plan->prediction.seconds;
        result.bound = plan->prediction.bound_seconds;
        return result;
    }

  private:
    static Options options_of(const Level3Setup& setup) {
        Options options = Options::from_environment();
        options.devices = setup.devices;
        return options;
    }

    Block owned(void* data) {
        return {data, [this](void* p) { context_.release(p); }};
    }

    void copy_host(void* to, const void* from) const {
        parallel(static_cast<index_t>(bytes_), [&](index_t first, index_t last) {
            std::memcpy(static_cast<std::byte*>(to) + first,
                        static_cast<const std::byte*>(from) + first,
                        static_cast<std::size_t>(last - first));
        });
    }

    Level3Args args_of(const Level3Case& one, bool on_gpu) const {
        const auto& at = on_gpu ? device_ : host_;
        const index_t n = setup_.n;
        Level3Args g;
        g.routine = one.routine;
        g.m = g.n = g.k = n;
        g.alpha = {1.1, 0};
        g.beta = is_in_place(one.routine) ? Scalar{} : Scalar{0.9, 0};
        g.a = at[0].get(), g.lda = n;
        if (one.routine == Routine::symm || one.routine == Routine::syr2k)
            g.b = at[1].get(), g.ldb = n;
        g.c = at[2].get(), g.ldc = n;
        return g;
    }

    /// Makes C what it was first.
    void reset(const Level3Case& one) {
        copy_host(host_[2].get(), old_.get());
        if (one.on_gpu) context_.copy(device_[2].get(), host_[2].get(), bytes_);
    }

    std::vector<Contender> contenders(const Level3Case& one, const Level3Args& args) {
        std::vector<Contender> all;
        all.push_back({{Who::ours}, [this, args] { run_call(context_, args); }});
        if (one.on_gpu) {
            all.push_back({{Who::in_core}, [this, args] { peers_.in_core(args); }});
            return all;
        }
        Level3Args from_old =
            args;  // cuBLASXt's trmm does not say that it may write where it reads
        if (one.routine == Routine::trmm) from_old.b = old_.get(), from_old.ldb = args.ldc;
        for (const int block : setup_.blocks)
            if (block <= std::max<index_t>(2048, setup_.n))
                all.push_back({{Who::xt, block},
                               [this, from_old, block] { peers_.xt(from_old, block, false); }});
        return all;
    }

    /// Not timed, from a fresh C.
    void first_call(const Level3Case& one, const Level3Check& check, Contender& contender) {
        try {
            reset(one);
            contender.call();
            if (one.on_gpu) context_.copy(host_[2].get(), device_[2].get(), bytes_);
            contender.timing.error = check.error(args_of(one, false));
        } catch (const Error& error) {
            contender.timing.fault = error.text();
        }
    }

    /// All in turn in every round.
    void time(std::vector<Contender>& all) const {
        for (int round = 0; round < setup_.repeats; ++round)
            for (Contender& one : all) {
                const bool slow = one.timing.who == Who::xt && one.timing.samples.size() >= 2 &&
                                  one.timing.seconds() > long_call;
                if (one.timing.fault.empty() && !slow) take_warm_sample(one);
            }
    }

    const Level3Setup& setup_;
    Context context_;
    OpenPeers peers_;
    const std::size_t bytes_;
    std::array<Block, 3> host_, device_;
    Block old_;  // C
};

std::string ratio_text(double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}

}  // namespace

std::vector<Level3Case> level3_cases() {
    std::vector<Level3Case> all;
    const std::pair<Routine, double> pinned[] = {{Routine::syrk, 1.9},
                                                 {Routine::syr2k, 2.1},
                                                 {Routine::symm, 1.4},
                                                 {Routine::trmm, 1.8},
                                                 {Routine::trsm, 1.9}};
    for (const auto& [routine, asked] : pinned) all.push_back({routine, false, asked});
    for (const auto& [routine, asked] : pinned) all.push_back({routine, true, 0.98});
    return all;
}

std::string name_of(const Level3Case& one) {
    return fmt::format("d{} {}", name_of(one.routine), one.on_gpu ? "on the GPU" : "pinned");
}

double flops_of(const Level3Case& one, index_t n) {
    const double cube = std::pow(static_cast<double>(n), 3);
    return one.routine == Routine::symm || one.routine == Routine::syr2k ? 2 * cube : cube;
}

double Level3Result::seconds(Who who) const { return fastest(timings, who); }

double Level3Result::found() const {
    return seconds(one.on_gpu ? Who::in_core : Who::xt) / seconds(Who::ours);
}

bool Level3Result::right() const {
    return !timings.empty() && timings.front().fault.empty() && timings.front().right();
}

namespace {

void require_known(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        require(std::ranges::any_of(
                    level3_cases(),
                    [&](const Level3Case& one) { return name_of(one.routine) == name; }),
                Code::bad_argument, "syrk, syr2k, symm, trmm, trsm",
                fmt::format("--cases: {} chooses none", shown(name)));
}

}  // namespace

std::vector<Level3Result> bench_level3(const Level3Setup& setup, const Peers& (*table)(), int gpu,
                                       const std::function<void(const Level3Result&)>& told) {
    const std::vector<std::string> wanted = split(setup.cases, ',');
    if (!setup.cases.empty()) require_known(wanted);
    Level3Bench bench(setup, table, gpu);
    std::vector<Level3Result> results;
    for (const Level3Case& one : level3_cases()) {
        if (!setup.cases.empty() && std::ranges::find(wanted, name_of(one.routine)) == wanted.end())
            continue;
        results.push_back(bench.run(one));
        told(results.back());
    }
    return results;
}

std::string to_text(const std::vector<Level3Result>& results, index_t n) {
    Table table;
    table.row({"case", "time", "TFLOP/s", "bound", "peer", "its time", "over ours", "asked",
               "holds", "model", "right"});
    std::string faults;
    for (const Level3Result& r : results) {
        const double mine = r.seconds(Who::ours), found = r.found();
        const double other = r.seconds(r.one.on_gpu ? Who::in_core : Who::xt);
        table.row(
            {name_of(r.one), human_seconds(mine),
             fmt::format("{:.1f}", 1e-12 * flops_of(r.one, n) / mine), percent(r.bound / mine),
             r.one.on_gpu ? "cuBLAS" : "cuBLASXt", std::isnan(other) ? "-" : human_seconds(other),
             ratio_text(found), fmt::format("{:.2f}", r.one.asked),
             std::isnan(found)      ? "-"
             : found >= r.one.asked ? "yes"
                                    : "NO",
             fmt::format("{:+.0f} %", 100 * (r.predicted / mine - 1)), r.right() ? "yes" : "NO"});
        for (const Timing& t : r.timings)
            if (!t.fault.empty() || !t.right())
                faults += fmt::format(
                    "{}: {}: {}\n", name_of(r.one), name_of(t),
                    t.fault.empty() ? fmt::format("WRONG by {:.3g}", t.error) : t.fault);
    }
    return table.text("") + faults;
}

nlohmann::ordered_json to_json(const std::vector<Level3Result>& results, const Level3Setup& setup) {
    nlohmann::ordered_json json{{"date", bench::now()},
                                {"version", GEMMILL_VERSION},
                                {"cpu", bench::cpu_name()},
                                {"devices", setup.devices},
                                {"n", setup.n},
                                {"repeats", setup.repeats},
                                {"cases", nlohmann::ordered_json::array()}};
    for (const Level3Result& r : results) {
        nlohmann::ordered_json one{
            {"name", name_of(r.one)},   {"seconds", r.seconds(Who::ours)},
            {"bound_seconds", r.bound}, {"predicted_seconds", r.predicted},
            {"asked", r.one.asked},     {"found", r.found()},
            {"right", r.right()},       {"timings", nlohmann::ordered_json::array()}};
        for (const Timing& t : r.timings) one["timings"].push_back(to_json(t));
        json["cases"].push_back(std::move(one));
    }
    return json;
}

}  // namespace gemmill::command
