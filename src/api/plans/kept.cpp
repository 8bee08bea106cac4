// SPDX-License-Identifier: Apache-2.0
#include "api/plans/kept.hpp"

#include <algorithm>
#include <functional>

#include "gemmill/error.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t column_bytes(const Operand& shape) {
    return static_cast<std::size_t>(shape.rows * bytes_of(shape.type));
}

/// The device memory with most room, which must be twice what is asked for: calls need some too.
MemoryId roomiest(const Backend& backend, std::int64_t bytes) {
    MemoryId found = -1;
    std::int64_t most = 2 * bytes;
    const auto& memories = backend.machine().memories;
    for (std::size_t m = 0; m < memories.size(); ++m) {
        if (memories[m].kind != MemoryKind::device) continue;
        const std::int64_t room = backend.room(static_cast<MemoryId>(m));
        if (room >= most) most = room + 1, found = static_cast<MemoryId>(m);
    }
    return found;
}

void fill(const KeptCopy& copy, const Operand& shape, const void* data, index_t ld) {
    const std::size_t column = column_bytes(shape);
    auto* to = static_cast<std::byte*>(copy.data);
    const auto* from = static_cast<const std::byte*>(data);
    if (ld == shape.rows) {
        copy.backend.copy(to, from, column * static_cast<std::size_t>(shape.cols));
        return;
    }
    const auto step = static_cast<std::size_t>(ld * bytes_of(shape.type));
    for (std::size_t j = 0; j < static_cast<std::size_t>(shape.cols); ++j)
        copy.backend.copy(to + j * column, from + j * step, column);
}

}  // namespace

KeptCopy::KeptCopy(Backend& at, MemoryId where, const Operand& shape)
    : backend(at),
      memory(where),
      type(shape.type),
      rows(shape.rows),
      cols(shape.cols),
      data(at.allocate(where, column_bytes(shape) * static_cast<std::size_t>(shape.cols))) {}

KeptCopy::~KeptCopy() { backend.release(data); }

void Kept::keep(const void* pointer) {
    require(pointer != nullptr, Code::bad_argument, "not null", "keep: pointer is null");
    const std::lock_guard lock(mutex_);
    entries_.try_emplace(pointer);
    count_ = entries_.size();
}

void Kept::drop(const void* pointer) {
    const std::lock_guard lock(mutex_);
    require(entries_.erase(pointer) > 0, Code::bad_argument, "a pointer that is kept",
            "drop: pointer is not kept");
    count_ = entries_.size();
}

bool Kept::give_up() {
    if (empty()) return false;
    const std::lock_guard lock(mutex_);
    bool some = false;
    for (auto& [pointer, entry] : entries_) {
        some = some || entry.copy;
        entry.copy = nullptr, entry.given_up = true;
    }
    return some;
}

/// What begins within the target, or reaches into it.
void Kept::drop_written(const Operand& target, const void* data, index_t ld) {
    if (target.rows == 0 || target.cols == 0) return;
    const auto* begin = static_cast<const std::byte*>(data);
    const auto* end = begin + (ld * (target.cols - 1) + target.rows) * bytes_of(target.type);
    const std::less<const void*> before;
    std::erase_if(entries_, [&](const auto& one) {
        const auto* first = static_cast<const std::byte*>(one.first);
        return before(first, end) && before(begin, first + std::max<index_t>(1, one.second.extent));
    });
    count_ = entries_.size();
}

/// Nothing where there is no room for it.
std::shared_ptr<KeptCopy> Kept::copy_of(Entry& entry, Backend& backend, const Operand& shape,
                                        const void* data, index_t ld) {
    if (entry.given_up) return nullptr;
    const auto& old = entry.copy;
    if (old && old->type == shape.type && old->rows == shape.rows && old->cols == shape.cols &&
        entry.ld == ld)
        return old;
    try {
        const auto bytes =
            static_cast<std::int64_t>(column_bytes(shape) * static_cast<std::size_t>(shape.cols));
        const MemoryId memory = roomiest(backend, bytes);
        if (memory < 0) return nullptr;
        auto made = std::make_shared<KeptCopy>(backend, memory, shape);
        fill(*made, shape, data, ld);
        entry.extent =
            std::max(entry.extent, (ld * (shape.cols - 1) + shape.rows) * bytes_of(shape.type));
        entry.ld = ld;
        entry.copy = made;
        return made;
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory) throw;
        return nullptr;
    }
}

Kept::Held Kept::use(Backend& backend, bool capped, Problem& problem, Binding& binding) {
    Held held;
    if (empty()) return held;
    Plan frame;
    describe(problem, frame);
    const std::lock_guard lock(mutex_);
    const auto target = static_cast<std::size_t>(frame.goal.target);
    drop_written(frame.operands[target], binding.data[target], binding.ld[target]);
    const auto& memories = backend.machine().memories;
    for (std::size_t o = 0; !capped && o < frame.operands.size(); ++o) {
        const Operand& shape = frame.operands[o];
        const auto entry = entries_.find(binding.data[o]);
        const bool on_host =
            memories[static_cast<std::size_t>(shape.home)].kind == MemoryKind::host;
        if (o == target || entry == entries_.end() || !on_host || shape.rows == 0 ||
            shape.cols == 0 || !is_read(frame.goal, static_cast<OperandId>(o)))
            continue;
        auto copy = copy_of(entry->second, backend, shape, binding.data[o], binding.ld[o]);
        if (!copy) continue;
        binding.data[o] = copy->data;
        binding.ld[o] = shape.rows;
        problem.home[o] = copy->memory;
        problem.pitch[o] = 0;
        held.push_back(std::move(copy));
    }
    return held;
}

}  // namespace gemmill
