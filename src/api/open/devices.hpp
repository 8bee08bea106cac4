// SPDX-License-Identifier: Apache-2.0
// From the option `devices` to a backend.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>

#include "backend/cpu/probe.hpp"
#include "backend/gpu/gpu.hpp"
#include "backend/joined/joined.hpp"
#include "exec/backend.hpp"
#include "gemmill/options.hpp"

namespace gemmill {

/// Who does the calls of a context: no backend means the host BLAS. `gpus` are those of the
/// backend, which make batches of products, too; nullptr: it has none.
struct OpenDevices {
    OpenDevices() = default;
    // A backend is meant wherever devices are.
    // NOLINTBEGIN(google-explicit-constructor)
    template <std::derived_from<Backend> B>
    OpenDevices(std::unique_ptr<B> without_gpus) : backend(std::move(without_gpus)) {}
    OpenDevices(std::unique_ptr<GpuBackend> alone) : gpus(alone.get()) {
        backend = std::move(alone);
    }
    OpenDevices(std::unique_ptr<JoinedBackend> joined) : gpus(&joined->gpus()) {
        backend = std::move(joined);
    }
    // NOLINTEND(google-explicit-constructor)

    std::unique_ptr<Backend> backend;
    GpuBackend* gpus = nullptr;
    std::optional<Device> host;  ///< the CPU, which `auto` may choose beside GPUs
};

/// The devices that the options name; none for the host BLAS, which `auto` means where there is no
/// GPU. Throws Error when a device, or the machine that they name, is not there.
OpenDevices open_devices(const Options& options);

/// Throws Error(no_device) when the option `devices` names a kind that there is not. Opens nothing.
void check_devices(const std::string& devices);

/// What the option `devices` asks for where it names GPUs.
struct DevicesWanted {
    std::string gpus;  ///< "cuda", "cuda:0,2", "cuda:0x4"
    bool cpu = false;  ///< beside them
};
/// Nothing where it names none.
std::optional<DevicesWanted> parse_wanted(const std::string& devices);

/// This host and its GPUs: as calibrated, where that was done and nothing has changed since, else
/// as the system and the driver say. `why` says why there are no GPUs.
Machine this_machine(const HostFacts& host, std::string& why);

/// Where the calibration of this host is kept.
std::string calibration_file();

/// What is kept there, where it is of the same GPUs as the node. `note` says that it is used, or
/// why it is passed over; it stays empty where there is none.
std::optional<Machine> calibration_of(const Machine& node, std::string& note);

}  // namespace gemmill
