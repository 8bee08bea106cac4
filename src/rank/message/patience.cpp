// SPDX-License-Identifier: Apache-2.0
#include "rank/message/patience.hpp"

#include <fmt/format.h>

#include <chrono>

#include "gemmill/error.hpp"

namespace gemmill {

void wait_until(Transport& transport, const std::function<bool()>& is_over,
                const std::function<bool()>& progress,
                const std::function<std::string()>& awaited) {
    using Clock = std::chrono::steady_clock;
    // A pause only after some looks: most messages come at once.
    constexpr int looks_before_pause = 64;
    Clock::time_point last = Clock::now();
    int looks = 0;
    while (!is_over()) {
        if (progress()) {
            last = Clock::now(), looks = 0;
            continue;
        }
        if (++looks < looks_before_pause) continue;
        looks = 0;
        transport.pause();
        const double waited = std::chrono::duration<double>(Clock::now() - last).count();
        if (transport.patience() > 0 && waited > transport.patience())
            throw Error(Code::failed_step,
                        fmt::format("{} for {:.3g} s: it has stopped, or does not take part",
                                    awaited(), waited));
    }
}

}  // namespace gemmill
