// SPDX-License-Identifier: Apache-2.0
// How the text form names the parts of a machine: by name ("gpu0", "host:gpu0") where that is plain
// and leads back to the same part, otherwise by number ("[3]").
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gemmill/machine.hpp"

namespace gemmill {

struct Record;

/// Names of all parts, made once. An id that the machine does not have is named by its number.
class MachineNames {
  public:
    explicit MachineNames(const Machine& machine);
    std::string memory(MemoryId id) const;
    std::string device(DeviceId id) const;
    std::string link(LinkId id) const;

  private:
    std::vector<std::string> memories_, devices_, links_;
};

/// The first link between two memories, by them.
using LinkTable = std::map<std::pair<MemoryId, MemoryId>, LinkId>;
LinkTable links_of(const Machine& machine);

/// The way back. Throw Error(parse) with the record's line when the machine has no such part.
MemoryId parse_memory(const Machine& machine, const Record& record, std::string_view text);
DeviceId parse_device(const Machine& machine, const Record& record, std::string_view text);
LinkId parse_link(const Machine& machine, const LinkTable& links, const Record& record,
                  std::string_view text);

}  // namespace gemmill
