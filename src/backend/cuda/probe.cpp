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
    double pcie = 0;                     // transfers a second, of all lanes each way
};

/// By its compute capability; `cuda` stands for what is newer than the library, or unknown.
std::string chip_of(const GpuAssumed& assumed, const cudaDeviceProp& p) {
    const std::string name = "sm_" + std::to_string(p.major) + std::to_string(p.minor);
    return assumed.has_chip(name.c_str()) ? name : "cuda";
}

/// A number from a file of the PCI device, such as "32.0 GT/s PCIe" or "16".
double pci_number(const std::string& bus, const char* name) {
    std::ifstream file("/sys/bus/pci/devices/" + bus + "/" + name);
    double value = 0;
    file >> value;
    return value;
}

/// Transfers a second times lanes; 0 when it is not known.
double pcie_transfers(int device) {
    char bus[32] = "";
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) return 0;
    std::string name = bus;
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    return pci_number(name, "max_link_speed") * 1e9 * pci_number(name, "max_link_width");
}

cudaError_t read(Gpu& gpu) {
    int clock = 0, memory_clock = 0;  // kHz
    if (const auto e = cudaGetDeviceProperties(&gpu.properties, gpu.id)) return e;
    if (const auto e = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, gpu.id)) return e;
    if (const auto e = cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, gpu.id))
        return e;
    gpu.clock = 1e3 * clock;
    gpu.memory_clock = 1e3 * memory_clock;
    gpu.pcie = pcie_transfers(gpu.id);
    return cudaSuccess;
}

double memory_bandwidth(const Gpu& gpu) {
    return 2 * gpu.memory_clock * gpu.properties.memoryBusWidth / 8;  // double data rate
}

void write_device(std::ostream& out, const GpuAssumed& assumed, const Gpu& gpu) {
    const cudaDeviceProp& p = gpu.properties;
    out << "memory gpu" << gpu.id << " size=" << p.totalGlobalMem << " origin=\"CUDA driver\"\n"
        << "device gpu" << gpu.id << " memory=gpu" << gpu.id << " queues=" << assumed.queues
        << " launch=" << assumed.launch << "s bandwidth=" << memory_bandwidth(gpu)
        << " chip=" << chip_of(assumed, p) << " cycles=" << 2 * gpu.clock * p.multiProcessorCount
        << " origin=\"" << p.name
        << ": multiprocessors x clock x multiply-adds a cycle of its chip, and what shapes reach "
           "of it; queues and launch are assumed\"\n";
}

void write_host_links(std::ostream& out, const GpuAssumed& assumed, const Gpu& gpu) {
    const bool known = gpu.pcie > 0;
    const char* const origin = known ? "PCIe speed and lanes, and what an H200 reaches of them"
                                     : "assumed: PCIe speed unknown";
    for (const char* const way : {"host -> gpu", "gpu"}) {
        out << "link " << way << gpu.id << (way[0] == 'h' ? "" : " -> host")
            << " bandwidth=" << (known ? gpu.pcie * assumed.pcie_lane : assumed.pcie)
            << " latency=" << assumed.latency << "s run_overhead=" << assumed.run_overhead
            << " origin=\"" << origin << "\"\n";
    }
    out << "link gpu" << gpu.id << " -> gpu" << gpu.id << " bandwidth=" << memory_bandwidth(gpu) / 2
        << " latency=" << assumed.launch << "s origin=\"half the memory bandwidth\"\n";
}

/// Links between GPUs that the driver lets talk to each other.
void write_peer_links(std::ostream& out, const GpuAssumed& assumed, const Gpu& gpu, int count) {
    for (int other = 0; other < count; ++other) {
        int access = 0, rank = 0;
        if (other == gpu.id || cudaDeviceCanAccessPeer(&access, gpu.id, other) != cudaSuccess ||
            access == 0)
            continue;
        const bool fast = cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, gpu.id,
                                                    other) == cudaSuccess &&
                          rank == 0;
        out << "link gpu" << gpu.id << " -> gpu" << other
            << " bandwidth=" << (fast ? assumed.nvlink : assumed.peer)
            << " latency=" << (fast ? assumed.nvlink_latency : assumed.peer_latency)
            << "s origin=\"assumed from the driver's rank of the pair\"\n";
    }
}

cudaError_t write_all(std::ostream& out, const GpuAssumed& assumed) {
    int count = 0;
    if (const auto e = cudaGetDeviceCount(&count)) return e;
    for (int i = 0; i < count; ++i) {
        Gpu gpu;
        gpu.id = i;
        if (const auto e = read(gpu)) return e;
        write_device(out, assumed, gpu);
        write_host_links(out, assumed, gpu);
        write_peer_links(out, assumed, gpu, count);
    }
    return cudaSuccess;
}

}  // namespace

int cuda_probe(const GpuAssumed& assumed, char* text, std::size_t size) {
    std::ostringstream out;
    out.precision(17);
    if (const cudaError_t error = write_all(out, assumed)) return code_of(error);
    const std::string words = out.str();
    if (words.size() + 1 > size) return code_of(cudaErrorInvalidValue);
    std::memcpy(text, words.c_str(), words.size() + 1);
    return 0;
}

}  // namespace gemmill
