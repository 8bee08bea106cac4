// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/products.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gemmill/error.hpp"
#include "rank/program/walk/run.hpp"
#include "support/counting_device.hpp"
#include "support/dist_case.hpp"
#include "support/rank_product.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

constexpr std::int64_t plenty = std::int64_t{1} << 30;

/// Ranks of a product whose matrices are all zeros, or not looked at.
void run_product(const Product& x, const DistChoice& choice,
                 const std::function<void(Transport&, const RankProgram&, const DistUpdate&,
                                          const Arena&)>& run) {
    run_ranks(x.ranks, [&](ThreadTransport& transport) {
        const int rank = transport.rank();
        LocalMatrix<double> a(x.a.distribution, rank, 0), b(x.b.distribution, rank, 0),
            c(x.update.c.distribution, rank, 0);
        const RankMatrix of_a = a.matrix(x.a.distribution, rank);
        const RankMatrix of_b = b.matrix(x.b.distribution, rank);
        DistUpdate update = x.update;
        update.c = c.matrix(x.update.c.distribution, rank);
        update.beta = {1, 0};
        update.terms = {{{&of_a}, {&of_b}, {1, 0}}};
        const RankProgram program = emit_program(update, choice.work, choice.cut, rank, x.ranks);
        run(transport, program, update, make_arena(program.arena_bytes));
    });
}

DistPolicy on_devices(std::int64_t memory) {
    DistPolicy policy = named("best");
    policy.one_node = true, policy.device_memory = memory;
    return policy;
}

/// Bytes of C of a rank.
std::int64_t c_bytes(const RankProgram& program) {
    std::int64_t bytes = 0;
    for (const CBlock& block : program.blocks) bytes += 8 * total(block.rows) * total(block.cols);
    return bytes;
}

TEST(Products, c_travels_once_and_factors_once_for_each_block) {
    const Product x(4096, 4096, 4096, 1, 2);
    const DistChoice choice = x.choose(on_devices(plenty));
    run_product(x, choice,
                [&](Transport& transport, const RankProgram& program, const DistUpdate& update,
                    const Arena& arena) {
                    EXPECT_GT(program.stages.size(), 1U);
                    const auto device = std::make_shared<CountingDevice>(plenty, false);
                    run_program(transport, program, update, CountingDevice::kernels(device),
                                {arena});
                    EXPECT_EQ(device->c_in, 0);
                    EXPECT_LE(static_cast<double>(device->out),
                              1.1 * static_cast<double>(c_bytes(program)));
                    EXPECT_EQ(device->factors_in, 8 * 4096 * (4096 + 2048));
                });
}

TEST(Products, blocks_that_fit_the_device_share_what_is_at_home) {
    const Product x(1024, 1024, 1024, 1, 2);
    const DistChoice choice = x.choose(on_devices(1 << 20));
    // B lies where it is needed, so that rows are split: nothing is sent again.
    EXPECT_EQ(choice.cut.row_blocks, 4);
    EXPECT_EQ(choice.cut.col_blocks, 1);
    EXPECT_EQ(sent_by_all(x, choice), 8 * 1024 * 1024);
    run_product(x, choice,
                [&](Transport& transport, const RankProgram& program, const DistUpdate& update,
                    const Arena& arena) {
                    const auto device = std::make_shared<CountingDevice>(1 << 20, false);
                    run_program(transport, program, update, CountingDevice::kernels(device),
                                {arena});
                    EXPECT_EQ(device->c_in, c_bytes(program));
                    EXPECT_EQ(device->out, c_bytes(program));
                });
}

TEST(Products, sums_stay_on_the_host_where_the_device_is_too_small) {
    const Product x(64, 64, 64, 1, 2);
    DistPolicy policy = on_devices(plenty);
    policy.depth = 16;
    run_product(x, x.choose(policy),
                [&](Transport& transport, const RankProgram& program, const DistUpdate& update,
                    const Arena& arena) {
                    const auto device = std::make_shared<CountingDevice>(8, false);
                    run_program(transport, program, update, CountingDevice::kernels(device),
                                {arena});
                    EXPECT_EQ(device->out, 4 * c_bytes(program));
                });
}

/// Counts the messages that came.
class Receiving : public Transport {
  public:
    explicit Receiving(Transport& behind) : behind_(behind) {}
    int rank() const override { return behind_.rank(); }
    int size() const override { return behind_.size(); }
    Request send(int to, std::int64_t tag, const void* data, std::int64_t bytes) override {
        return behind_.send(to, tag, data, bytes);
    }
    Request receive(int from, std::int64_t tag, void* data, std::int64_t bytes) override {
        const Request request = behind_.receive(from, tag, data, bytes);
        awaited_.insert(request);
        return request;
    }
    bool is_done(Request request) override {
        if (!behind_.is_done(request)) return false;
        came += static_cast<int>(awaited_.erase(request));
        return true;
    }
    void pause() override { behind_.pause(); }
    void give_up(std::shared_ptr<void> memory) override { behind_.give_up(std::move(memory)); }
    double patience() const override { return behind_.patience(); }

    int came = 0;

  private:
    Transport& behind_;
    std::set<Request> awaited_;
};

TEST(Products, messages_of_the_next_stage_come_while_a_device_computes) {
    const Product x(64, 64, 256, 1, 2);
    DistPolicy policy = on_devices(plenty);
    policy.depth = 32;
    run_product(x, x.choose(policy),
                [&](Transport& behind, const RankProgram& program, const DistUpdate& update,
                    const Arena& arena) {
                    Receiving transport(behind);
                    const auto device = std::make_shared<CountingDevice>(plenty, false);
                    LocalKernels kernels = CountingDevice::kernels(device);
                    const auto stages = static_cast<int>(program.stages.size());
                    ASSERT_EQ(stages, 8);
                    int begun = 0, alone = 0;
                    // A product lasts until what the next one needs has come, or nobody looks for
                    // it.
                    kernels.device.begin = [&](const DeviceJob&) -> DeviceTask {
                        const int needed = std::min(stages, ++begun + 1);
                        return {[] { return true; },
                                [&, needed, looks = 0]() mutable {
                                    constexpr int many = 1'000'000;
                                    if (transport.came < needed && ++looks < many) return false;
                                    alone += transport.came < needed;
                                    return true;
                                }};
                    };
                    run_program(transport, program, update, kernels, {arena});
                    EXPECT_EQ(begun, stages);
                    EXPECT_EQ(alone, 0);
                });
}

TEST(Products, what_a_device_throws_ends_the_call) {
    const Product x(64, 64, 64, 1, 1);
    run_product(x, x.choose(named("c")),
                [&](Transport& transport, const RankProgram& program, const DistUpdate& update,
                    const Arena& arena) {
                    LocalKernels kernels =
                        CountingDevice::kernels(std::make_shared<CountingDevice>(plenty));
                    kernels.device.begin = [](const DeviceJob&) -> DeviceTask {
                        return {[] { return true; },
                                []() -> bool { throw Error(Code::failed_step, "lost"); }};
                    };
                    EXPECT_THROW(run_program(transport, program, update, kernels, {arena}), Error);
                });
}

}  // namespace
}  // namespace gemmill::test
