// SPDX-License-Identifier: Apache-2.0
#include "mpi/state.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "api/rank_kernels.hpp"
#include "base/environment.hpp"
#include "gemmill/error.hpp"
#include "mpi/gpu_aware.hpp"
#include "mpi/together.hpp"
#include "rank/message/patience.hpp"

namespace gemmill {
namespace {

using Held = std::shared_ptr<Ranks::State>;

/// MPI calls it when the user's communicator is freed.
int forget(MPI_Comm, int, void* value, void*) {
    auto* held = static_cast<Held*>(value);
    MPI_Comm own = (*held)->transport.communicator();
    delete held;
    return MPI_Comm_free(&own);
}

int attribute_key() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        require_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr),
                    "MPI_Comm_create_keyval");
        return made;
    }();
    return key;
}

int cores_of_process() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

NodePlace place_in_node(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    NodePlace place;
    require_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                "MPI_Comm_split_type");
    MPI_Comm_rank(node, &place.rank);
    MPI_Comm_size(node, &place.ranks);
    MPI_Comm_free(&node);
    return place;
}

/// The Context that ranks have without one of their own, and what it leaves them for sums.
struct SharedContext {
    Context context;
    std::int64_t room = 0;
    int host_threads = 0;  // of the host BLAS, at most; 0: as it is
};

int threads_of_rank(const NodePlace& place) {
    const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return std::min(std::max(1, online / place.ranks), cores_of_process());
}

SharedContext make_shared_context(const NodePlace& place, bool alone) {
    Context all;
    if (alone) return {std::move(all), 0};
    RankDevices mine = devices_of_rank(all.options(), all.machine(), place);
    // The other half of a rank's cores puts panels into place.
    if (mine.options.packers == 0) mine.options.packers = std::max(1, threads_of_rank(place) / 2);
    const bool shares = mine.options.devices != all.options().devices ||
                        mine.options.device_memory != all.options().device_memory;
    return {shares ? Context(mine.options) : std::move(all), mine.sums};
}

/// Made on first use, for all communicators.
SharedContext& shared_context(const NodePlace& place, bool alone) {
    static SharedContext shared = [&] {
        // OpenBLAS takes its number of threads when it is opened, and keeps it. One that the
        // program opened before has threads for all cores, on every rank, and is told in each call.
        const int threads = threads_of_rank(place);
        const ScopedVariable variable("OPENBLAS_NUM_THREADS", std::to_string(threads));
        SharedContext made = make_shared_context(place, alone);
        if (variable.is_ours()) made.host_threads = threads;
        return made;
    }();
    return shared;
}

/// Memory that the shared Context's devices copy at full speed, or any.
Arena fast_arena(Context& context, std::int64_t bytes) {
    try {
        return pinned_memory(context, bytes);
    } catch (const Error&) {
        return make_arena(bytes);
    }
}

/// Whether all ranks have a Context that is kept, on the same GPU, and see memory of one another
/// there: tried with a little of it.
bool share_one_device(Ranks::State& state, Context* context, double timeout) {
    const MPI_Comm comm = state.transport.communicator();
    GpuSharedBlock name;
    std::shared_ptr<std::byte[]> mine;
    std::int64_t works = 0;
    try {
        if (context != nullptr) mine = shared_device_memory(*context, 1, name), works = 1;
    } catch (const Error&) {  // memory of the host does as well
    }
    for (const GpuSharedBlock& x : all_of(comm, name, state.transport.size(), timeout)) try {
            if (works == 1 && x != name) open_device_memory(*context, x);
        } catch (const Error&) {
            works = 0;
        }
    // Nobody gives up what another one may still try to open.
    if (least_of_all(comm, works, timeout) == 0) return false;
    state.node->set_device(
        {[context](std::int64_t bytes, GpuSharedBlock& block) {
             return shared_device_memory(*context, bytes, block);
         },
         [context](const GpuSharedBlock& block) { return open_device_memory(*context, block); }});
    return true;
}

/// Throws what the Context throws when all ranks have heard that this one has none.
Context& context_of(Ranks::State& state, Context* own, double timeout) {
    std::exception_ptr failure;
    Context* context = own;
    std::int64_t room = 0;
    try {
        SharedContext* shared = nullptr;
        if (own == nullptr) shared = &shared_context(state.place, state.transport.size() == 1);
        if (shared != nullptr) context = &shared->context;
        room = shared != nullptr ? shared->room : room_for_sums(*own);
    } catch (const Error&) {
        failure = std::current_exception();
    }
    if (state.device_memory < 0) {
        state.device_memory = least_of_all(state.transport.communicator(), room, timeout);
        state.one_device = state.device_memory > 0 && state.node &&
                           share_one_device(state, own == nullptr ? context : nullptr, timeout);
    }
    if (failure) std::rethrow_exception(failure);
    return *context;
}

}  // namespace

std::shared_ptr<Ranks::State> state_of(MPI_Comm comm, double timeout) {
    Held* held = nullptr;
    int found = 0;
    require_mpi(MPI_Comm_get_attr(comm, attribute_key(), static_cast<void*>(&held), &found),
                "MPI_Comm_get_attr");
    if (found == 0) {
        held = new Held(std::make_shared<Ranks::State>(duplicate(comm, timeout), timeout));
        require_mpi(MPI_Comm_set_attr(comm, attribute_key(), held), "MPI_Comm_set_attr");
    }
    (*held)->transport.set_patience(timeout);
    (*held)->transport.require_whole();
    return *held;
}

Arena ArenaPool::take(std::int64_t bytes, const Allocate& make) {
    // Still in use by a call that gave up, or by another part of this one.
    if (kept_ && kept_.use_count() > 1) return make_arena(bytes);
    if (size_ < bytes) {
        kept_ = nullptr;
        kept_ = make(bytes);
        size_ = bytes;
    }
    return kept_;
}

Ranks::State::State(MPI_Comm own, double timeout) : transport(own), place(place_in_node(own)) {
    const int size = transport.size();
    if (size > 1 && place.ranks == size)
        node = memory_of_node(own, transport.rank(), size, timeout);
    transport.set_node(node);
}

OneCall::OneCall(Ranks::State& state) : state_(state) {
    require(!state.busy.test_and_set(), Code::bad_argument,
            "one call of a communicator at a time, or a communicator for each thread",
            "another thread's call of this communicator is under way");
}

DistSetup setup_of(const Ranks& ranks) {
    const RankOptions& options = ranks.options();
    DistSetup setup;
    setup.policy = {options.policy, options.row_block, options.col_block,
                    options.depth,  options.lookahead, options.memory};
    setup.rates = {options.flops_per_byte, 1};
    const Ranks::State& state = ranks.state();
    // Copies pass memory as fast as so many threads can.
    constexpr int most_threads = 8;
    Context& context = ranks.context();
    const bool shared = &context == state.shared;
    // What a lost rank may still read must stay, which a Context of the user's may not.
    const bool aware = is_gpu_aware(options.gpu_aware) && shared;
    const int of_blas =
        shared ? shared_context(state.place, state.transport.size() == 1).host_threads : 0;
    setup.kernels = rank_kernels(
        context, {state.device_memory, std::min(most_threads, threads_of_rank(state.place)), aware,
                  of_blas});
    // A rank by itself has nothing to do while a device computes.
    if (state.transport.size() == 1) setup.kernels.device = {};
    setup.full_check = options.check;
    setup.policy.one_node = state.place.ranks == state.transport.size();
    setup.policy.device_memory = state.device_memory;
    // An MPI that is given memory of GPUs takes it from one to the other.
    const bool by_gpus = state.device_memory > 0 && is_gpu_aware(options.gpu_aware);
    setup.policy.shared = state.node && options.node_memory && !by_gpus;
    // A Context of a rank's own may be on another GPU.
    const bool all_share = state.one_device && least_of_all(state.transport.communicator(),
                                                            shared ? 1 : 0, options.timeout) == 1;
    setup.policy.one_device = all_share && setup.policy.shared;
    const bool fast = setup.kernels.device.begin && shared;
    if (fast && state.node)
        state.node->set_pin([&context](void* data, std::int64_t bytes) {
            return pinned_range(context, data, bytes);
        });
    setup.allocate = [pool = state.pool, fast, &context](std::int64_t bytes) {
        return pool->take(bytes, [&](std::int64_t size) {
            return fast ? fast_arena(context, size) : make_arena(size);
        });
    };
    return setup;
}

RankReport report_of(const DistOutcome& outcome) {
    const RankSeconds& seconds = outcome.seconds;
    return {outcome.work,    outcome.sent_bytes, outcome.memory_bytes, outcome.stages,
            seconds.copying, seconds.waiting,    seconds.computing,    seconds.writing,
            outcome.shared,  outcome.on_device};
}

RankMatrix rank_matrix(const Ranks& ranks, const std::variant<BlockCyclic, BlockGrid>& layout,
                       const std::vector<std::byte*>& data, const std::vector<index_t>& ld,
                       const std::array<index_t, 4>& part) {
    const Distribution whole =
        std::visit([&](const auto& x) { return Distribution(x, ranks.size()); }, layout);
    const auto [row, col, rows, cols] = part;
    RankMatrix matrix{whole.part(row, col, rows < 0 ? whole.rows() - row : rows,
                                 cols < 0 ? whole.cols() - col : cols),
                      {}};
    const std::vector<Holding> stored = whole.holdings_of(ranks.rank());
    if (!stored.empty() && (stored.size() > data.size() || stored.size() > ld.size()))
        throw Error(Code::bad_argument, "fewer addresses than blocks of this rank",
                    "an address for each block");
    for (const Holding& holding : matrix.distribution.holdings_of(ranks.rank())) {
        std::size_t at = 0;
        while (stored[at].block != holding.block) ++at;
        require(ld[at] >= std::max<index_t>(1, total(stored[at].rows)), Code::bad_argument,
                "ld >= max(1, local rows)", fmt::format("leading dimension {}", ld[at]));
        require(data[at] != nullptr || total(stored[at].rows) == 0 || total(stored[at].cols) == 0,
                Code::bad_argument, "an address", "a null pointer to a local array");
        matrix.at.push_back({data[at], ld[at]});
    }
    return matrix;
}

Ranks::Ranks(MPI_Comm comm, RankOptions options)
    : state_(state_of(comm, options.timeout)),
      context_(&context_of(*state_, nullptr, options.timeout)),
      options_(std::move(options)) {
    state_->shared = context_;
}

Ranks::Ranks(MPI_Comm comm, Context& context, RankOptions options)
    : state_(state_of(comm, options.timeout)),
      context_(&context_of(*state_, &context, options.timeout)),
      options_(std::move(options)) {}

int Ranks::rank() const { return state_->transport.rank(); }
int Ranks::size() const { return state_->transport.size(); }

}  // namespace gemmill
