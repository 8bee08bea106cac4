// SPDX-License-Identifier: Apache-2.0
#include "bench/open_peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "backend/plugin.hpp"
#include "gemmill/error.hpp"
#include "gemmill/version.hpp"

namespace gemmill::command {

const Peers& peers_library() {
    std::string why;
    void* const library = open_part("libgemmill_peers.so", why);
    require(library != nullptr, Code::no_device, "", fmt::format("peers: {}", why));
    const auto symbol = reinterpret_cast<PeersSymbol>(::dlsym(library, peers_symbol));
    const Peers* const table = symbol != nullptr ? symbol() : nullptr;
    require(table != nullptr && std::string_view(table->version) == GEMMILL_VERSION,
            Code::no_device, "", "peers: libgemmill_peers.so is of another version");
    return *table;
}

OpenPeers::OpenPeers(const Peers& table, int device) : table_(table) {
    require_ok(table_.open(device, &state_), "open");
}

OpenPeers::~OpenPeers() { table_.close(state_); }

void OpenPeers::require_ok(int code, const char* what) const {
    if (code != 0)
        throw Error(Code::failed_step, fmt::format("peers: {}: {}", what, table_.words(code)));
}

std::string OpenPeers::gpu_name() const {
    std::array<char, 256> text{};
    require_ok(table_.gpu_name(state_, text.data(), text.size()), "name of the GPU");
    return text.data();
}

int OpenPeers::default_block() const {
    int block = 0;
    require_ok(table_.default_block(state_, &block), "cuBLASXt");
    return block;
}

void OpenPeers::copy(void* to, const void* from, std::size_t bytes) const {
    require_ok(table_.copy(state_, to, from, bytes), "copy");
}

void OpenPeers::xt(const GemmArgs& args, int block, bool pins) const {
    require_ok(table_.xt(state_, args, block, pins), "cuBLASXt");
}

void OpenPeers::copy_all(const GemmArgs& args) const {
    require_ok(table_.copy_all(state_, args), "copy-all");
}

void OpenPeers::in_core(const GemmArgs& args) const {
    require_ok(table_.in_core(state_, args), "cuBLAS");
}

void OpenPeers::xt(const Level3Args& args, int block, bool pins) const {
    require_ok(table_.xt_level3(state_, args, block, pins), "cuBLASXt");
}

void OpenPeers::in_core(const Level3Args& args) const {
    require_ok(table_.in_core_level3(state_, args), "cuBLAS");
}

void OpenPeers::synchronize() const { require_ok(table_.synchronize(state_), "synchronize"); }

void OpenPeers::batched(const Batch& batch) const {
    require_ok(table_.batched(state_, batch), "cuBLAS batched");
}

void OpenPeers::set_groups(const Batch& batch) const {
    require_ok(table_.set_groups(state_, batch), "cuBLAS grouped");
}

void OpenPeers::grouped() const { require_ok(table_.grouped(state_), "cuBLAS grouped"); }

void OpenPeers::one_by_one(const Batch& batch) const {
    require_ok(table_.one_by_one(state_, batch), "cuBLAS");
}

}  // namespace gemmill::command
