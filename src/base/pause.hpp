// SPDX-License-Identifier: Apache-2.0
// What a thread does that looks for something again and again.
#pragma once

namespace gemmill {

/// About a microsecond in which the core is left to its other hardware thread, if it has one.
inline void pause_core() {
    for (int i = 0; i < 16; ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
}

}  // namespace gemmill
