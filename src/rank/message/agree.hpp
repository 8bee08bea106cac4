// SPDX-License-Identifier: Apache-2.0
// Before anything is sent or written, all ranks find out whether all of them can go on.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "rank/message/transport.hpp"

namespace gemmill {

/// Tags of messages that are not part of a program lie behind those that are.
inline constexpr std::int64_t agreement_tag = -1, text_tag = -2, exchange_tag = -3;

/// What every rank must have been given alike, as a number; with `fields` each argument alone.
struct CallDigest {
    std::uint64_t digest = 0;
    std::vector<std::uint64_t> fields;  ///< empty: only the digest is compared
    std::vector<const char*> names;     ///< of the fields
};

/// Does `prepare` and then lets all ranks return, or throw the same Error: that of the lowest rank
/// whose prepare threw, or one that says that arguments differ. Every rank of the group calls it.
void agree(Transport& transport, const CallDigest& call, const std::function<void()>& prepare);

}  // namespace gemmill
