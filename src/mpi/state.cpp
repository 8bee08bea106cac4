// SPDX-License-Identifier: Apache-2.0
#include "mpi/state.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/environment.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemm.hpp"
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

/// Not MPI_Comm_dup, which waits for ever for a rank that does not come.
MPI_Comm duplicate(MPI_Comm comm, double timeout) {
    // Kept for MPI to write into when nobody waits any more.
    auto* own = new MPI_Comm(MPI_COMM_NULL);
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Comm_idup(comm, own, &request), "MPI_Comm_idup");
    const double begin = MPI_Wtime();
    for (int done = 0; done == 0;) {
        require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Comm_idup");
        require(
            done != 0 || timeout <= 0 || MPI_Wtime() - begin < timeout, Code::failed_step, "",
            fmt::format("not all ranks of the communicator made a call within {:.3g} s", timeout));
        if (done == 0) sched_yield();
    }
    const MPI_Comm result = *own;
    delete own;
    return result;
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

LocalKernels kernels_of(Context& context) {
    LocalKernels kernels;
    kernels.gemm = [&context](const GemmArgs& x) {
        with_type(x.type, [&]<class T>() {
            gemm<T>(context, Layout::ColMajor, x.op_a, x.op_b, x.m, x.n, x.k,
                    from_scalar<scalar_t<T>>(x.alpha), static_cast<const T*>(x.a), x.lda,
                    static_cast<const T*>(x.b), x.ldb, from_scalar<scalar_t<T>>(x.beta),
                    static_cast<T*>(x.c), x.ldc);
        });
    };
    kernels.level3 = [&context](const Level3Args& x) {
        with_type(x.type, [&]<class T>() {
            if constexpr (!is_short(type_of<T>))
                trsm<T>(context, Layout::ColMajor, x.side, x.uplo, x.op_a, x.diag, x.m, x.n,
                        from_scalar<T>(x.alpha), static_cast<const T*>(x.a), x.lda,
                        static_cast<T*>(x.c), x.ldc);
        });
    };
    return kernels;
}

}  // namespace

std::shared_ptr<Ranks::State> state_of(MPI_Comm comm, double timeout) {
    Held* held = nullptr;
    int found = 0;
    require_mpi(MPI_Comm_get_attr(comm, attribute_key(), static_cast<void*>(&held), &found),
                "MPI_Comm_get_attr");
    if (found == 0) {
        held = new Held(std::make_shared<Ranks::State>(duplicate(comm, timeout)));
        require_mpi(MPI_Comm_set_attr(comm, attribute_key(), held), "MPI_Comm_set_attr");
    }
    (*held)->transport.set_patience(timeout);
    (*held)->transport.require_whole();
    return *held;
}

Arena ArenaPool::take(std::int64_t bytes) {
    // Still in use by a call that gave up, or by another part of this one.
    if (kept_ && kept_.use_count() > 1) return make_arena(bytes);
    if (size_ < bytes) {
        kept_ = nullptr;
        kept_ = make_arena(bytes);
        size_ = bytes;
    }
    return kept_;
}

Ranks::State::State(MPI_Comm own) : transport(own), place(place_in_node(own)) {}

Context& shared_context(const NodePlace& place) {
    // OpenBLAS takes its number of threads when it is opened, and keeps it.
    static Context context = [&] {
        const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
        const int share = std::max(1, online / place.ranks);
        const ScopedVariable threads("OPENBLAS_NUM_THREADS",
                                     std::to_string(std::min(share, cores_of_process())));
        Context all;
        const Options mine = options_of_rank(all.options(), all.machine(), place);
        const bool shares = mine.devices != all.options().devices ||
                            mine.device_memory != all.options().device_memory;
        return shares ? Context(mine) : std::move(all);
    }();
    return context;
}

DistSetup setup_of(const Ranks& ranks) {
    const RankOptions& options = ranks.options();
    DistSetup setup;
    setup.policy = {options.policy, options.row_block, options.col_block,
                    options.depth,  options.lookahead, options.memory,
                    false};
    setup.rates = {options.flops_per_byte, 1};
    setup.kernels = kernels_of(ranks.context());
    setup.full_check = options.check;
    const Ranks::State& state = ranks.state();
    setup.policy.one_node = state.place.ranks == state.transport.size();
    setup.allocate = [pool = state.pool](std::int64_t bytes) { return pool->take(bytes); };
    return setup;
}

RankReport report_of(const DistOutcome& outcome) {
    return {outcome.work, outcome.sent_bytes, outcome.memory_bytes, outcome.stages};
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
      context_(&shared_context(state_->place)),
      options_(std::move(options)) {}

Ranks::Ranks(MPI_Comm comm, Context& context, RankOptions options)
    : state_(state_of(comm, options.timeout)), context_(&context), options_(std::move(options)) {}

int Ranks::rank() const { return state_->transport.rank(); }
int Ranks::size() const { return state_->transport.size(); }

}  // namespace gemmill
