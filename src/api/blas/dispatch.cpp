// SPDX-License-Identifier: Apache-2.0
#include "api/blas/dispatch.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "api/arguments.hpp"
#include "api/blas/fallback.hpp"
#include "api/blas/report.hpp"
#include "api/blas/settings.hpp"
#include "api/call.hpp"
#include "api/state.hpp"
#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host_level3.hpp"
#include "kernel/reference/level3.hpp"

namespace gemmill::blas {
namespace {

using Steady = std::chrono::steady_clock;
constexpr double never = std::numeric_limits<double>::infinity();
constexpr double always = -1;

/// Flops from which a call is looked at; below it goes to the host at once. Until the first call,
/// and while calls are counted, that is every call.
std::atomic<double> border = always;
std::atomic<bool> forked = false;  // and nobody has acted on it yet
bool wide_program = false;

/// Made by the first call, under the lock, and never destroyed: other exit handlers may still call.
struct Dropin {
    Settings settings;
    void (*on_host)(const Level3Args&) = nullptr;
    std::unique_ptr<Context> context;  // opened by the first call that can profit
    std::atomic<bool> host_only = false;
    std::string why;  // devices are not used
    Fallbacks fallbacks;
};
std::recursive_mutex opening;  // recursive: a driver that is opened here may fork
std::atomic<Dropin*> opened = nullptr;

double weight(const Level3Args& x) {
    return flops_per_fma(x.type) * static_cast<double>(x.m) * static_cast<double>(x.n) *
           static_cast<double>(x.k);
}

void set_border(const Dropin& d) {
    const bool every = d.settings.reports || d.settings.forces();
    border = every ? always : d.host_only ? never : d.settings.threshold;
}

void use_host_only(Dropin& d, const std::string& why) {
    const std::lock_guard lock(opening);
    d.host_only = true;
    if (d.why.empty()) d.why = why;
    set_border(d);
}

void open_host(Dropin& d) {
    const std::string& named = d.settings.options.host_blas;
    try {
        const bool has_wide = *GEMMILL_HOST_BLAS64_PATH != '\0';
        open_host_blas(named.empty() && wide_program && has_wide ? GEMMILL_HOST_BLAS64_PATH
                                                                 : named);
        d.on_host = host_level3;
    } catch (const Error& error) {
        d.on_host = reference_level3;  // slow, and right
        d.why = error.text();
    }
}

void write_report(const Dropin& d) {
    const std::string devices =
        d.context != nullptr && !d.context->state().direct()
            ? fmt::format("devices: {}", d.settings.options.devices)
            : fmt::format("no devices{}", d.why.empty() ? "" : ": " + d.why);
    const std::string name = host_blas_name();
    std::string setting =
        fmt::format("  host BLAS: {}; {}", name.empty() ? "plain loops" : name, devices);
    if (std::string fell = d.fallbacks.text(); !fell.empty()) {
        fell.pop_back();
        setting += "\n" + fell;
    }
    const std::string text = report_text(setting);
    if (text.empty()) return;
    const std::string& target = d.settings.options.report;
    if (target == "1" || target == "on") {
        say(std::string_view(text).substr(0, text.size() - 1));
    } else if (std::FILE* file = std::fopen(target.c_str(), "ae")) {
        std::fwrite(text.data(), 1, text.size(), file);
        std::fclose(file);
    } else {
        say(fmt::format("gemmill: cannot write the report to '{}'", target));
    }
}

void at_exit() {
    try {
        write_report(*opened);
    } catch (const std::exception& error) {
        say(fmt::format("gemmill: no report: {}", error.what()));
    }
}

Dropin* make() {
    auto made = std::make_unique<Dropin>();
    try {
        made->settings = settings_of(Options::from_environment());
    } catch (const Error& error) {
        say(fmt::format("gemmill: {}; calls go to the host BLAS", error.text()));
        made->host_only = true;
        made->why = error.text();
    }
    open_host(*made);
    if (made->settings.reports) {
        prepare_report();
        std::atexit(at_exit);
    }
    return made.release();
}

Dropin& dropin() {
    if (Dropin* d = opened.load(std::memory_order_acquire)) return *d;
    const std::lock_guard lock(opening);
    if (opened.load() == nullptr) {
        opened = make();
        set_border(*opened);  // after it: who reads the border may use what was opened
    }
    return *opened;
}

/// nullptr: there are no devices.
Context* context_of(Dropin& d, bool forced) {
    const std::lock_guard lock(opening);
    if (d.context == nullptr) {
        try {
            d.context = std::make_unique<Context>(d.settings.options);
            if (d.settings.options.verbose) d.context->log(say);
        } catch (const Error& error) {
            if (forced) throw;
            use_host_only(d, error.text());
            return nullptr;
        }
        if (d.context->state().direct()) use_host_only(d, "there is no GPU");
    }
    return d.context->state().direct() ? nullptr : d.context.get();
}

/// Whether a device failed while it worked, and not only to take a call.
bool is_broken(Code code) { return code == Code::failed_step || code == Code::no_device; }

/// Whether the host can still do a call that failed with this error: nothing was written, or what
/// was written is not read.
bool can_repeat(const Level3Args& call, Code code) {
    return !is_broken(code) || (!is_in_place(call.routine) && call.beta == Scalar{});
}

/// Where a call is to be tried; nullptr: on the host.
Context* chosen(Dropin& d, const Level3Args& call) {
    const bool forced = d.settings.is_forced(call.routine);
    const bool large = weight(call) >= d.settings.threshold;
    if (large && d.fallbacks.lost()) d.fallbacks.miss();
    return forced || (large && !d.host_only) ? context_of(d, forced) : nullptr;
}

/// A call that devices were to do and the host does. Said once, where somebody asked.
void fall_back(Dropin& d, const Error& error) {
    const bool broken = is_broken(error.code());
    const bool first = broken ? d.fallbacks.lose(error.text()) : d.fallbacks.refuse(error.text());
    if (broken) use_host_only(d, error.text());
    if (!first || !d.settings.options.verbose) return;
    say(broken ? fmt::format("gemmill: a device failed: {}; calls go to the host BLAS from now on",
                             error.text())
               : fmt::format("gemmill: devices cannot take a call, which goes to the host BLAS: {}",
                             error.text()));
}

Place run(Dropin& d, Context* context, const Level3Args& call) {
    if (context != nullptr) {
        try {
            return run_call(*context, call) ? Place::devices : Place::host;
        } catch (const Error& error) {
            if (d.settings.is_forced(call.routine) || !can_repeat(call, error.code())) throw;
            fall_back(d, error);
        }
    }
    d.on_host(call);
    return Place::host;
}

/// The child of a process that had opened devices cannot use them.
void act_on_fork(Dropin& d) {
    const std::lock_guard lock(opening);
    if (!forked) return;
    const bool lost = d.context != nullptr && !d.context->state().direct();
    if (lost) {
        d.settings.forced = {};
        d.fallbacks.forget();
        use_host_only(d, "its parent has them");
        if (d.settings.options.verbose || d.settings.reports)
            say("gemmill: the child of a process that uses devices: its calls go to the host BLAS");
    }
    set_border(d);
    forked = false;
}

void consider(const Level3Args& call) {
    Dropin& d = dropin();
    if (forked) act_on_fork(d);
    Context* const context = chosen(d, call);
    const auto start = Steady::now();
    const Place place = run(d, context, call);
    if (d.settings.reports)
        note(call, place, std::chrono::duration<double>(Steady::now() - start).count());
}

void before_fork() { opening.lock(); }
void in_parent() { opening.unlock(); }
void in_child() {
    // A recursive mutex knows its owner by a number that the child's thread does not have.
    std::construct_at(&opening);
    forget();
    forked = true;
    border = always;  // so that the next call comes here and sees it
}

int submit_columns(const Level3Args& call) {
    if (const int fault = first_fault(call)) [[unlikely]]
        return fault;
    if (weight(call) < border.load(std::memory_order_acquire)) [[likely]]
        opened.load(std::memory_order_relaxed)->on_host(call);
    else if (call.m > 0 && call.n > 0)
        consider(call);
    return 0;
}

}  // namespace

int submit(Layout layout, Level3Args& call) {
    if (layout == Layout::RowMajor) transpose(call);
    return submit_columns(call);
}

void begin(bool wide) {
    wide_program = wide;
    ::pthread_atfork(before_fork, in_parent, in_child);
}

void say(std::string_view text) {
    const std::string line = std::string(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gemmill::blas
