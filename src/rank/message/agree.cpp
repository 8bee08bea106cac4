// SPDX-License-Identifier: Apache-2.0
#include "rank/message/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "gemmill/error.hpp"
#include "matrix/distribution.hpp"
#include "rank/message/patience.hpp"

namespace gemmill {
namespace {

/// The least of each number over all ranks; what is to be the largest is given negated.
using Numbers = std::vector<std::int64_t>;

void wait_for(Transport& transport, Transport::Request request, int rank) {
    bool over = false;
    wait_until(
        transport, [&] { return over; }, [&] { return over = transport.is_done(request); },
        [&] { return fmt::format("rank {} sent nothing", rank); });
}

void exchange(Transport& transport, int to, const Numbers& mine, int from, Numbers& theirs) {
    const auto bytes = static_cast<std::int64_t>(mine.size() * sizeof(mine[0]));
    const auto in = transport.receive(from, agreement_tag, theirs.data(), bytes);
    const auto out = transport.send(to, agreement_tag, mine.data(), bytes);
    wait_for(transport, in, from);
    wait_for(transport, out, to);
}

/// By dissemination: after log2(P) rounds everyone has heard of everyone.
Numbers least(Transport& transport, const Numbers& mine) {
    const auto kept = std::make_shared<std::pair<Numbers, Numbers>>(mine, mine);
    try {
        for (int step = 1; step < transport.size(); step *= 2) {
            const int to = (transport.rank() + step) % transport.size();
            const int from = (transport.rank() - step + transport.size()) % transport.size();
            exchange(transport, to, kept->first, from, kept->second);
            for (std::size_t i = 0; i < mine.size(); ++i)
                kept->first[i] = std::min(kept->first[i], kept->second[i]);
        }
    } catch (const Error&) {
        transport.give_up(kept);
        throw;
    }
    return kept->first;
}

/// An error as bytes of a fixed size, so that nobody needs to be told how many.
struct Told {
    std::int32_t code = 0;
    char text[400] = {}, condition[108] = {};
};

Told told(const Error& error) {
    Told result;
    result.code = static_cast<std::int32_t>(error.code());
    error.text().copy(result.text, sizeof result.text - 1);
    error.condition().copy(result.condition, sizeof result.condition - 1);
    return result;
}

[[noreturn]] void throw_theirs(Transport& transport, int rank, const std::optional<Error>& mine) {
    const auto note = std::make_shared<Told>();
    try {
        if (rank == transport.rank()) {
            *note = told(*mine);
            for (int to = 0; to < transport.size(); ++to) {
                if (to == rank) continue;
                wait_for(transport, transport.send(to, text_tag, note.get(), sizeof *note), to);
            }
        } else {
            wait_for(transport, transport.receive(rank, text_tag, note.get(), sizeof *note), rank);
        }
    } catch (const Error&) {
        transport.give_up(note);
        throw;
    }
    throw Error(static_cast<Code>(note->code), note->text, note->condition);
}

std::optional<Error> error_of(const std::function<void()>& prepare, int rank) {
    try {
        prepare();
        return std::nullopt;
    } catch (const Error& error) {
        return Error(error.code(), fmt::format("rank {}: {}", rank, error.text()),
                     error.condition());
    } catch (const std::bad_alloc&) {
        return Error(Code::out_of_memory, fmt::format("rank {}: no memory", rank));
    } catch (const std::exception& error) {
        return Error(Code::internal, fmt::format("rank {}: {}", rank, error.what()));
    }
}

/// Keeps the sign away, so that a number and its negative are both there; mixed before, so that no
/// difference is in the bit that is lost.
std::int64_t positive(std::uint64_t x) { return static_cast<std::int64_t>(mixed(0, x) >> 1); }

}  // namespace

void agree(Transport& transport, const CallDigest& call, const std::function<void()>& prepare) {
    const std::optional<Error> mine = error_of(prepare, transport.rank());
    const std::int64_t nobody = std::numeric_limits<std::int64_t>::max();
    Numbers numbers{mine ? transport.rank() : nobody, positive(call.digest),
                    -positive(call.digest)};
    for (const std::uint64_t field : call.fields)
        numbers.push_back(positive(field)), numbers.push_back(-positive(field));
    const Numbers all = least(transport, numbers);
    if (all[0] != nobody) throw_theirs(transport, static_cast<int>(all[0]), mine);
    for (std::size_t i = 0; i < call.fields.size(); ++i)
        require(all[3 + 2 * i] == -all[4 + 2 * i], Code::bad_argument, "the same on every rank",
                fmt::format("{} differs between ranks", call.names[i]));
    require(all[1] == -all[2], Code::bad_argument, "the same on every rank",
            "arguments differ between ranks (GEMMILL_RANK_CHECK=on says which)");
}

}  // namespace gemmill
