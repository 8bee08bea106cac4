// SPDX-License-Identifier: Apache-2.0
#include "mpi/together.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <array>
#include <utility>
#include <vector>

#include "gemmill/error.hpp"
#include "mpi/transport.hpp"

namespace gemmill {
namespace {

/// Waits for something that all ranks of a communicator begin.
void wait_for_all(MPI_Request& request, double timeout) {
    const double begin = MPI_Wtime();
    for (int done = 0; done == 0;) {
        require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        require(
            done != 0 || timeout <= 0 || MPI_Wtime() - begin < timeout, Code::failed_step, "",
            fmt::format("not all ranks of the communicator made a call within {:.3g} s", timeout));
        if (done == 0) sched_yield();
    }
}

/// What each rank has, of every rank.
template <class T>
std::vector<T> gathered(MPI_Comm comm, const T& mine, int size, double timeout) {
    // Kept for MPI to write into when nobody waits any more.
    auto* all = new std::vector<T>(static_cast<std::size_t>(size) + 1);
    all->back() = mine;
    constexpr auto bytes = static_cast<int>(sizeof(T));
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(
        MPI_Iallgather(&all->back(), bytes, MPI_BYTE, all->data(), bytes, MPI_BYTE, comm, &request),
        "MPI_Iallgather");
    wait_for_all(request, timeout);
    all->pop_back();
    const std::vector<T> result = std::move(*all);
    delete all;
    return result;
}

}  // namespace

MPI_Comm duplicate(MPI_Comm comm, double timeout) {
    // Kept for MPI to write into when nobody waits any more.
    auto* own = new MPI_Comm(MPI_COMM_NULL);
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Comm_idup(comm, own, &request), "MPI_Comm_idup");
    wait_for_all(request, timeout);
    const MPI_Comm result = *own;
    delete own;
    return result;
}

std::int64_t least_of_all(MPI_Comm comm, std::int64_t mine, double timeout) {
    // Kept for MPI to write into when nobody waits any more.
    auto* numbers = new std::array<std::int64_t, 2>{mine, 0};
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(
        MPI_Iallreduce(&(*numbers)[0], &(*numbers)[1], 1, MPI_INT64_T, MPI_MIN, comm, &request),
        "MPI_Iallreduce");
    wait_for_all(request, timeout);
    const std::int64_t result = (*numbers)[1];
    delete numbers;
    return result;
}

std::vector<GpuSharedBlock> all_of(MPI_Comm comm, const GpuSharedBlock& mine, int size,
                                   double timeout) {
    return gathered(comm, mine, size, timeout);
}

std::shared_ptr<SegmentMemory> memory_of_node(MPI_Comm comm, int rank, int size, double timeout) {
    std::shared_ptr<SegmentMemory> memory;
    SegmentMemory::Card mine;
    try {
        memory = std::make_shared<SegmentMemory>(rank, size);
        mine = memory->card();
    } catch (const Error&) {  // messages do as well
    }
    const std::vector<SegmentMemory::Card> cards = gathered(comm, mine, size, timeout);
    try {
        if (memory) memory->meet(cards);
    } catch (const Error&) {
        memory = nullptr;
    }
    return least_of_all(comm, memory ? 1 : 0, timeout) == 1 ? memory : nullptr;
}

}  // namespace gemmill
