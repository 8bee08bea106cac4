// SPDX-License-Identifier: Apache-2.0
// The table of functions that libgemmill finds in this shared object.
#include <nvtx3/nvToolsExt.h>

#include <cstring>
#include <new>

#include "backend/cuda/batch/batch_fits.hpp"
#include "backend/cuda/cuda.hpp"
#include "backend/cuda/tile/local_copy.hpp"
#include "backend/cuda/tile/mirror.hpp"
#include "backend/cuda/tile/triangle.hpp"
#include "gemmill/version.hpp"

namespace gemmill {
namespace {

const char* words(int code) {
    if (code >= cublas_codes)
        return cublasGetStatusString(static_cast<cublasStatus_t>(code - cublas_codes));
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

GpuFault fault(int code) {
    if (code == cublas_codes + CUBLAS_STATUS_ALLOC_FAILED || code == cudaErrorMemoryAllocation)
        return GpuFault::memory;
    // Errors of the device stay with the process; the driver then gives the same one to every call.
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
        case cudaErrorAssert:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorDevicesUnavailable:
        case cudaErrorContextIsDestroyed:
        case cudaErrorSystemNotReady:
        case cudaErrorUnknown:
            return GpuFault::lost;
        default:
            return GpuFault::call;
    }
}

/// The last error of the runtime is the user's: a call of ours that failed must not leave one.
int checked(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return code_of(error);
}

int count(int* devices) { return checked(cudaGetDeviceCount(devices)); }

int free_memory(int device, std::size_t* bytes) {
    const OnDevice on(device);
    std::size_t total = 0;
    return checked(cudaMemGetInfo(bytes, &total));
}

int locate(const void* pointer, GpuPlace* place, int* device) {
    cudaPointerAttributes attributes{};
    if (const auto error = cudaPointerGetAttributes(&attributes, pointer)) return checked(error);
    *place = attributes.type == cudaMemoryTypeDevice    ? GpuPlace::device
             : attributes.type == cudaMemoryTypeHost    ? GpuPlace::pinned
             : attributes.type == cudaMemoryTypeManaged ? GpuPlace::managed
                                                        : GpuPlace::pageable;
    if (*place == GpuPlace::device) *device = attributes.device;
    return 0;
}

int allocate(int device, std::size_t bytes, void** pointer) {
    const OnDevice on(device);
    return checked(cudaMalloc(pointer, bytes));
}

int release(int device, void* pointer) {
    const OnDevice on(device);
    return checked(cudaFree(pointer));
}

int identity_of(int device, std::array<std::byte, 16>& gpu) {
    cudaDeviceProp properties{};
    if (const auto error = cudaGetDeviceProperties(&properties, device)) return checked(error);
    static_assert(sizeof properties.uuid == sizeof gpu);
    std::memcpy(gpu.data(), &properties.uuid, sizeof gpu);
    return 0;
}

int share(int device, void* pointer, GpuSharedBlock* block) {
    const OnDevice on(device);
    cudaIpcMemHandle_t handle{};
    if (const auto error = cudaIpcGetMemHandle(&handle, pointer)) return checked(error);
    static_assert(sizeof handle == sizeof block->block);
    std::memcpy(block->block.data(), &handle, sizeof handle);
    return identity_of(device, block->gpu);
}

int open_shared(int device, const GpuSharedBlock& block, void** pointer) {
    const OnDevice on(device);
    std::array<std::byte, 16> here{};
    if (const int fault = identity_of(device, here)) return fault;
    if (here != block.gpu) return code_of(cudaErrorInvalidDevice);
    cudaIpcMemHandle_t handle{};
    std::memcpy(&handle, block.block.data(), sizeof handle);
    return checked(cudaIpcOpenMemHandle(pointer, handle, cudaIpcMemLazyEnablePeerAccess));
}

int close_shared(int device, void* pointer) {
    const OnDevice on(device);
    return checked(cudaIpcCloseMemHandle(pointer));
}

int pin(void* pointer, std::size_t bytes) {
    return checked(cudaHostRegister(pointer, bytes, cudaHostRegisterPortable));
}

int unpin(void* pointer) { return checked(cudaHostUnregister(pointer)); }

/// CUDA itself does not wait for copies within a GPU, and our streams not for its own.
int copy_now(void* to, const void* from, std::size_t bytes) {
    if (const auto error = cudaMemcpy(to, from, bytes, cudaMemcpyDefault)) return checked(error);
    return checked(cudaStreamSynchronize(cudaStreamLegacy));
}

template <class T>
int own(T&& made, int fault, T** out) {
    if (fault == 0) *out = new (std::nothrow) T(made);
    return fault != 0 || *out != nullptr ? fault : code_of(cudaErrorMemoryAllocation);
}

int open_stream(int device, bool urgent, GpuStream** stream) {
    const OnDevice on(device);
    GpuStream made{device, nullptr};
    int least = 0, most = 0;
    if (const auto error = cudaDeviceGetStreamPriorityRange(&least, &most)) return checked(error);
    const int fault = checked(
        cudaStreamCreateWithPriority(&made.stream, cudaStreamNonBlocking, urgent ? most : least));
    return own(std::move(made), fault, stream);
}

void close_stream(GpuStream* stream) {
    cudaStreamDestroy(stream->stream);
    delete stream;
}

int open_event(int device, GpuEventKind kind, GpuEvent** event) {
    const OnDevice on(device);
    GpuEvent made{device, nullptr};
    unsigned flags = kind == GpuEventKind::timed ? cudaEventDefault : cudaEventDisableTiming;
    if (kind == GpuEventKind::sleeping) flags |= cudaEventBlockingSync;
    const int fault = checked(cudaEventCreateWithFlags(&made.event, flags));
    return own(std::move(made), fault, event);
}

void close_event(GpuEvent* event) {
    cudaEventDestroy(event->event);
    delete event;
}

int prepare(GpuBlas& blas) {
    if (const auto error = cudaMalloc(&blas.workspace, blas.room.workspace)) return checked(error);
    if (const auto status = cublasCreate(&blas.handle)) return code_of(status);
    if (const auto status = cublasSetStream(blas.handle, blas.stream->stream))
        return code_of(status);
    return code_of(cublasSetWorkspace(blas.handle, blas.workspace, blas.room.workspace));
}

void close_blas(GpuBlas* blas) {
    const OnDevice on(blas->stream->device);
    if (blas->handle != nullptr) cublasDestroy(blas->handle);
    for (void* memory : {blas->workspace, blas->scratch})
        if (memory != nullptr) cudaFree(memory);
    delete blas;
}

int open_blas(GpuStream* stream, const GpuRoom& room, GpuBlas** blas) {
    const OnDevice on(stream->device);
    if (const int fault = own(GpuBlas{stream, room}, 0, blas)) return fault;
    const int fault = prepare(**blas);
    if (fault == 0) return 0;
    close_blas(*blas);
    *blas = nullptr;
    return fault;
}

int record(GpuEvent* event, GpuStream* stream) {
    return checked(cudaEventRecord(event->event, stream->stream));
}

int wait(GpuStream* stream, GpuEvent* event) {
    return checked(cudaStreamWaitEvent(stream->stream, event->event, cudaEventWaitDefault));
}

int synchronize(GpuEvent* event) { return checked(cudaEventSynchronize(event->event)); }

int query(GpuEvent* event, bool* done) {
    const cudaError_t error = cudaEventQuery(event->event);
    *done = error == cudaSuccess;
    return error == cudaErrorNotReady ? 0 : checked(error);
}

int elapsed(GpuEvent* from, GpuEvent* to, double* seconds) {
    float milliseconds = 0;
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, from->event, to->event);
    *seconds = 1e-3 * milliseconds;
    return checked(error);
}

/// Whether both ends are memory of the stream's own device.
bool is_local(const GpuStream& stream, const CopyArgs& a) {
    for (const void* pointer : {a.from, static_cast<const void*>(a.to)}) {
        GpuPlace place{};
        int device = -1;
        if (locate(pointer, &place, &device) != 0 || place != GpuPlace::device ||
            device != stream.device)
            return false;
    }
    return true;
}

int clear(GpuStream* stream, const BorderArgs& a) {
    const OnDevice on(stream->device);
    const auto size = [&](index_t elements) {
        return static_cast<std::size_t>(elements * a.bytes);
    };
    auto* const to = static_cast<std::byte*>(a.to);
    cudaError_t error = cudaSuccess;
    if (a.below > 0)
        error = cudaMemset2DAsync(to + size(a.rows), size(a.ld), 0, size(a.below),
                                  static_cast<std::size_t>(a.cols), stream->stream);
    if (error == cudaSuccess && a.beside > 0)
        error = cudaMemset2DAsync(to + size(a.cols * a.ld), size(a.ld), 0, size(a.rows + a.below),
                                  static_cast<std::size_t>(a.beside), stream->stream);
    return checked(error);
}

/// By the copy engines.
cudaError_t copy_block(cudaStream_t stream, const CopyArgs& a) {
    const auto size = [&](index_t elements) {
        return static_cast<std::size_t>(elements * a.bytes);
    };
    if (a.from_ld == a.rows && a.to_ld == a.rows)
        return cudaMemcpyAsync(a.to, a.from, size(a.rows * a.cols), cudaMemcpyDefault, stream);
    return cudaMemcpy2DAsync(a.to, size(a.to_ld), a.from, size(a.from_ld), size(a.rows),
                             static_cast<std::size_t>(a.cols), cudaMemcpyDefault, stream);
}

int copy(GpuStream* stream, const CopyArgs& a, const BorderArgs& border) {
    const OnDevice on(stream->device);
    const bool whole = a.triangle == Triangle::none;
    if (whole && is_local(*stream, a)) return checked(local_copy(stream->stream, a, border));
    if (const int fault = clear(stream, border)) return fault;
    return checked(whole ? copy_block(stream->stream, a) : copy_triangle(*stream, a));
}

int batch_in(GpuStream* stream, const Batch& batch) {
    return cuda_batch(stream->device, stream->stream, batch, false);
}

int add(GpuStream* stream, const AddArgs& a) {
    const OnDevice on(stream->device);
    return checked(
        combine(stream->stream, {a.type, a.m, a.n, {1, 0}, a.beta, a.x, a.ldx, a.c, a.ldc}));
}

int mirror_in(GpuStream* stream, const MirrorArgs& a) {
    const OnDevice on(stream->device);
    return checked(mirror(stream->stream, a));
}

void begin_range(const char* name) { nvtxRangePushA(name); }
void end_range() { nvtxRangePop(); }

constexpr GpuDriver driver{
    .version = GEMMILL_VERSION,
    .name = "cuda",
    .words = words,
    .fault = fault,
    .count = count,
    .probe = cuda_probe,
    .free_memory = free_memory,
    .locate = locate,
    .allocate = allocate,
    .release = release,
    .share = share,
    .open_shared = open_shared,
    .close_shared = close_shared,
    .pin = pin,
    .unpin = unpin,
    .copy_now = copy_now,
    .open_stream = open_stream,
    .close_stream = close_stream,
    .open_event = open_event,
    .close_event = close_event,
    .open_blas = open_blas,
    .close_blas = close_blas,
    .record = record,
    .wait = wait,
    .synchronize = synchronize,
    .query = query,
    .elapsed = elapsed,
    .copy = copy,
    .clear = clear,
    .gemm = cuda_gemm,
    .kernel = cuda_kernel,
    .add = add,
    .mirror = mirror_in,
    .batch = cuda_batch,
    .batch_in = batch_in,
    .batch_early_end = cuda_batch_early_end,
    .batch_kernel = cuda_batch_kernel,
    .batch_by = cuda_batch_by,
    .batch_is_fitting = is_fitting,
    .batch_work = cuda_batch_work,
    .check_batch = cuda_check_batch,
    .ignore_captures = ignore_captures,
    .begin_range = begin_range,
    .end_range = end_range,
};

}  // namespace
}  // namespace gemmill

extern "C" __attribute__((visibility("default"))) const gemmill::GpuDriver* gemmill_gpu_driver() {
    return &gemmill::driver;
}
