// SPDX-License-Identifier: Apache-2.0
#include "rank/call.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "gemmill/error.hpp"
#include "rank/message/mirror.hpp"
#include "rank/message/node.hpp"

namespace gemmill {
namespace {

/// Block size of matrices that are spread anew: a power of two that the kernels like, small enough
/// that every rank gets something.
constexpr index_t native_block = 64;

/// The most square grid for so many ranks.
BlockCyclic native_layout(index_t rows, index_t cols, int ranks) {
    BlockCyclic x;
    x.rows = rows, x.cols = cols;
    x.row_block = x.col_block = native_block;
    x.grid_rows = 1;
    for (int p = 1; p * p <= ranks; ++p)
        if (ranks % p == 0) x.grid_rows = p;
    x.grid_cols = ranks / x.grid_rows;
    return x;
}

/// A matrix in a layout that products can use, where the caller's is a grid of blocks.
struct Native {
    RankMatrix matrix;
    Arena memory;
};

std::optional<Native> native_of(const RankMatrix& x, Type type, int rank, int ranks) {
    const Distribution& d = x.distribution;
    if (d.is_product()) return std::nullopt;
    const BlockCyclic layout = native_layout(d.rows(), d.cols(), ranks);
    const LocalShape shape = local_shape(layout, rank);
    Native native;
    native.memory = make_arena(shape.rows * shape.cols * bytes_of(type));
    native.matrix = {Distribution(layout, ranks),
                     {{native.memory.get(), std::max<index_t>(1, shape.rows)}}};
    return native;
}

/// A call whose matrices all have one place for each rank.
class NativeCall {
  public:
    NativeCall(const DistCall& call, int rank, int ranks)
        : user_(call),
          call_(call),
          a_(native_of(call.a, call.type, rank, ranks)),
          b_(native_of(call.b, call.type, rank, ranks)),
          c_(native_of(call.c, call.type, rank, ranks)) {
        if (a_) call_.a = a_->matrix;
        if (b_) call_.b = b_->matrix;
        if (c_) call_.c = c_->matrix;
    }
    const DistCall& call() const { return call_; }

    std::int64_t bring(Transport& transport) const {
        return bring_one(transport, user_.a, a_) + bring_one(transport, user_.b, b_) +
               bring_one(transport, user_.c, c_);
    }
    std::int64_t take_back(Transport& transport) const {
        if (!c_) return 0;
        return copy_matrix(transport, call_.type, Op::NoTrans, c_->matrix, user_.c);
    }

  private:
    std::int64_t bring_one(Transport& transport, const RankMatrix& from,
                           const std::optional<Native>& to) const {
        if (!to) return 0;
        return copy_matrix(transport, call_.type, Op::NoTrans, from, to->matrix);
    }

    const DistCall& user_;
    DistCall call_;
    std::optional<Native> a_, b_, c_;
};

/// A call whose matrices all lie in host memory, as copies where they do not.
class HostCall {
  public:
    HostCall(const DistCall& call, int rank, const DeviceMemory& memory)
        : a_(call.a, call.type, rank, memory),
          b_(call.b, call.type, rank, memory),
          c_(call.c, call.type, rank, memory),
          call_(call) {
        call_.a = a_.matrix(), call_.b = b_.matrix(), call_.c = c_.matrix();
    }
    const DistCall& call() const { return call_; }

    /// Brings those of which the host needs elements; `native` is the call that is made of it.
    void bring(const DistCall& native, const PreparedUpdate* update, int rank) {
        const auto needed = [&](const RankMatrix& user, const RankMatrix& made) {
            return update == nullptr || !user.distribution.is_product() ||
                   reads(*update, made, rank);
        };
        if (needed(call_.a, native.a)) a_.bring();
        if (needed(call_.b, native.b)) b_.bring();
        // A product that goes straight into C takes it where it lies.
        if (needed(call_.c, native.c) || !update->program.direct) c_.bring();
    }
    void take_back(const PreparedUpdate* update) const {
        if (update == nullptr || !call_.c.distribution.is_product() || !update->program.direct)
            c_.take_back();
    }
    std::int64_t bytes() const { return a_.bytes() + b_.bytes() + c_.bytes(); }

  private:
    Mirror a_, b_, c_;
    DistCall call_;
};

/// What a rank was asked for, or why it cannot be done.
template <class Call>
class Made {
  public:
    explicit Made(const std::function<Call()>& make) {
        try {
            call_ = make();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    /// As far as it was made.
    const Call& call() const { return call_; }
    void require_made() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    Call call_;
    std::exception_ptr failure_;
};

/// Where a device has no room for the panels of all ranks they lie in host memory.
void agree_on_one(Transport& transport, const CallDigest& digest, DistPolicy policy,
                  const std::function<void(const DistPolicy&)>& prepare) {
    try {
        return agree(transport, digest, [&] { prepare(policy); });
    } catch (const Error& error) {  // the same one on all ranks
        if (!policy.one_device || error.code() != Code::out_of_memory) throw;
    }
    policy.one_device = false;
    agree(transport, digest, [&] { prepare(policy); });
}

bool is_one(Scalar x) { return x.re == 1 && x.im == 0; }

}  // namespace

ProgramMemory memory_for(Transport& transport, const DistSetup& setup) {
    if (!setup.policy.shared) return {setup.allocate};
    NodeMemory* const node = transport.node();
    return {[node](std::int64_t bytes) { return node->take(bytes); },
            [node](std::int64_t bytes) { node->take_device(bytes); }};
}

DistOutcome run_call(Transport& transport, const std::function<DistCall()>& make,
                     const DistSetup& setup) {
    const Made<DistCall> made(make);
    const DistCall& call = made.call();
    const int rank = transport.rank(), ranks = transport.size();
    std::optional<HostCall> host;
    std::optional<NativeCall> native;
    PreparedUpdate prepared;
    const bool solves = call.routine == Routine::trsm;
    const auto prepare = [&](const DistPolicy& policy) {
        made.require_made();
        check_call(call);
        host.emplace(call, rank, setup.kernels.memory);
        native.emplace(host->call(), rank, ranks);
        if (solves) return;
        prepared = prepare_update(update_of(native->call()), policy, setup.rates, rank, ranks,
                                  memory_for(transport, setup));
        prepare_device(prepared, setup.kernels.memory, rank);
    };
    agree_on_one(transport, digest_of(call, setup), setup.policy, prepare);
    DistOutcome outcome;
    if (call.c.distribution.rows() == 0 || call.c.distribution.cols() == 0) return outcome;
    // As BLAS: C is not touched at all.
    if (!solves && prepared.update.terms.empty() && is_one(prepared.update.beta)) return outcome;
    const PreparedUpdate* update = solves ? nullptr : &prepared;
    host->bring(native->call(), update, rank);
    const std::int64_t brought = native->bring(transport);
    if (solves) {
        outcome = run_solve(transport, native->call(), setup);
    } else {
        const RankSeconds seconds = run_update(transport, prepared, setup.kernels);
        outcome = {prepared.choice.work.name,
                   prepared.sent_bytes(),
                   prepared.memory_bytes(),
                   prepared.choice.seconds,
                   static_cast<index_t>(prepared.program.stages.size()),
                   seconds,
                   prepared.choice.cut.shared,
                   prepared.choice.cut.on_device};
    }
    outcome.sent_bytes += brought + native->take_back(transport);
    outcome.memory_bytes += host->bytes();
    host->take_back(update);
    return outcome;
}

DistOutcome run_copy(Transport& transport, const std::function<DistCopy()>& make,
                     const DistSetup& setup) {
    const Made<DistCopy> made(make);
    const DistCopy& call = made.call();
    std::optional<Mirror> source, target;
    Exchange exchange;
    Arena memory;
    agree(transport, digest_of(call, setup), [&] {
        made.require_made();
        const Distribution &from = call.from.distribution, &to = call.to.distribution;
        const bool straight = call.op == Op::NoTrans;
        require((straight ? from.rows() : from.cols()) == to.rows() &&
                    (straight ? from.cols() : from.rows()) == to.cols(),
                Code::bad_argument, "sizes that match", "copy: the sizes differ");
        source.emplace(call.from, call.type, transport.rank(), setup.kernels.memory);
        target.emplace(call.to, call.type, transport.rank(), setup.kernels.memory);
        exchange = copy_of(from, to, call.op, call.type, transport.rank(), transport.size());
        memory = memory_for(exchange);
    });
    DistOutcome outcome;
    outcome.work = "copy";
    source->bring();
    run_copy_exchange(transport, call.type, call.op, exchange, memory, source->matrix(),
                      target->matrix());
    outcome.sent_bytes = exchange.sent_bytes();
    outcome.memory_bytes = source->bytes() + target->bytes();
    target->take_back();
    return outcome;
}

}  // namespace gemmill
