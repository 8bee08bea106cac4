// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/tile/numbers.cuh"
#include "backend/cuda/tile/solve.hpp"
#include "base/routine.hpp"

namespace gemmill {
namespace {

constexpr int warp = 32;  // lanes: each has one unknown of each group of 32
constexpr int warps = 4;  // of a block, which share what they read of A
constexpr unsigned all = 0xffffffffU;

/// L X = alpha B with L lower triangular, whatever side, triangle and op the call has: element
/// (i, j) of L lies at a[i ai + j aj], unknown i of right-hand side q at b[i bi + q bq].
template <class T>
struct System {
    const T* a;
    index_t ai, aj;
    T* b;
    index_t bi, bq;
    int n;
    index_t count;  // right-hand sides
    bool conjugates, unit;
    T alpha;

    __device__ const T* element(int i, int j) const { return a + i * ai + j * aj; }
    __device__ T* unknown(int i, index_t q) const { return b + i * bi + q * bq; }
    __device__ T meant(T stored) const { return conjugates ? conjugate(stored) : stored; }
};

__device__ double quotient(double a, double b) { return a / b; }
__device__ cuDoubleComplex quotient(cuDoubleComplex a, cuDoubleComplex b) { return cuCdiv(a, b); }

/// c - a b
__device__ double less(double c, double a, double b) { return fma(-a, b, c); }
__device__ cuDoubleComplex less(cuDoubleComplex c, cuDoubleComplex a, cuDoubleComplex b) {
    return {fma(a.y, b.y, fma(-a.x, b.x, c.x)), fma(-a.y, b.x, fma(-a.x, b.y, c.y))};
}

__device__ double size_of(double x) { return fabs(x); }
__device__ double size_of(cuDoubleComplex x) { return fmax(fabs(x.x), fabs(x.y)); }

__device__ double from_lane(double x, int lane) { return __shfl_sync(all, x, lane); }
__device__ cuDoubleComplex from_lane(cuDoubleComplex x, int lane) {
    return {from_lane(x.x, lane), from_lane(x.y, lane)};
}

/// Whether rows may be multiplied by the reciprocal: it has all digits, and no element of a row
/// that is not near overflow itself overflows with it.
__device__ bool is_tame(double size) { return size > 0x1p-200 && size < 0x1p500; }

/// What a warp works on: some right-hand sides, in registers; a lane has one unknown of each group.
template <class T, int groups, int sides>
struct Lines {
    T x[groups][sides];
    index_t first;  // right-hand side
    int lane;

    /// Loads do not wait for each other: what is not there is read elsewhere, and not used.
    __device__ void read(const System<T>& system) {
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
            for (int q = 0; q < sides; ++q)
                x[g][q] = *(is_there(system, g, q) ? place(system, g, q) : system.b);
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
            for (int q = 0; q < sides; ++q) {
                const T value = scaled(system.alpha, x[g][q]);
                x[g][q] = is_there(system, g, q) ? value : T{};
            }
    }
    __device__ void write(const System<T>& system) const {
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
            for (int q = 0; q < sides; ++q)
                if (is_there(system, g, q)) *place(system, g, q) = x[g][q];
    }
    __device__ bool is_there(const System<T>& system, int g, int q) const {
        return g * warp + lane < system.n && first + q < system.count;
    }
    __device__ T* place(const System<T>& system, int g, int q) const {
        return system.unknown(g * warp + lane, first + q);
    }

    /// One unknown after the other is taken out of those below. Rows are divided by their diagonal
    /// before, so that nothing but a product stands between one unknown and the next.
    __device__ void substitute(const T (*panel)[groups * warp + 1], int group, T inverse) {
#pragma unroll
        for (int q = 0; q < sides; ++q) x[group][q] = times(x[group][q], inverse);
#pragma unroll 4
        for (int j = 0; j < warp; ++j) {
            const T l = times(panel[j][group * warp + lane], inverse);
            T solved[sides];
#pragma unroll
            for (int q = 0; q < sides; ++q) solved[q] = from_lane(x[group][q], j);
            if (lane <= j) continue;
#pragma unroll
            for (int q = 0; q < sides; ++q) x[group][q] = less(x[group][q], l, solved[q]);
        }
    }

    /// The same with divisions, for a diagonal whose reciprocals would overflow.
    __device__ void divide(const T (*panel)[groups * warp + 1], int group, T diagonal) {
        for (int j = 0; j < warp; ++j) {
            const T l = panel[j][group * warp + lane];
#pragma unroll
            for (int q = 0; q < sides; ++q) {
                if (lane == j) x[group][q] = quotient(x[group][q], diagonal);
                const T solved = from_lane(x[group][q], j);
                if (lane > j) x[group][q] = less(x[group][q], l, solved);
            }
        }
    }

    __device__ void solve(const System<T>& system, const T (*panel)[groups * warp + 1], int group) {
        const int own = group * warp + lane;
        const T diagonal =
            system.unit || own >= system.n ? one<T>() : system.meant(*system.element(own, own));
        if (__all_sync(all, is_tame(size_of(diagonal))))
            substitute(panel, group, quotient(one<T>(), diagonal));
        else
            divide(panel, group, diagonal);
    }

    /// Takes a group that is solved out of those below.
    __device__ void take_out(const T (*panel)[groups * warp + 1], int group, T (*solved)[sides]) {
        __syncwarp();
#pragma unroll
        for (int q = 0; q < sides; ++q) solved[lane][q] = x[group][q];
        __syncwarp();
        for (int j = 0; j < warp; ++j) {
            T there[sides];
#pragma unroll
            for (int q = 0; q < sides; ++q) there[q] = solved[j][q];
#pragma unroll
            for (int g = group + 1; g < groups; ++g) {
                const T l = panel[j][g * warp + lane];
#pragma unroll
                for (int q = 0; q < sides; ++q) x[g][q] = less(x[g][q], l, there[q]);
            }
        }
    }
};

/// The columns of a group below the diagonal; lanes along whichever side of L lies together in
/// memory. Many loads are under way at a time, for each takes long.
template <class T, int rows>
__device__ void read_panel(const System<T>& system, int group, T (*panel)[rows + 1]) {
    constexpr int together = 16;
    const bool by_rows = system.ai == 1 || system.ai == -1;
    const int first = group * warp, height = rows - first;
    const int thread = static_cast<int>(threadIdx.y) * warp + static_cast<int>(threadIdx.x);
    for (int begin = thread; begin < warp * height; begin += together * warp * warps) {
        T some[together];
#pragma unroll
        for (int u = 0; u < together; ++u) {
            const int at = begin + u * warp * warps;
            const int i = first + (by_rows ? at % height : at / warp);
            const int column = first + (by_rows ? at / height : at % warp);
            const bool there = at < warp * height && i > column && i < system.n;
            some[u] = *(there ? system.element(i, column) : system.a);
        }
#pragma unroll
        for (int u = 0; u < together; ++u) {
            const int at = begin + u * warp * warps;
            const int i = first + (by_rows ? at % height : at / warp);
            const int j = by_rows ? at / height : at % warp;
            const T value = system.meant(some[u]);
            if (at < warp * height) panel[j][i] = i > first + j && i < system.n ? value : T{};
        }
    }
}

template <class T, int groups, int sides>
__global__ void __launch_bounds__(warp* warps) solve_kernel(const System<T> system) {
    constexpr int rows = groups * warp;
    __shared__ T panel[warp][rows + 1];
    __shared__ T solved[warps][warp][sides];
    Lines<T, groups, sides> lines;
    lines.lane = static_cast<int>(threadIdx.x);
    lines.first = (static_cast<index_t>(blockIdx.x) * warps + threadIdx.y) * sides;
    lines.read(system);
#pragma unroll
    for (int group = 0; group < groups; ++group) {
        if (group * warp >= system.n) continue;
        __syncthreads();
        read_panel<T, rows>(system, group, panel);
        __syncthreads();
        lines.solve(system, panel, group);
        if (group + 1 < groups) lines.take_out(panel, group, solved[threadIdx.y]);
    }
    lines.write(system);
}

/// A call as a system whose matrix is lower triangular: the last unknown first where it is upper.
template <class T>
System<T> system_of(const KernelArgs& g) {
    const bool left = g.side == Side::Left;
    const bool stands = (g.op_a == Op::NoTrans) == left;  // A as it is stored
    System<T> s{};
    s.a = static_cast<const T*>(g.a), s.ai = stands ? 1 : g.lda, s.aj = stands ? g.lda : 1;
    s.b = static_cast<T*>(g.c), s.bi = left ? 1 : g.ldc, s.bq = left ? g.ldc : 1;
    s.n = static_cast<int>(left ? g.m : g.n), s.count = left ? g.n : g.m;
    s.conjugates = g.op_a == Op::ConjTrans, s.unit = g.diag == Diag::Unit;
    s.alpha = value_of<T>(g.alpha);
    if (goes_forward(g.side, g.uplo, g.op_a)) return s;
    s.a += (s.n - 1) * (s.ai + s.aj), s.ai = -s.ai, s.aj = -s.aj;
    s.b += (s.n - 1) * s.bi, s.bi = -s.bi;
    return s;
}

template <class T, int groups, int sides>
cudaError_t solve(cudaStream_t stream, const KernelArgs& g) {
    const System<T> system = system_of<T>(g);
    if (system.n == 0 || system.count == 0) return cudaSuccess;
    constexpr index_t together = warps * sides;
    const auto blocks = static_cast<unsigned>((system.count + together - 1) / together);
    solve_kernel<T, groups, sides><<<blocks, dim3(warp, warps), 0, stream>>>(system);
    return cudaGetLastError();
}

}  // namespace

cudaError_t small_trsm(cudaStream_t stream, const KernelArgs& g) {
    if (g.type == Type::z)
        return solve<cuDoubleComplex, most_unknowns(Type::z) / warp, 4>(stream, g);
    return solve<double, most_unknowns(Type::d) / warp, 8>(stream, g);
}

}  // namespace gemmill
