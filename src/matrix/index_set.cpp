// SPDX-License-Identifier: Apache-2.0
#include "matrix/index_set.hpp"

#include <algorithm>

namespace gemmill {
namespace {

/// Adds a run, which may continue the last one.
void append(IndexSet& set, const IndexRun& next) {
    if (next.count <= 0) return;
    if (!set.empty()) {
        IndexRun& last = set.back();
        if (last.begin + last.count == next.begin && last.offset + last.count == next.offset) {
            last.count += next.count;
            return;
        }
    }
    set.push_back(next);
}

/// The first run that ends behind an index.
IndexSet::const_iterator first_behind(const IndexSet& set, index_t index) {
    return std::ranges::partition_point(
        set, [&](const IndexRun& run) { return run.begin + run.count <= index; });
}

/// Calls f(count, from offset, to offset) for each common run of indices.
template <class F>
void for_common(const IndexSet& from, const IndexSet& to, F&& f) {
    if (from.empty() || to.empty()) return;
    // A part of a long set is found without walking all of it.
    auto a = first_behind(from, to.front().begin);
    auto b = first_behind(to, from.front().begin);
    while (a != from.end() && b != to.end()) {
        const index_t first = std::max(a->begin, b->begin);
        const index_t end_a = a->begin + a->count, end_b = b->begin + b->count;
        const index_t last = std::min(end_a, end_b);
        if (first < last)
            f(last - first, a->offset + first - a->begin, b->offset + first - b->begin);
        if (end_a <= end_b) ++a;
        if (end_b <= end_a) ++b;
    }
}

}  // namespace

index_t total(const IndexSet& set) {
    index_t sum = 0;
    for (const IndexRun& run : set) sum += run.count;
    return sum;
}

index_t total(const Matches& matches) {
    index_t sum = 0;
    for (const Match& match : matches) sum += match.count;
    return sum;
}

IndexSet whole(index_t count) { return count > 0 ? IndexSet{{0, count, 0}} : IndexSet{}; }

IndexSet between(const IndexSet& set, index_t first, index_t last) {
    IndexSet result;
    for (const IndexRun& run : set) {
        const index_t begin = std::max(first, run.begin);
        const index_t end = std::min(last, run.begin + run.count);
        append(result, {begin, end - begin, run.offset + begin - run.begin});
    }
    return result;
}

IndexSet within(const IndexSet& set, index_t from, index_t count) {
    IndexSet result = between(set, from, from + count);
    for (IndexRun& run : result) run.begin -= from;
    return result;
}

IndexSet packed(const IndexSet& set) {
    IndexSet result;
    index_t offset = 0;
    for (const IndexRun& run : set) {
        append(result, {run.begin, run.count, offset});
        offset += run.count;
    }
    return result;
}

IndexSet positions(const IndexSet& set, index_t first, index_t count) {
    IndexSet result;
    index_t position = 0;
    for (const IndexRun& run : set) {
        const index_t from = std::max<index_t>(0, first - position);
        const index_t to = std::min(run.count, first + count - position);
        append(result, {run.begin + from, to - from, run.offset + from});
        position += run.count;
    }
    return result;
}

Matches positions(const Matches& matches, index_t first, index_t count) {
    Matches result;
    index_t position = 0;
    for (const Match& match : matches) {
        const index_t from = std::max<index_t>(0, first - position);
        const index_t to = std::min(match.count, first + count - position);
        if (from < to) result.push_back({to - from, match.from + from, match.to + from});
        position += match.count;
    }
    return result;
}

index_t position_of(const IndexSet& set, index_t index) {
    index_t position = 0;
    for (const IndexRun& run : set)
        position += std::clamp<index_t>(index - run.begin, 0, run.count);
    return position;
}

Matches meet(const IndexSet& from, const IndexSet& to) {
    Matches matches;
    for_common(from, to, [&](index_t count, index_t a, index_t b) {
        if (!matches.empty()) {
            Match& last = matches.back();
            if (last.from + last.count == a && last.to + last.count == b) {
                last.count += count;
                return;
            }
        }
        matches.push_back({count, a, b});
    });
    return matches;
}

index_t overlap(const IndexSet& a, const IndexSet& b) {
    index_t sum = 0;
    for_common(a, b, [&](index_t count, index_t, index_t) { sum += count; });
    return sum;
}

bool is_one_run(const Matches& matches) {
    for (std::size_t i = 1; i < matches.size(); ++i)
        if (matches[i - 1].from + matches[i - 1].count != matches[i].from) return false;
    return true;
}

}  // namespace gemmill
