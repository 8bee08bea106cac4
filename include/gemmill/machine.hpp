// SPDX-License-Identifier: Apache-2.0
// A machine as data: memories, devices, links and the resources that links share.
//
// A machine comes from hardware (probe), from a file, from the catalogue, or from one line of text.
// Units: bytes, seconds, bytes per second, flop per second.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

using MemoryId = std::int32_t;
using DeviceId = std::int32_t;
using LinkId = std::int32_t;
using ResourceId = std::int32_t;
using ChipId = std::int32_t;

enum class MemoryKind : std::uint8_t { host, device };

/// A place where tiles can lie.
struct Memory {
    std::string name;
    MemoryKind kind = MemoryKind::device;
    std::int64_t capacity = 0;
    std::string origin;  ///< where the numbers come from
    bool operator==(const Memory&) const = default;
};

/// Measured flop/s of products of one type by their shape: flops[i * ks.size() + j] where the
/// result has edges[i]^2 elements and each is a sum over ks[j]. Edges and ks rise.
struct Rates {
    Type type = Type::d;
    std::vector<double> edges, ks, flops;
    bool operator==(const Rates&) const = default;
};

/// What kernels of one opcode reach: parts[i * others.size() + j] for squares of edges[i] rows at a
/// diagonal beside others[j] rows or columns, or sums over so many. Between them by logarithms,
/// beyond them as at the ends. A part is one of the rate of a product of the same shape; of trmm,
/// trmm_in_place (which overwrites its factor) and trsm of a large one.
/// Of opcode gemm it is a part of the chip's arithmetic peak, by shape as in Rates. Of `odd` it is
/// the part of the rate that is left where sizes are no multiples of the chip's grain, by the edge
/// of the result and the largest divisor that they and the grain have in common.
struct Efficiency {
    std::string op;
    std::string types;  ///< letters of the types it is for
    std::vector<double> edges, others, parts;
    bool leaves = false;  ///< other kernels can use the rest of the device meanwhile
    bool operator==(const Efficiency&) const = default;
};

/// What devices of one kind have in common.
struct Chip {
    std::string name;
    std::array<double, type_count> fma{};  ///< multiply-adds a cycle and multiprocessor; 0: none
    std::vector<Efficiency> efficiencies;  ///< an opcode that is not there reaches all
    std::string origin;
    index_t grain = 1;  ///< kernels like sizes and leading dimensions that are multiples of it
    /// Bytes of a device's memory that a plan cannot have: for the BLAS library to work in and for
    /// copies and sums of kernels at a diagonal, both of each compute queue, and for streams,
    /// handles and code all together. 0: as `gpu` of the library says.
    std::int64_t workspace = 0, scratch = 0, reserve = 0;
    bool operator==(const Chip&) const = default;
};

/// Something that runs kernels. A kernel of f flops that moves b bytes takes
/// launch + max(f / rate, b / bandwidth) when it runs alone, where rate is the peak, or what
/// `rates` say of its shape; kernels that run together share the device. `queues` is how many may
/// run at once.
struct Device {
    std::string name;
    MemoryId memory = -1;
    int queues = 1;
    double launch = 0;                      ///< seconds before a kernel starts
    double bandwidth = 0;                   ///< of its own memory, bytes/s
    std::array<double, type_count> peak{};  ///< flop/s by Type; 0: it cannot compute this type
    std::vector<Rates> rates;               ///< one a type at most
    ChipId chip = -1;                       ///< -1: nothing is known of its kind
    std::string origin;
    bool operator==(const Device&) const = default;
};

/// Something that several links use at once: a PCIe switch in one direction, host memory, an NVLink
/// port. Transfers that run together share it max-min fair.
struct Resource {
    std::string name;
    double bandwidth = 0;
    std::string origin;
    bool operator==(const Resource&) const = default;
};

/// A directed way from one memory to another (or within one: from == to).
struct Link {
    MemoryId from = -1;
    MemoryId to = -1;
    double bandwidth = 0;     ///< of one large transfer alone
    double latency = 0;       ///< seconds before the first byte
    double run_overhead = 0;  ///< extra bytes that each contiguous run of a 2-D copy costs
    std::vector<ResourceId> resources;
    std::string origin;
    bool operator==(const Link&) const = default;
};

/// What the host side of a library costs on this machine: seconds a call, seconds to issue a step,
/// seconds before a kernel starts, and bytes a second that all its transfers from and to host
/// memory share (0: what the machine has). Plans of policies that imitate it are costed with these.
struct Overhead {
    std::string name;  ///< of the library
    double call = 0, issue = 0, launch = 0, host = 0;
    std::string origin;
    bool operator==(const Overhead&) const = default;
};

struct Machine {
    std::string name;
    std::string origin;
    double issue = 0;  ///< host seconds to issue one step
    double call = 0;   ///< host seconds of one call before its first step
    /// Threads each way, and bytes of their pinned slots, with which host memory that is not pinned
    /// moves fastest; 0: not measured.
    std::int64_t packers = 0, slot = 0;
    /// Columns of fewer bytes than short_run of a taller matrix in pinned memory reach short_rate
    /// bytes/s beside kernels: faster packers pack them, too. 0: not measured.
    std::int64_t short_run = 0;
    double short_rate = 0;
    std::vector<Memory> memories;
    std::vector<Chip> chips;
    std::vector<Device> devices;
    std::vector<Resource> resources;
    std::vector<Link> links;
    std::vector<Overhead> overheads;
    bool operator==(const Machine&) const = default;
};

/// The link from one memory to another, or -1.
GEMMILL_API LinkId find_link(const Machine& machine, MemoryId from, MemoryId to) noexcept;
/// By name, or -1. `h` and `host` name the first host memory, a bare number n the memory of device
/// n.
GEMMILL_API MemoryId find_memory(const Machine& machine, std::string_view name) noexcept;
GEMMILL_API DeviceId find_device(const Machine& machine, std::string_view name) noexcept;

/// Contradictions in a machine, in words; empty when it is sound.
GEMMILL_API std::vector<std::string> check(const Machine& machine);

/// The text form (one record a line, docs/howto/add-a-machine.md). parse_machine(to_text(m)) == m.
/// Throws Error(parse) with the line's number.
GEMMILL_API std::string to_text(const Machine& machine);
GEMMILL_API Machine parse_machine(std::string_view text);

GEMMILL_API std::string to_json(const Machine& machine);
GEMMILL_API Machine machine_from_json(std::string_view json);

/// One line: "gpu:8(mem=80GB,d=60T,s=60T) nvlink:450GB/s pcie:55GB/s host:2TB".
GEMMILL_API Machine synthetic_machine(std::string_view line);

/// Machines that Gemmill knows by name.
GEMMILL_API std::vector<std::string> catalogue_names();

/// A catalogue name, a file in text or JSON form, or a synthetic line. The result passes check().
GEMMILL_API Machine load_machine(const std::string& name_or_file);

}  // namespace gemmill
