// SPDX-License-Identifier: Apache-2.0
#include "backend/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "gemmill/version.hpp"
#include "machine/chips.hpp"
#include "machine/load/assumed.hpp"

namespace gemmill {
namespace {

const GpuDriver* driver_of(void* library, std::string& why) {
    const auto symbol = reinterpret_cast<GpuDriverSymbol>(::dlsym(library, gpu_driver_symbol));
    const GpuDriver* driver = symbol != nullptr ? symbol() : nullptr;
    if (driver != nullptr && std::string_view(driver->version) == GEMMILL_VERSION) return driver;
    why = fmt::format("the CUDA part is of version {}, this is {}",
                      driver != nullptr ? driver->version : "unknown", GEMMILL_VERSION);
    return nullptr;
}

/// What NVIDIA's driver library says, before anything of CUDA is opened: that takes half a second
/// and 150 MB where there is nothing to open it for. The library is the one that CUDA itself would
/// open, wherever the loader finds it.
bool has_nvidia_gpu(std::string& why) {
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        why = fmt::format("no NVIDIA driver: {}", ::dlerror());
        return false;
    }
    const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(library, "cuInit"));
    const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(library, "cuDeviceGetCount"));
    constexpr int no_symbol = -1, no_device = 100;
    int devices = 0;
    int fault = init != nullptr && count != nullptr ? init(0) : no_symbol;
    if (fault == 0) fault = count(&devices);
    if (fault == 0 && devices > 0) return true;
    why = fault == 0 || fault == no_device
              ? "no GPU"
              : fmt::format("the NVIDIA driver does not start: error {}", fault);
    return false;
}

/// PCIe of the assumed node has 16 lanes of 32 GT/s.
GpuAssumed assumed_of_gpus() {
    constexpr double transfers = 16 * 32e9;
    const Machine& node = assumed_node();
    const Link& wires = assumed_link(node, "host", "gpu0");
    const Link& nvlink = assumed_link(node, "gpu0", "gpu1");
    const Link& peer = assumed_link(node, "gpu0", "gpu2");
    GpuAssumed assumed;
    assumed.queues = node.devices.front().queues;
    assumed.launch = node.devices.front().launch;
    assumed.pcie_lane = wires.bandwidth / transfers;
    assumed.pcie = assumed_link(node, "host", "gpu2").bandwidth;
    assumed.latency = wires.latency, assumed.run_overhead = wires.run_overhead;
    assumed.nvlink = nvlink.bandwidth, assumed.nvlink_latency = nvlink.latency;
    assumed.peer = peer.bandwidth, assumed.peer_latency = peer.latency;
    assumed.has_chip = [](const char* name) { return known_chip(name) != nullptr; };
    return assumed;
}

}  // namespace

void* open_part(const char* name, std::string& why) {
    std::string here;
    if (Dl_info info; ::dladdr(reinterpret_cast<const void*>(&gpu_driver), &info) != 0)
        here = info.dli_fname;
    const auto folder =
        here.rfind('/') == std::string::npos ? "." : here.substr(0, here.rfind('/'));
    for (const std::string& path : {fmt::format("{}/{}", folder, name),
                                    fmt::format("{}/../lib/{}", folder, name), std::string(name)}) {
        if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        // A part that is there and cannot be opened says more than one that is not there.
        const char* const text = ::dlerror();
        if (why.empty() && text != nullptr && ::access(path.c_str(), F_OK) == 0) why = text;
    }
    if (why.empty()) why = fmt::format("no {}: this is a build without CUDA", name);
    return nullptr;
}

const GpuDriver* gpu_part(std::string& why) {
    void* library = open_part("libgemmill_cuda.so", why);
    return library != nullptr ? driver_of(library, why) : nullptr;
}

const GpuDriver* gpu_driver(std::string& why) {
    if (!has_nvidia_gpu(why)) return nullptr;
    const GpuDriver* driver = gpu_part(why);
    if (driver == nullptr) return nullptr;
    int count = 0;
    const int fault = driver->count(&count);
    if (fault == 0 && count > 0) return driver;
    why = fault == 0 ? "no GPU" : fmt::format("CUDA: {}", driver->words(fault));
    return nullptr;
}

Machine with_gpus(const Machine& host, std::string& why) {
    const GpuDriver* driver = gpu_driver(why);
    if (driver == nullptr) return host;
    std::vector<char> text(std::size_t{1} << 20);
    const int fault = driver->probe(assumed_of_gpus(), text.data(), text.size());
    if (fault == 0) return parse_machine(to_text(host) + text.data());
    why = fmt::format("CUDA: {}", driver->words(fault));
    return host;
}

}  // namespace gemmill
