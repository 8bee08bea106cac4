// SPDX-License-Identifier: Apache-2.0
#include "mpi/transport.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <string>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// Tags of src/rank that are negative come first, those of programs behind them.
constexpr std::int64_t named_tags = 4;

}  // namespace

void require_mpi(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error(Code::failed_step, fmt::format("{}: {}", what, std::string(text)));
}

MpiTransport::MpiTransport(MPI_Comm own, std::int64_t part) : comm_(own), part_(part) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    int* bound = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm_, MPI_TAG_UB, static_cast<void*>(&bound), &found);
    if (found != 0) tags_ = *bound;
}

int MpiTransport::mpi_tag(std::int64_t tag) const {
    if (tag < 0) return static_cast<int>(-tag - 1);
    return static_cast<int>(named_tags + tag % (tags_ - named_tags));
}

Transport::Request MpiTransport::send(int to, std::int64_t tag, const void* data,
                                      std::int64_t bytes) {
    std::vector<MPI_Request>& all = requests_[next_].parts;
    const auto* first = static_cast<const std::byte*>(data);
    std::int64_t done = 0;
    do {
        const std::int64_t count = std::min(part_, bytes - done);
        all.emplace_back();
        require_mpi(MPI_Isend(first + done, static_cast<int>(count), MPI_BYTE, to, mpi_tag(tag),
                              comm_, &all.back()),
                    "MPI_Isend");
        done += count;
    } while (done < bytes);
    return next_++;
}

Transport::Request MpiTransport::receive(int from, std::int64_t tag, void* data,
                                         std::int64_t bytes) {
    Pending& pending = requests_[next_];
    pending.is_receive = true;
    std::vector<MPI_Request>& all = pending.parts;
    auto* first = static_cast<std::byte*>(data);
    std::int64_t done = 0;
    do {
        const std::int64_t count = std::min(part_, bytes - done);
        all.emplace_back();
        require_mpi(MPI_Irecv(first + done, static_cast<int>(count), MPI_BYTE, from, mpi_tag(tag),
                              comm_, &all.back()),
                    "MPI_Irecv");
        done += count;
    } while (done < bytes);
    return next_++;
}

bool MpiTransport::is_done(Request request) {
    const auto found = requests_.find(request);
    if (found == requests_.end()) return true;
    int done = 0;
    require_mpi(MPI_Testall(static_cast<int>(found->second.parts.size()),
                            found->second.parts.data(), &done, MPI_STATUSES_IGNORE),
                "MPI_Testall");
    if (done == 0) return false;
    requests_.erase(found);
    return true;
}

void MpiTransport::pause() { sched_yield(); }

void MpiTransport::give_up(std::shared_ptr<void> memory) {
    // A message that is still being sent may be read from its memory, which is therefore kept; what
    // is not coming any more is no longer awaited.
    kept_.push_back(std::move(memory));
    for (auto& [number, pending] : requests_)
        for (MPI_Request& request : pending.parts) {
            if (request == MPI_REQUEST_NULL) continue;
            if (pending.is_receive) MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
    requests_.clear();
}

void MpiTransport::require_whole() const {
    require(kept_.empty(), Code::failed_step, "a new communicator",
            "an earlier call on this communicator lost a rank");
}

}  // namespace gemmill
