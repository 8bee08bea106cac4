// SPDX-License-Identifier: Apache-2.0
#include "api/blas/dispatch.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "api/blas/fallback.hpp"
#include "api/blas/hosts/hosts.hpp"
#include "api/blas/report.hpp"
#include "api/blas/say.hpp"
#include "api/blas/settings.hpp"
#include "api/call.hpp"
#include "api/check/arguments.hpp"
#include "api/state.hpp"
#include "base/environment.hpp"
#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_level3.hpp"

namespace gemmill::blas {
namespace {

using Steady = std::chrono::steady_clock;
constexpr double never = std::numeric_limits<double>::infinity();
constexpr double always = -1;

/// Flops from which a call is looked at; below it goes to the host at once. Until the first call,
/// and while calls are counted, that is every call.
std::atomic<double> border = always;
std::atomic<bool> forked = false;  // and nobody has acted on it yet
constinit Hosts hosts;

/// Made by the first call, under the lock, and never destroyed: other exit handlers may still call.
struct Dropin {
    Settings settings;
    std::unique_ptr<Context> context;  // opened by the first call that can profit
    std::atomic<bool> host_only = false;
    std::string why;         // devices are not used
    std::string host_fault;  // that was said
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

void at_exit() {
    const Dropin& d = *opened;
    const bool devices = d.context != nullptr && !d.context->state().direct();
    const std::string cpu = devices ? d.context->state().contribution.text() : "";
    write_report(
        d.settings.options.report,
        fmt::format("  host BLAS: {}; {}{}\n{}", hosts.names(),
                    devices ? fmt::format("devices: {}", d.settings.options.devices)
                            : "no devices" + (d.why.empty() ? "" : ": " + d.why),
                    cpu.empty() ? "" : "; " + cpu,
                    d.fallbacks.text() + (devices ? d.context->state().trust.text() : "")));
}

/// After all else, for programs that never called.
void at_last() {
    if (calls_noted() == 0) write_no_calls();
}

/// An option that cannot be meant is said, and calls then stay on the host.
void read_settings(Dropin& d) {
    try {
        d.settings.options = Options::from_environment();
        d.settings.reports = wants_report(d.settings.options);
        d.settings = settings_of(d.settings.options);
    } catch (const Error& error) {
        say(fmt::format("gemmill: {}; calls go to the host BLAS", error.text()));
        d.host_only = true;
        d.why = error.text();
    }
}

Dropin* make() {
    auto made = std::make_unique<Dropin>();
    read_settings(*made);
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
        set_border(*opened);
    }
    return *opened;
}

const HostLibrary& host_of(Dropin& d, Family family) {
    if (const HostLibrary* host = hosts.find(family)) return *host;
    const std::lock_guard lock(opening);
    if (const HostLibrary* host = hosts.find(family)) return *host;
    std::string fault;
    const HostLibrary& host = hosts.open(family, d.settings.options.host_blas, fault);
    if (!fault.empty() && fault != d.host_fault) {
        say("gemmill: " + fault);
        d.host_fault = fault;
        d.settings.options.host_blas.clear();
    }
    use_host_blas(host);  // so that a Context opens no other
    return host;
}

/// Devices that somebody named and that cannot be had are said; where nobody did, the host is fine.
void do_without_devices(Dropin& d, const std::string& why) {
    if (d.settings.options.devices != "auto")
        say(fmt::format("gemmill: {}; calls go to the host BLAS", why));
    use_host_only(d, why);
}

/// nullptr: there are no devices.
Context* context_of(Dropin& d) {
    const std::lock_guard lock(opening);
    if (d.context == nullptr && !d.host_only) {
        try {
            d.context = std::make_unique<Context>(d.settings.options);
            if (d.settings.options.verbose) d.context->log(say);
            if (d.context->state().direct()) use_host_only(d, "there is no GPU");
        } catch (const Error& error) {
            do_without_devices(d, error.text());
        } catch (const std::exception& error) {
            do_without_devices(d, error.what());
        }
    }
    const bool usable = d.context != nullptr && !d.host_only;
    return usable ? d.context.get() : nullptr;
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
    return (forced || large) && !d.host_only ? context_of(d) : nullptr;
}

/// A call that devices were to do and the host does. Said once, where somebody asked.
void fall_back(Dropin& d, Code code, const std::string& why) {
    const bool broken = is_broken(code);
    const bool first = broken ? d.fallbacks.lose(why) : d.fallbacks.refuse(why);
    if (broken) use_host_only(d, why);
    if (!first || !d.settings.options.verbose) return;
    say(broken ? fmt::format("gemmill: a device failed: {}; calls go to the host BLAS from now on",
                             why)
               : fmt::format("gemmill: devices cannot take a call, which goes to the host BLAS: {}",
                             why));
}

void give_up_or_fall_back(Dropin& d, const Level3Args& call, Code code, const std::string& why) {
    if (can_repeat(call, code)) return fall_back(d, code, why);
    end_program(
        fmt::format("gemmill: a device failed in the middle of {}{}, whose matrix is spoilt: "
                    "{}; the program ends",
                    letter_of(call.type), name_of(call.routine), why));
}

/// False: it is for the host.
bool run_on(Dropin& d, Context& context, const Level3Args& call) {
    try {
        return run_on_devices(context, call);
    } catch (const Error& error) {
        give_up_or_fall_back(d, call, error.code(), error.text());
    } catch (const std::exception& error) {  // nobody knows how far it came
        give_up_or_fall_back(d, call, Code::failed_step, error.what());
    }
    return false;
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

void look_at(Family family, const Level3Args& call) {
    Dropin& d = dropin();
    if (forked) act_on_fork(d);
    const HostLibrary& host = host_of(d, family);
    Context* const context = chosen(d, call);
    const auto start = Steady::now();
    const bool devices = context != nullptr && run_on(d, *context, call);
    if (!devices) host_level3(call, host);
    if (d.settings.reports)
        note(call, devices ? CallPlace::devices : CallPlace::host,
             std::chrono::duration<double>(Steady::now() - start).count());
}

/// Nothing may leave: there is nobody who could catch it.
void consider(Family family, const Level3Args& call) noexcept {
    try {
        look_at(family, call);
    } catch (const std::exception& error) {
        end_program(fmt::format("gemmill: {}", error.what()));
    }
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

}  // namespace

int submit(Family family, Layout layout, Level3Args& call) noexcept {
    if (layout == Layout::RowMajor) transpose(call);
    if (const int fault = first_fault(call)) [[unlikely]]
        return fault;
    const HostLibrary* const host = hosts.find(family);
    if (host != nullptr && weight(call) < border.load(std::memory_order_acquire)) [[likely]]
        host_level3(call, *host);
    else if (call.m > 0 && call.n > 0)
        consider(family, call);
    return 0;
}

void begin() {
    static std::once_flag begun;
    std::call_once(begun, [] {
        ::pthread_atfork(before_fork, in_parent, in_child);
        if (report_is_asked()) std::atexit(at_last);
    });
}

}  // namespace gemmill::blas
