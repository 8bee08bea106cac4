// SPDX-License-Identifier: Apache-2.0
// The GPUs of this node as records of a machine file. Nothing is timed: rates follow from what the
// driver and the kernel say of the hardware, and each origin says so.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "backend/cuda/cuda.hpp"

namespace gemmill {
namespace {

struct Gpu {
    int id = 0;
    cudaDeviceProp properties{};
    double clock = 0, memory_clock = 0;  // Hz
    double pcie = 0;                     // bytes/s each way
};

/// Compute capabilities that the library has a chip for; 0.0 stands for what is newer or unknown.
struct Known {
    int major, minor;
    const char* chip;
};
constexpr Known chips[] = {{7, 0, "sm_70"}, {7, 5, "sm_75"}, {8, 0, "sm_80"},   {8, 6, "sm_86"},
                           {8, 9, "sm_89"}, {9, 0, "sm_90"}, {10, 0, "sm_100"}, {0, 0, "cuda"}};

const char* chip_of(const cudaDeviceProp& p) {
    return std::find_if(std::begin(chips), std::end(chips),
                        [&](const Known& k) {
                            return k.major == 0 || (k.major == p.major && k.minor == p.minor);
                        })
        ->chip;
}

/// A number from a file of the PCI device, such as "32.0 GT/s PCIe" or "16".
double pci_number(const std::string& bus, const char* name) {
    std::ifstream file("/sys/bus/pci/devices/" + bus + "/" + name);
    double value = 0;
    file >> value;
    return value;
}

/// Transfers a second times lanes, less what encoding and packets take; 0 when it is not known.
double pcie_bandwidth(int device) {
    char bus[32] = "";
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) return 0;
    std::string name = bus;
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    constexpr double efficiency = 0.87;
    return pci_number(name, "max_link_speed") * 1e9 / 8 * pci_number(name, "max_link_width") *
           efficiency;
}

cudaError_t read(Gpu& gpu) {
    int clock = 0, memory_clock = 0;  // kHz
    if (const auto e = cudaGetDeviceProperties(&gpu.properties, gpu.id)) return e;
    if (const auto e = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, gpu.id)) return e;
    if (const auto e = cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, gpu.id))
        return e;
    gpu.clock = 1e3 * clock;
    gpu.memory_clock = 1e3 * memory_clock;
    gpu.pcie = pcie_bandwidth(gpu.id);
    return cudaSuccess;
}

double memory_bandwidth(const Gpu& gpu) {
    return 2 * gpu.memory_clock * gpu.properties.memoryBusWidth / 8;  // double data rate
}

void write_device(std::ostream& out, const Gpu& gpu) {
    const cudaDeviceProp& p = gpu.properties;
    out << "memory gpu" << gpu.id << " size=" << p.totalGlobalMem << " origin=\"CUDA driver\"\n"
        << "device gpu" << gpu.id << " memory=gpu" << gpu.id
        << " queues=8 launch=10us bandwidth=" << memory_bandwidth(gpu) << " chip=" << chip_of(p)
        << " cycles=" << 2 * gpu.clock * p.multiProcessorCount << " origin=\"" << p.name
        << ": multiprocessors x clock x multiply-adds a cycle of its chip, and what shapes reach "
           "of it; queues and launch are assumed\"\n";
}

void write_host_links(std::ostream& out, const Gpu& gpu) {
    constexpr double assumed = 12e9;
    const bool known = gpu.pcie > 0;
    const char* const origin =
        known ? "PCIe speed and width, 87 % of it" : "assumed: PCIe speed unknown";
    for (const char* const way : {"host -> gpu", "gpu"}) {
        out << "link " << way << gpu.id << (way[0] == 'h' ? "" : " -> host")
            << " bandwidth=" << (known ? gpu.pcie : assumed)
            << " latency=10us run_overhead=2000 origin=\"" << origin << "\"\n";
    }
    out << "link gpu" << gpu.id << " -> gpu" << gpu.id << " bandwidth=" << memory_bandwidth(gpu) / 2
        << " latency=10us origin=\"half the memory bandwidth\"\n";
}

/// Links between GPUs that the driver lets talk to each other.
void write_peer_links(std::ostream& out, const Gpu& gpu, int count) {
    constexpr double nvlink = 100e9, pcie = 20e9;
    for (int other = 0; other < count; ++other) {
        int access = 0, rank = 0;
        if (other == gpu.id || cudaDeviceCanAccessPeer(&access, gpu.id, other) != cudaSuccess ||
            access == 0)
            continue;
        const bool fast = cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, gpu.id,
                                                    other) == cudaSuccess &&
                          rank == 0;
        out << "link gpu" << gpu.id << " -> gpu" << other << " bandwidth=" << (fast ? nvlink : pcie)
            << " latency=10us origin=\"assumed from the driver's rank of the pair\"\n";
    }
}

cudaError_t write_all(std::ostream& out) {
    int count = 0;
    if (const auto e = cudaGetDeviceCount(&count)) return e;
    for (int i = 0; i < count; ++i) {
        Gpu gpu;
        gpu.id = i;
        if (const auto e = read(gpu)) return e;
        write_device(out, gpu);
        write_host_links(out, gpu);
        write_peer_links(out, gpu, count);
    }
    return cudaSuccess;
}

}  // namespace

int cuda_probe(char* text, std::size_t size) {
    std::ostringstream out;
    out.precision(17);
    if (const cudaError_t error = write_all(out)) return code_of(error);
    const std::string words = out.str();
    if (words.size() + 1 > size) return code_of(cudaErrorInvalidValue);
    std::memcpy(text, words.c_str(), words.size() + 1);
    return 0;
}

}  // namespace gemmill
