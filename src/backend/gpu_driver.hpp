// SPDX-License-Identifier: Apache-2.0
// What the gpu backend asks of a maker's GPUs: a table of functions. libgemmill_cuda.so holds one;
// tests have one whose GPU is the host. Both sides are built from one source, and the version in
// the table says so.
//
// Every function that returns int gives 0 or a code of the driver's own, which words() explains.
// None throws. All may be called by several threads at once, with different streams.
#pragma once

#include <cstddef>
#include <optional>

#include "backend/perform.hpp"
#include "base/gpu_shared.hpp"
#include "kernel/batch_work.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// What a code means for what comes after it.
enum class GpuFault : int {
    call,    ///< this call failed, the next may work
    memory,  ///< there was not enough memory
    lost,    ///< the device, or this process's hold of it, is gone
};

/// What an event is for: to ask when it happened, only to wait for it, or to wait for it asleep,
/// which leaves the CPU to others and wakes a little later.
enum class GpuEventKind { timed, plain, sleeping };

/// Where a pointer points to.
enum class GpuPlace : int { pageable, pinned, managed, device };

/// A kernel for batches of one shape: m and n are at most `edge`, k at most `k`; 0: any. chains:
/// only for matrices without gaps between them.
struct GpuBatchKernel {
    const char* name = nullptr;
    int edge = 0, k = 0;
    bool chains = false;
};

/// Bytes of a device that a queue of kernels has: for the maker's BLAS to work in, and for copies
/// and sums of kernels at a diagonal.
struct GpuRoom {
    std::size_t workspace = 0, scratch = 0;
};

/// What a probe takes for granted where the system does not tell it (machine/load/assumed.hpp).
struct GpuAssumed {
    int queues = 1;
    double launch = 0;
    double pcie_lane = 0;  ///< bytes/s of one lane of PCIe for each transfer a second
    double pcie = 0;       ///< bytes/s where neither speed nor lanes are known
    double latency = 0, run_overhead = 0;
    double nvlink = 0, nvlink_latency = 0;
    double peer = 0, peer_latency = 0;             ///< over PCIe
    bool (*has_chip)(const char* name) = nullptr;  ///< whether the library knows such a chip
};

struct GpuStream;  // work in order, of one device
struct GpuEvent;   // a point in a stream
struct GpuBlas;    // what gemm needs beside a stream

struct GpuDriver {
    const char* version = nullptr;  ///< of Gemmill
    const char* name = nullptr;     ///< "cuda"

    const char* (*words)(int code) = nullptr;
    GpuFault (*fault)(int code) = nullptr;

    /// Devices there are.
    int (*count)(int* devices) = nullptr;
    /// The records of these GPUs for a machine file that has a memory called host: a final zero and
    /// at most size bytes.
    int (*probe)(const GpuAssumed& assumed, char* text, std::size_t size) = nullptr;
    int (*free_memory)(int device, std::size_t* bytes) = nullptr;
    /// The device is only set where the place is device.
    int (*locate)(const void* pointer, GpuPlace* place, int* device) = nullptr;

    int (*allocate)(int device, std::size_t bytes, void** pointer) = nullptr;
    int (*release)(int device, void* pointer) = nullptr;
    /// What others have opened must not be released before they have closed it. A fault where the
    /// block lies on another GPU than the device.
    int (*share)(int device, void* pointer, GpuSharedBlock* block) = nullptr;
    int (*open_shared)(int device, const GpuSharedBlock& block, void** pointer) = nullptr;
    int (*close_shared)(int device, void* pointer) = nullptr;
    /// Makes host memory fit for copies that do not wait for the CPU.
    int (*pin)(void* pointer, std::size_t bytes) = nullptr;
    int (*unpin)(void* pointer) = nullptr;
    /// Any memory to any memory; done when it returns.
    int (*copy_now)(void* to, const void* from, std::size_t bytes) = nullptr;

    /// What is in an urgent stream goes before what is in others.
    int (*open_stream)(int device, bool urgent, GpuStream** stream) = nullptr;
    void (*close_stream)(GpuStream* stream) = nullptr;
    int (*open_event)(int device, GpuEventKind kind, GpuEvent** event) = nullptr;
    void (*close_event)(GpuEvent* event) = nullptr;
    int (*open_blas)(GpuStream* stream, const GpuRoom& room, GpuBlas** blas) = nullptr;
    void (*close_blas)(GpuBlas* blas) = nullptr;

    /// The event happens when all that is in the stream now is done.
    int (*record)(GpuEvent* event, GpuStream* stream) = nullptr;
    /// What comes into the stream from now on starts after the event as it was recorded last.
    int (*wait)(GpuStream* stream, GpuEvent* event) = nullptr;
    int (*synchronize)(GpuEvent* event) = nullptr;
    /// *done without waiting.
    int (*query)(GpuEvent* event, bool* done) = nullptr;
    /// Of two events of one device that have happened.
    int (*elapsed)(GpuEvent* from, GpuEvent* to, double* seconds) = nullptr;

    /// Copies a block and clears what the border says, beside it where it arrives.
    int (*copy)(GpuStream* stream, const CopyArgs& args, const BorderArgs& border) = nullptr;
    int (*clear)(GpuStream* stream, const BorderArgs& args) = nullptr;
    int (*gemm)(GpuBlas* blas, const GemmArgs& args) = nullptr;
    int (*kernel)(GpuBlas* blas, const KernelArgs& args) = nullptr;
    int (*add)(GpuStream* stream, const AddArgs& args) = nullptr;
    int (*mirror)(GpuStream* stream, const MirrorArgs& args) = nullptr;

    /// The products of a batch on a device, or on the calling thread's own where that is negative.
    /// With a stream of the maker's own they are put into it; without one they are done when this
    /// returns. Arrays of the batch that the device cannot reach are copied during the call.
    /// may_try: the first calls of a shape may be made by different kernels, until it is known
    /// which is fastest, so that their last bits may differ.
    int (*batch)(int device, std::optional<void*> stream, const Batch& batch,
                 bool may_try) = nullptr;
    /// The same in a stream of ours, and nothing is tried; host arrays may go when it returns.
    int (*batch_in)(GpuStream* stream, const Batch& batch) = nullptr;
    /// The same for products of many shapes, as the paper did it: as many tiles for each as the
    /// largest has, whose sizes must be told; what lies outside ends early.
    int (*batch_early_end)(int device, std::optional<void*> stream, const Batch& batch) = nullptr;
    /// Kernel number i of a type; false: there are not so many.
    bool (*batch_kernel)(Type type, int i, GpuBatchKernel* kernel) = nullptr;
    /// A batch of one shape by a kernel of this name, by one that is fitted to the shape first
    /// ("fitted:double3x3"), or by cuBLAS ("cublas", or for a strided batch "cublas:pointers"),
    /// whatever the table says.
    int (*batch_by)(int device, std::optional<void*> stream, const Batch& batch,
                    const char* kernel) = nullptr;
    /// Whether kernels are being fitted to shapes that calls have asked for.
    bool (*batch_is_fitting)() = nullptr;
    /// What that kernel would have to do, by so many multiprocessors; false: it has no such kernel,
    /// or the kernel cannot make the batch.
    bool (*batch_work)(const Batch& batch, const char* kernel, int processors,
                       BatchWork* work) = nullptr;
    /// Looks at all products; waits. The first bad one, or -1, and its BatchArgument.
    int (*check_batch)(int device, std::optional<void*> stream, const Batch& batch,
                       index_t* product, int* argument) = nullptr;

    /// From now on the calling thread disturbs no graph that another one captures.
    void (*ignore_captures)() = nullptr;

    /// A named range in the maker's profiler, around what the calling thread does.
    void (*begin_range)(const char* name) = nullptr;
    void (*end_range)() = nullptr;
};

/// The one symbol of a part.
using GpuDriverSymbol = const GpuDriver* (*)();
inline constexpr const char* gpu_driver_symbol = "gemmill_gpu_driver";

}  // namespace gemmill
