// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver library as far as Gemmill asks it: FAKE_GPUS is the number of devices, 1 when it
// is not set; a negative one is the error of a driver that does not start.
#include <cstdlib>

namespace {

int fake_gpus() {
    const char* const text = std::getenv("FAKE_GPUS");
    return text != nullptr ? std::atoi(text) : 1;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cuInit(unsigned) {
    constexpr int no_device = 100;
    const int gpus = fake_gpus();
    return gpus > 0 ? 0 : gpus == 0 ? no_device : -gpus;
}

__attribute__((visibility("default"))) int cuDeviceGetCount(int* count) {
    *count = fake_gpus();
    return 0;
}
}
