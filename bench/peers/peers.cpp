// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <new>
#include <vector>

#include "gemmill/version.hpp"
#include "peers/level3.hpp"

namespace gemmill {

struct PeerState {
    int device = 0;
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    /// By block size: another size may make a handle give up its buffers, which must not be timed.
    std::map<int, cublasXtHandle_t> xt;
    struct Buffer {
        void* data = nullptr;
        std::size_t bytes = 0;
    };
    std::array<Buffer, 3> buffers;  // of A, B and C, for copy_all
    /// Of grouped: groups of one, what all products share is repeated.
    struct Groups {
        Batch batch;
        std::vector<cublasOperation_t> op_a, op_b;
        std::vector<std::int64_t> m, n, k, lda, ldb, ldc, sizes;
        std::vector<double> alpha, beta;  // floats begin where these do
    } groups;
};

namespace {

/// Codes of cuBLAS lie behind those of CUDA.
constexpr int cublas_codes = 100000;

int code_of(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return static_cast<int>(error);
}
int code_of(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? 0 : cublas_codes + static_cast<int>(status);
}

const char* words(int code) {
    if (code >= cublas_codes)
        return cublasGetStatusString(static_cast<cublasStatus_t>(code - cublas_codes));
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

// --- handles ------------------------------------------------------------------------------------

int prepare(PeerState& s) {
    if (const int fault = code_of(cudaSetDevice(s.device))) return fault;
    if (const int fault = code_of(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking)))
        return fault;
    if (const int fault = code_of(cublasCreate(&s.blas))) return fault;
    return code_of(cublasSetStream(s.blas, s.stream));
}

void close(PeerState* s) {
    cudaSetDevice(s->device);
    for (const auto& [block, handle] : s->xt) cublasXtDestroy(handle);
    for (const PeerState::Buffer& buffer : s->buffers) cudaFree(buffer.data);
    if (s->blas != nullptr) cublasDestroy(s->blas);
    if (s->stream != nullptr) cudaStreamDestroy(s->stream);
    delete s;
}

int open(int device, PeerState** state) {
    auto* made = new (std::nothrow) PeerState;
    if (made == nullptr) return code_of(cudaErrorMemoryAllocation);
    made->device = device;
    const int fault = prepare(*made);
    if (fault == 0)
        *state = made;
    else
        close(made);
    return fault;
}

int gpu_name(PeerState* s, char* text, std::size_t size) {
    cudaDeviceProp properties{};
    if (const int fault = code_of(cudaGetDeviceProperties(&properties, s->device))) return fault;
    std::strncpy(text, properties.name, size - 1);
    text[size - 1] = '\0';
    return 0;
}

int make_xt(PeerState& s, cublasXtHandle_t* handle) {
    if (const int fault = code_of(cublasXtCreate(handle))) return fault;
    return code_of(cublasXtDeviceSelect(*handle, 1, &s.device));
}

int default_block(PeerState* s, int* block) {
    cudaSetDevice(s->device);
    cublasXtHandle_t handle = nullptr;
    int fault = make_xt(*s, &handle);
    if (fault == 0) fault = code_of(cublasXtGetBlockDim(handle, block));
    if (handle != nullptr) cublasXtDestroy(handle);
    return fault;
}

int xt_handle(PeerState& s, int block, cublasXtHandle_t* handle) {
    cublasXtHandle_t& kept = s.xt[block];
    if (kept == nullptr) {
        if (const int fault = make_xt(s, &kept)) return fault;
        if (const int fault = code_of(cublasXtSetBlockDim(kept, block))) return fault;
    }
    *handle = kept;
    return 0;
}

// --- products -----------------------------------------------------------------------------------

/// Of any routine, with GemmArgs or Level3Args.
template <class Args>
int xt(PeerState* s, const Args& g, int block, bool pins) {
    cudaSetDevice(s->device);
    cublasXtHandle_t handle = nullptr;
    if (const int fault = xt_handle(*s, block, &handle)) return fault;
    const auto mode = pins ? CUBLASXT_PINNING_ENABLED : CUBLASXT_PINNING_DISABLED;
    if (const int fault = code_of(cublasXtSetPinningMemMode(handle, mode))) return fault;
    return code_of(peer_call(handle, g));  // cuBLASXt waits for its result
}

template <class Args>
int in_core(PeerState* s, const Args& g) {
    cudaSetDevice(s->device);
    if (const int fault = code_of(peer_call(s->blas, g))) return fault;
    return code_of(cudaStreamSynchronize(s->stream));
}

// --- copies -------------------------------------------------------------------------------------

int start_copy(PeerState& s, void* to, const void* from, std::size_t bytes) {
    return code_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s.stream));
}

int copy(PeerState* s, void* to, const void* from, std::size_t bytes) {
    cudaSetDevice(s->device);
    if (const int fault = start_copy(*s, to, from, bytes)) return fault;
    return code_of(cudaStreamSynchronize(s->stream));
}

bool on_device(const void* pointer) {
    cudaPointerAttributes attributes{};
    return code_of(cudaPointerGetAttributes(&attributes, pointer)) == 0 &&
           attributes.type == cudaMemoryTypeDevice;
}

int grow(PeerState::Buffer& buffer, std::size_t bytes) {
    if (buffer.bytes >= bytes) return 0;
    cudaFree(buffer.data);
    buffer = {};
    if (const int fault = code_of(cudaMalloc(&buffer.data, bytes))) return fault;
    buffer.bytes = bytes;
    return 0;
}

/// Where the GPU finds an operand, which is on its way there from now on.
int bring(PeerState& s, std::size_t operand, const void* from, std::size_t bytes, void** there) {
    *there = const_cast<void*>(from);
    if (on_device(from)) return 0;
    if (const int fault = grow(s.buffers[operand], bytes)) return fault;
    *there = s.buffers[operand].data;
    return start_copy(s, *there, from, bytes);
}

std::size_t stored_bytes(Type type, index_t ld, index_t cols) {
    return static_cast<std::size_t>(ld * cols * bytes_of(type));
}

int copy_all(PeerState* s, const GemmArgs& g) {
    cudaSetDevice(s->device);
    const index_t cols_a = g.op_a == Op::NoTrans ? g.k : g.m;
    const index_t cols_b = g.op_b == Op::NoTrans ? g.n : g.k;
    const std::size_t bytes_c = stored_bytes(g.type, g.ldc, g.n);
    void *a = nullptr, *b = nullptr;
    GemmArgs there = g;
    if (const int fault = bring(*s, 0, g.a, stored_bytes(g.type, g.lda, cols_a), &a)) return fault;
    if (const int fault = bring(*s, 1, g.b, stored_bytes(g.type, g.ldb, cols_b), &b)) return fault;
    if (const int fault = bring(*s, 2, g.c, bytes_c, &there.c)) return fault;
    there.a = a;
    there.b = b;
    if (const int fault = code_of(peer_call(s->blas, there))) return fault;
    if (there.c != g.c)
        if (const int fault = start_copy(*s, g.c, there.c, bytes_c)) return fault;
    return code_of(cudaStreamSynchronize(s->stream));
}

// --- batches ------------------------------------------------------------------------------------

void* stream_of(PeerState* s) { return s->stream; }

int synchronize(PeerState* s) { return code_of(cudaStreamSynchronize(s->stream)); }

template <class T>
T* matrix(const BatchMatrix& x) {
    return static_cast<T*>(const_cast<void*>(x.data));
}
template <class T>
T* const* matrices(const BatchMatrix& x) {
    return reinterpret_cast<T* const*>(const_cast<void* const*>(x.array));
}

/// cublasDgemmStridedBatched_64, cublasDgemmBatched_64 and their like.
template <class T, class Strided, class Pointers>
int typed_batch(Strided strided, Pointers pointers, cublasHandle_t handle, const Batch& x) {
    const T alpha = value<T>(x.alpha.all), beta = value<T>(x.beta.all);
    const auto op_a = operation(x.op_a.all), op_b = operation(x.op_b.all);
    if (x.c.array == nullptr)
        return code_of(strided(handle, op_a, op_b, x.m.all, x.n.all, x.k.all, &alpha,
                               matrix<T>(x.a), x.a.ld.all, x.a.stride, matrix<T>(x.b), x.b.ld.all,
                               x.b.stride, &beta, matrix<T>(x.c), x.c.ld.all, x.c.stride, x.count));
    return code_of(pointers(handle, op_a, op_b, x.m.all, x.n.all, x.k.all, &alpha, matrices<T>(x.a),
                            x.a.ld.all, matrices<T>(x.b), x.b.ld.all, &beta, matrices<T>(x.c),
                            x.c.ld.all, x.count));
}

/// Of 16-bit types, with sums in single precision.
int short_batch(cudaDataType_t type, cublasHandle_t handle, const Batch& x) {
    const auto alpha = value<float>(x.alpha.all), beta = value<float>(x.beta.all);
    const auto op_a = operation(x.op_a.all), op_b = operation(x.op_b.all);
    if (x.c.array == nullptr)
        return code_of(cublasGemmStridedBatchedEx_64(
            handle, op_a, op_b, x.m.all, x.n.all, x.k.all, &alpha, x.a.data, type, x.a.ld.all,
            x.a.stride, x.b.data, type, x.b.ld.all, x.b.stride, &beta, matrix<void>(x.c), type,
            x.c.ld.all, x.c.stride, x.count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    return code_of(cublasGemmBatchedEx_64(handle, op_a, op_b, x.m.all, x.n.all, x.k.all, &alpha,
                                          x.a.array, type, x.a.ld.all, x.b.array, type, x.b.ld.all,
                                          &beta, matrices<void>(x.c), type, x.c.ld.all, x.count,
                                          CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

int batched(PeerState* s, const Batch& x) {
    switch (x.type) {
        case Type::h:
            return short_batch(CUDA_R_16F, s->blas, x);
        case Type::b:
            return short_batch(CUDA_R_16BF, s->blas, x);
        case Type::s:
            return typed_batch<float>(cublasSgemmStridedBatched_64, cublasSgemmBatched_64, s->blas,
                                      x);
        case Type::d:
            return typed_batch<double>(cublasDgemmStridedBatched_64, cublasDgemmBatched_64, s->blas,
                                       x);
        case Type::c:
            return typed_batch<cuComplex>(cublasCgemmStridedBatched_64, cublasCgemmBatched_64,
                                          s->blas, x);
        case Type::z:
            return typed_batch<cuDoubleComplex>(cublasZgemmStridedBatched_64, cublasZgemmBatched_64,
                                                s->blas, x);
    }
    return code_of(CUBLAS_STATUS_NOT_SUPPORTED);
}

int set_groups(PeerState* s, const Batch& x) {
    PeerState::Groups g;
    g.batch = x;
    const auto count = static_cast<std::size_t>(x.count);
    for (index_t i = 0; i < x.count; ++i) {
        g.op_a.push_back(operation(x.op_a[i])), g.op_b.push_back(operation(x.op_b[i]));
        g.m.push_back(x.m[i]), g.n.push_back(x.n[i]), g.k.push_back(x.k[i]);
        g.lda.push_back(x.a.ld[i]), g.ldb.push_back(x.b.ld[i]), g.ldc.push_back(x.c.ld[i]);
    }
    g.sizes.assign(count, 1);
    g.alpha.assign(count, x.alpha.all.re);
    g.beta.assign(count, x.beta.all.re);
    if (x.type == Type::s)
        for (auto* of : {&g.alpha, &g.beta})
            std::fill_n(reinterpret_cast<float*>(of->data()), count,
                        static_cast<float>(of->front()));
    s->groups = std::move(g);
    return 0;
}

template <class T, class F>
int typed_groups(F call, cublasHandle_t handle, const PeerState::Groups& g) {
    const Batch& x = g.batch;
    return code_of(call(handle, g.op_a.data(), g.op_b.data(), g.m.data(), g.n.data(), g.k.data(),
                        reinterpret_cast<const T*>(g.alpha.data()), matrices<T>(x.a), g.lda.data(),
                        matrices<T>(x.b), g.ldb.data(), reinterpret_cast<const T*>(g.beta.data()),
                        matrices<T>(x.c), g.ldc.data(), x.count, g.sizes.data()));
}

int grouped(PeerState* s) {
    const PeerState::Groups& g = s->groups;
    if (g.batch.type == Type::s)
        return typed_groups<float>(cublasSgemmGroupedBatched_64, s->blas, g);
    if (g.batch.type == Type::d)
        return typed_groups<double>(cublasDgemmGroupedBatched_64, s->blas, g);
    return code_of(CUBLAS_STATUS_NOT_SUPPORTED);
}

int one_by_one(PeerState* s, const Batch& x) {
    for (index_t i = 0; i < x.count; ++i) {
        const GemmArgs g{x.type,
                         x.op_a[i],
                         x.op_b[i],
                         x.m[i],
                         x.n[i],
                         x.k[i],
                         x.alpha.all,
                         x.a.array[i],
                         x.a.ld[i],
                         x.b.array[i],
                         x.b.ld[i],
                         x.beta.all,
                         const_cast<void*>(x.c.array[i]),
                         x.c.ld[i]};
        if (const int fault = code_of(peer_call(s->blas, g))) return fault;
    }
    return 0;
}

constexpr Peers peers{
    .version = GEMMILL_VERSION,
    .words = words,
    .open = open,
    .close = close,
    .gpu_name = gpu_name,
    .copy = copy,
    .default_block = default_block,
    .xt = xt<GemmArgs>,
    .copy_all = copy_all,
    .in_core = in_core<GemmArgs>,
    .xt_level3 = xt<Level3Args>,
    .in_core_level3 = in_core<Level3Args>,
    .stream = stream_of,
    .synchronize = synchronize,
    .batched = batched,
    .set_groups = set_groups,
    .grouped = grouped,
    .one_by_one = one_by_one,
};

}  // namespace
}  // namespace gemmill

extern "C" __attribute__((visibility("default"))) const gemmill::Peers* gemmill_peers() {
    return &gemmill::peers;
}
