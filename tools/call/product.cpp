// SPDX-License-Identifier: Apache-2.0
#include "call/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "api/call.hpp"
#include "api/state.hpp"
#include "backend/perform.hpp"
#include "base/text.hpp"
#include "check/verify_level3.hpp"
#include "command/console.hpp"
#include "command/stopwatch.hpp"
#include "gemmill/gemm.hpp"
#include "random/numbers.hpp"
#include "schedule/recipe/rerun.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr std::array operands{operand::A, operand::B, operand::C};

/// Memory of one operand where the problem wants it, and the host's view of it.
class Storage {
  public:
    Storage(Context& context, const Problem& problem, OperandId operand, bool pinned)
        : context_(context), bytes_(static_cast<std::size_t>(operand_bytes(problem, operand))) {
        const MemoryId home = problem.home[static_cast<std::size_t>(operand)];
        const Machine& machine = context.machine();
        if (bytes_ == 0) return;
        const bool on_host =
            machine.memories[static_cast<std::size_t>(home)].kind == MemoryKind::host;
        if (on_host && pinned)
            own_ = host_ = static_cast<std::byte*>(context.allocate_host(bytes_));
        if (host_ == nullptr) {
            memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
            host_ = memory_.get();
        }
        if (on_host) return;
        const auto device = std::ranges::find(machine.devices, home, &Device::memory);
        own_ = static_cast<std::byte*>(
            context.allocate(static_cast<DeviceId>(device - machine.devices.begin()), bytes_));
    }
    ~Storage() {
        if (own_ != nullptr) context_.release(own_);
    }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    /// Where a call finds it, and where the host does.
    template <class T>
    T* data() const {
        return reinterpret_cast<T*>(own_ != nullptr ? own_ : host_);
    }
    template <class T>
    T* on_host() const {
        return reinterpret_cast<T*>(host_);
    }
    void send() const {
        if (own_ != nullptr && own_ != host_) context_.copy(own_, host_, bytes_);
    }
    void fetch() const {
        if (own_ != nullptr && own_ != host_) context_.copy(host_, own_, bytes_);
    }

  private:
    Context& context_;
    std::size_t bytes_;
    std::unique_ptr<std::byte[]> memory_;
    std::byte* host_ = nullptr;
    std::byte* own_ = nullptr;  // of the context: on a device, or pinned
};

template <class T>
void fill(T* data, index_t count, std::uint64_t seed) {
    Random random(seed);
    for (index_t i = 0; i < count; ++i) {
        if constexpr (is_complex(type_of<T>)) {
            const double re = random.uniform();
            data[i] = from_scalar<T>({re, random.uniform()});
        } else {
            data[i] = from_scalar<T>({random.uniform(), 0});
        }
    }
}

/// Leaves of an n x n matrix what a routine may read: one triangle, without a diagonal of ones, and
/// of a hermitian one a real diagonal. All else is NaN.
template <class T>
void keep_triangle(T* data, index_t n, const Problem& p) {
    const T nan(std::numeric_limits<float>::quiet_NaN());
    for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) {
            T& x = data[i + j * n];
            if (i == j && is_in_place(p.routine) && p.diag == Diag::Unit) x = nan;
            if (p.uplo == Uplo::Lower ? i < j : i > j) x = nan;
            if constexpr (is_complex(type_of<T>))
                if (i == j && is_hermitian(p.routine)) x = {x.real(), nan.real()};
        }
}

/// Makes a triangular matrix that can be solved with: small beside its diagonal.
template <class T>
void make_heavy(T* data, index_t n) {
    for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) {
            T& x = data[i + j * n];
            x = i == j ? T(2) + x : x / T(static_cast<float>(n));
        }
}

index_t count_of(const Problem& problem, OperandId operand) {
    const Shape shape = stored_shape(problem, operand);
    return shape.rows * shape.cols;
}

index_t ld_of(const Problem& problem, OperandId operand) {
    return std::max<index_t>(1, stored_shape(problem, operand).rows);
}

void require_room(const Context& context, const Problem& problem) {
    double bytes = static_cast<double>(operand_bytes(problem, operand::C));
    for (const OperandId operand : operands)
        bytes += static_cast<double>(operand_bytes(problem, operand));
    const auto room = static_cast<double>(context.machine().memories.front().capacity);
    require(bytes <= room, Code::out_of_memory, "less than the host's memory",
            fmt::format("--m, --n, --k: A, B and twice C have {}, the host {}", human_bytes(bytes),
                        human_bytes(room)));
}

template <class T>
class Run {
  public:
    Run(Context& context, const Product& product)
        : context_(context),
          product_(product),
          p_(product.problem),
          a_(context, p_, operand::A, product.pinned),
          b_(context, p_, operand::B, product.pinned),
          c_(context, p_, operand::C, product.pinned),
          old_(static_cast<std::size_t>(count_of(p_, operand::C))) {
        if (!context.state().direct())
            for (const auto& [o, data] :
                 {std::pair{0, a_.data<T>()}, {1, b_.data<T>()}, {2, c_.data<T>()}})
                if (data != nullptr) p_.home[static_cast<std::size_t>(o)] = context.locate(data);
        fill(a_.on_host<T>(), count_of(p_, operand::A), 1);
        fill(b_.on_host<T>(), count_of(p_, operand::B), 2);
        fill(old_.data(), count_of(p_, operand::C), 3);
        if (product.beta == Scalar{} && !is_in_place(p_.routine))
            std::ranges::fill(old_, T(std::numeric_limits<float>::quiet_NaN()));
        if constexpr (!is_short(type_of<T>)) leave_triangles();
        a_.send();
        b_.send();
    }

    Outcome run() {
        Outcome outcome;
        outcome.direct = context_.state().direct();
        const Stopwatch planning;
        const auto planned = context_.plan(p_);
        outcome.plan = planned;
        outcome.plan_seconds = planning.seconds();
        context_.observe([&](const Report& report) {
            outcome.timeline = report.timeline;
            outcome.model_ratio = report.model_ratio;
            // What was decided while it ran is another plan.
            outcome.plan = decides_again(report.plan.policy)
                               ? std::make_shared<const Plan>(report.plan)
                               : planned;
        });
        for (int i = 0; i < product_.repeat; ++i) {
            const Progress progress(fmt::format("run {} of {}", i + 1, product_.repeat));
            std::ranges::copy(old_, c_.on_host<T>());
            c_.send();
            const Stopwatch watch;
            call();
            outcome.seconds.push_back(watch.seconds());
        }
        context_.observe({});
        if (product_.check) outcome.verdict = check(outcome);
        return outcome;
    }

  private:
    void leave_triangles() {
        if (p_.routine == Routine::trsm) make_heavy(a_.on_host<T>(), p_.k);
        if (reads_triangle(p_.routine)) keep_triangle(a_.on_host<T>(), p_.k, p_);
        if (writes_triangle(p_.routine)) keep_triangle(old_.data(), p_.n, p_);
    }

    Level3Args call_on(const T* a, const T* b, T* c) const {
        return call_of(p_, {{a, b, c},
                            {ld_of(p_, operand::A), ld_of(p_, operand::B), ld_of(p_, operand::C)},
                            product_.alpha,
                            product_.beta});
    }

    /// The row-major call of a column-major problem is the call of its transpose.
    void call() {
        if (p_.routine != Routine::gemm) {
            run_call(context_, call_on(a_.data<T>(), b_.data<T>(), c_.data<T>()));
            return;
        }
        const auto alpha = from_scalar<scalar_t<T>>(product_.alpha);
        const auto beta = from_scalar<scalar_t<T>>(product_.beta);
        const index_t lda = ld_of(p_, operand::A), ldb = ld_of(p_, operand::B),
                      ldc = ld_of(p_, operand::C);
        const T *a = a_.data<T>(), *b = b_.data<T>();
        T* c = c_.data<T>();
        if (product_.layout == Layout::ColMajor)
            gemm<T>(context_, Layout::ColMajor, p_.op_a, p_.op_b, p_.m, p_.n, p_.k, alpha, a, lda,
                    b, ldb, beta, c, ldc);
        else
            gemm<T>(context_, Layout::RowMajor, p_.op_b, p_.op_a, p_.n, p_.m, p_.k, alpha, b, ldb,
                    a, lda, beta, c, ldc);
    }

    Verdict check(const Outcome& outcome) {
        const Progress progress("checking");
        c_.fetch();
        if (p_.routine != Routine::gemm)
            return verify_level3(call_on(a_.on_host<T>(), b_.on_host<T>(), c_.on_host<T>()),
                                 old_.data());
        return verify({p_.type, p_.op_a, p_.op_b, p_.m, p_.n, p_.k, product_.alpha, a_.on_host<T>(),
                       ld_of(p_, operand::A), b_.on_host<T>(), ld_of(p_, operand::B), product_.beta,
                       c_.on_host<T>(), ld_of(p_, operand::C)},
                      old_.data(), outcome.direct ? 1 : roundings(*outcome.plan));
    }

    Context& context_;
    const Product& product_;
    Problem p_;  // where its matrices do lie
    Storage a_, b_, c_;
    std::vector<T> old_;
};

}  // namespace

double Outcome::best() const { return *std::ranges::min_element(seconds); }

Outcome run_product(Context& context, const Product& product) {
    require_room(context, product.problem);
    return with_type(product.problem.type,
                     [&]<class T>() { return Run<T>(context, product).run(); });
}

}  // namespace gemmill::command
