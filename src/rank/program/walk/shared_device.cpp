// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/shared_device.hpp"

#include <algorithm>
#include <string_view>

#include "gemmill/error.hpp"
#include "rank/message/patience.hpp"

namespace gemmill {
namespace {

/// Threads that make products: while one waits for the end of its product, the other has launched
/// the next, so that the device goes from one to the other without a pause.
constexpr int makers = 2;

/// A pause only after some looks: the next product mostly comes at once.
constexpr int looks_before_pause = 64;

void note_failure(NodeBoard& board, Code code, std::string_view why) {
    board.failure = code;
    const std::size_t length = std::min(why.size(), board.why.size() - 1);
    std::copy_n(why.begin(), length, board.why.begin());
    board.why[length] = '\0';
}

}  // namespace

SharedDevice::SharedDevice(Transport& transport, const RankProgram& program,
                           const LocalKernels& kernels, const SharedPanels& panels)
    : transport_(transport),
      kernels_(kernels),
      panels_(panels),
      node_(program.on_device ? transport.node() : nullptr) {}

SharedDevice::~SharedDevice() { stopped_ = true; }

void SharedDevice::open() {
    if (node_ == nullptr || transport_.rank() != 0) return;
    for (int i = 0; i < makers; ++i) try {
            makers_.push_back(kernels_.device.aside([this, i] { serve(i); }));
        } catch (const Error&) {
            if (makers_.empty()) throw;
        }
}

void SharedDevice::make(const GemmArgs& product) const {
    NodeBoard& board = node_->board(transport_.rank());
    const auto factor = [&](const void* x) {
        return product.k > 0 ? panels_.place_of(x) : SharedPlace{};
    };
    board.product = {product, {factor(product.a), factor(product.b), panels_.place_of(product.c)}};
    const std::uint64_t number = board.asked.fetch_add(1, std::memory_order_release) + 1;
    wait_until(
        transport_, [&] { return board.ended.load(std::memory_order_acquire) >= number; },
        [] { return false; }, [] { return "rank 0 made no product"; });
    if (board.failure != Code::ok) throw Error(board.failure, board.why.data());
}

void SharedDevice::serve(int first) {
    const int ranks = transport_.size();
    int next = first % ranks;
    for (int looks = 0; !stopped_;) {
        int tried = 0;
        while (tried < ranks && !serve_one(next)) next = (next + 1) % ranks, ++tried;
        if (tried < ranks) {
            next = (next + 1) % ranks, looks = 0;
        } else if (++looks == looks_before_pause) {
            looks = 0;
            transport_.pause();
        }
    }
}

bool SharedDevice::serve_one(int rank) {
    NodeBoard& board = node_->board(rank);
    std::uint64_t taken = board.taken.load(std::memory_order_relaxed);
    const std::uint64_t asked = board.asked.load(std::memory_order_acquire);
    if (taken == asked || !board.taken.compare_exchange_strong(taken, asked)) return false;
    make_for(board);
    board.ended.store(asked, std::memory_order_release);
    return true;
}

void SharedDevice::make_for(NodeBoard& board) {
    GemmArgs args = board.product.args;
    const auto& [a, b, c] = board.product.at;
    args.a = panels_.address_of(a), args.b = panels_.address_of(b);
    args.c = panels_.address_of(c);
    board.failure = Code::ok;
    try {
        kernels_.gemm(args);
    } catch (const Error& error) {
        note_failure(board, error.code(), error.text());
    } catch (const std::exception& error) {
        note_failure(board, Code::internal, error.what());
    }
}

}  // namespace gemmill
