// SPDX-License-Identifier: Apache-2.0
#include "rank/call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "gemmill/error.hpp"
#include "support/counting_device.hpp"
#include "support/dist_call.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

DistSetup reference_setup() {
    DistSetup setup;
    setup.rates = {1e9, 1e9};
    setup.kernels = {[](const GemmArgs& x) { reference_gemm(x); },
                     [](const Level3Args& x) { reference_level3(x); }};
    return setup;
}

/// The device of a rank; none: plain loops.
using DeviceOf = std::function<std::shared_ptr<CountingDevice>(const DistSetup&)>;

/// The matrices of a rank on its device, those whose bit of `which` is set.
template <class T>
class OnDevice {
  public:
    OnDevice(CountingDevice* device, const std::array<RankMatrix, 3>& matrices,
             std::vector<LocalMatrix<T>>& local, unsigned which)
        : matrices_(matrices), device_(device) {
        for (std::size_t o = 0; o < 3; ++o)
            if ((which >> o & 1) != 0)
                for (std::vector<T>& array : local[o].arrays()) move(array, matrices_[o]);
    }
    const std::array<RankMatrix, 3>& matrices() const { return matrices_; }
    void fetch() const {
        for (const auto& [array, there] : places_)
            device_->copy(array->data(), there, bytes_in(*array));
    }

  private:
    static std::int64_t bytes_in(const std::vector<T>& x) {
        return static_cast<std::int64_t>(x.size() * sizeof(T));
    }
    void move(std::vector<T>& array, RankMatrix& matrix) {
        std::byte* there = device_->allocate(bytes_in(array));
        device_->copy(there, array.data(), bytes_in(array));
        places_.push_back({&array, there});
        for (Address& address : matrix.at)
            if (address.data == reinterpret_cast<std::byte*>(array.data())) address.data = there;
    }

    std::array<RankMatrix, 3> matrices_;
    CountingDevice* device_;
    std::vector<std::pair<std::vector<T>*, std::byte*>> places_;
};

/// Messages can be sent from the device's memory.
void send_from(const std::shared_ptr<CountingDevice>& device, ThreadTransport& transport,
               DistSetup& setup) {
    transport.address = [device](const void* data) { return device->real(data); };
    setup.kernels.memory.messages = [device](std::int64_t bytes) {
        return Arena(device->allocate(bytes), [](std::byte*) {});
    };
}

template <class T>
std::string run_problem(const DistProblem& p, const DistSetup& setup, const DeviceOf& device_of) {
    DistOperands<T> operands(p);
    operands.judge();
    std::mutex mutex;
    std::string faults;
    bool all_received = false;
    const auto errors = run_ranks(
        p.ranks, 10,
        [&](ThreadTransport& transport) {
            DistOperands<T> mine = operands;
            const std::string fault =
                mine.run(transport.rank(), [&](const auto& matrices, auto& local) {
                    const auto device = device_of(setup);
                    DistSetup own = setup;
                    if (device) own.kernels = CountingDevice::kernels(device);
                    if (device && p.seed % 2 == 0) send_from(device, transport, own);
                    transport.node()->allocate = [&](std::int64_t bytes) {
                        return device->allocate(bytes);
                    };
                    const auto rank = static_cast<unsigned>(transport.rank());
                    const unsigned which = device ? static_cast<unsigned>(p.seed >> rank) : 0;
                    const OnDevice<T> moved(device.get(), matrices, local, which);
                    run_call(
                        transport, [&] { return call_of(p, moved.matrices()); }, own);
                    moved.fetch();
                });
            const std::lock_guard lock(mutex);
            if (!fault.empty()) faults += fmt::format("rank {}: {}; ", transport.rank(), fault);
        },
        &all_received);
    for (const std::exception_ptr& error : errors) try {
            if (error) std::rethrow_exception(error);
        } catch (const std::exception& e) {
            faults += e.what();
        }
    if (!all_received) faults += "a message was not received";
    return faults;
}

std::string run_any(const DistProblem& p, const DistSetup& setup, const DeviceOf& device) {
    switch (p.type) {
        case Type::s:
            return run_problem<float>(p, setup, device);
        case Type::c:
            return run_problem<std::complex<float>>(p, setup, device);
        case Type::z:
            return run_problem<std::complex<double>>(p, setup, device);
        default:
            return run_problem<double>(p, setup, device);
    }
}

DistSetup random_setup(Random& random, int ranks) {
    DistSetup setup = reference_setup();
    constexpr const char* names[] = {"best", "best", "parsec", "c", "a", "b", "bricks"};
    setup.policy.name = random.pick(names);
    if (setup.policy.name == "bricks") {
        const index_t p = random.between(1, ranks), q = random.between(1, ranks / p);
        setup.policy.name =
            fmt::format("bricks {}x{}x{}", p, q, random.between(1, ranks / (p * q)));
    }
    if (random.chance(60)) setup.policy.depth = random.between(1, 20);
    if (random.chance(40)) setup.policy.row_block = random.between(1, 20);
    if (random.chance(40)) setup.policy.col_block = random.between(1, 20);
    if (random.chance(60)) setup.policy.lookahead = static_cast<int>(random.below(4));
    setup.full_check = random.chance(30);
    setup.policy.shared = random.chance(50);
    return setup;
}

enum class Devices { none, own, shared };

void run_random(std::uint64_t seed, int cases, Devices devices, const DeviceOf& device) {
    Random random(seed);
    for (int i = 0; i < cases; ++i) {
        const DistProblem p = random_problem(random, {});
        DistSetup setup = random_setup(random, p.ranks);
        if (devices != Devices::none && random.chance(80))
            setup.policy.device_memory = 8 * random.between(1, random.chance(50) ? 600 : 20000);
        setup.policy.one_device = devices == Devices::shared && setup.policy.shared;
        const std::string faults = run_any(p, setup, device);
        ASSERT_EQ(faults, "") << "case " << i << ": " << describe(p) << " policy "
                              << setup.policy.name << " d " << setup.policy.depth << " b "
                              << setup.policy.row_block << " c " << setup.policy.col_block << " l "
                              << setup.policy.lookahead << " device " << setup.policy.device_memory
                              << " shared " << setup.policy.shared;
    }
}

TEST(DistCall, every_routine_every_policy_against_plain_loops) {
    run_random(21, affordable(1200), Devices::none, [](const DistSetup&) { return nullptr; });
}

/// In the middle of trsm too all ranks end with the same words, and none waits for another.
TEST(DistCall, a_rank_without_memory_in_the_middle_of_trsm_ends_all) {
    Random random(5);
    DistLimits limits;
    limits.largest = 260;  // of which a diagonal block has 64
    DistProblem p;
    do p = random_problem(random, limits);
    while (p.routine != Routine::trsm || p.ranks < 3 || p.type != Type::d || p.n == 0 ||
           p.matrices[0].rows < 200 || p.alpha.re == 0);
    DistOperands<double> operands(p);
    std::atomic<int> same = 0;
    const auto errors = run_ranks(p.ranks, 10, [&](ThreadTransport& transport) {
        DistOperands<double> mine = operands;
        DistSetup setup = reference_setup();
        int left = 1;
        if (transport.rank() == 1)
            setup.allocate = [&](std::int64_t bytes) {
                if (left-- == 0) throw Error(Code::out_of_memory, "no room");
                return make_arena(bytes);
            };
        mine.run(transport.rank(), [&](const auto& matrices, auto&) {
            try {
                run_call(
                    transport, [&] { return call_of(p, matrices); }, setup);
            } catch (const Error& error) {
                same += error.text() == "rank 1: no room";
                throw;
            }
        });
    });
    for (const std::exception_ptr& error : errors) EXPECT_TRUE(error);
    EXPECT_EQ(same, p.ranks);
}

/// Each rank has a device, which has some of its matrices; some have no memory for sums, some too
/// little for all of them.
TEST(DistCall, devices_make_the_products_of_every_routine) {
    std::atomic<std::int64_t> within = 0, products = 0;
    run_random(22, affordable(1000), Devices::own, [&](const DistSetup& setup) {
        return std::shared_ptr<CountingDevice>(new CountingDevice(setup.policy.device_memory),
                                               [&](CountingDevice* x) {
                                                   within += x->within, products += x->products;
                                                   delete x;
                                               });
    });
    EXPECT_GT(products, 0);
    EXPECT_GT(within, 0) << "no message was sent from a device";
}

/// All ranks compute with one device, in whose memory panels lie where all of them are shared.
TEST(DistCall, ranks_that_share_a_device_make_the_products_of_every_routine) {
    for (int seed = 0; seed < affordable(40); ++seed) {
        const auto device = std::make_shared<CountingDevice>(std::int64_t{1} << 20);
        run_random(static_cast<std::uint64_t>(100 + seed), 10, Devices::shared,
                   [&](const DistSetup&) { return device; });
    }
}

/// A rank has no room for panels on the device: all put them into host memory.
TEST(DistCall, panels_lie_in_host_memory_where_one_rank_has_no_device_memory) {
    Random random(8);
    DistProblem p;
    do p = random_problem(random, {});
    while (p.routine != Routine::gemm || p.ranks < 3 || p.type != Type::d || p.k < 20 ||
           p.matrices[2].rows * p.matrices[2].cols < 200 || p.alpha.re == 0);
    DistOperands<double> operands(p);
    operands.judge();
    const auto device = std::make_shared<CountingDevice>(std::int64_t{1} << 20);
    DistSetup setup = reference_setup();
    setup.policy.name = "c", setup.policy.shared = setup.policy.one_device = true;
    setup.policy.device_memory = std::int64_t{1} << 20;
    setup.kernels = CountingDevice::kernels(device);
    for (const bool has_room : {true, false}) {
        std::atomic<int> asked = 0;
        run_ranks(p.ranks, [&](ThreadTransport& transport) {
            transport.node()->allocate = [&](std::int64_t bytes) {
                ++asked;
                if (transport.rank() == 1 && !has_room) throw Error(Code::out_of_memory, "no room");
                return device->allocate(bytes);
            };
            DistOperands<double> mine = operands;
            DistOutcome outcome;
            EXPECT_EQ(mine.run(transport.rank(),
                               [&](const auto& matrices, auto&) {
                                   outcome = run_call(
                                       transport, [&] { return call_of(p, matrices); }, setup);
                               }),
                      "");
            EXPECT_TRUE(outcome.shared);
            EXPECT_EQ(outcome.on_device, has_room);
        });
        EXPECT_EQ(asked, p.ranks);
    }
}

}  // namespace
}  // namespace gemmill::test
