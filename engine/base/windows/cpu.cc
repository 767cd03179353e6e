#include "engine/base/cpu.h"

#include <algorithm>

#include "engine/base/windows/processors.h"

namespace bert {

// A process has a mask of CPUs only if all of them are in one group, of at most 64; else it may use all CPUs.
std::vector<size_t> allowed_cpus() {
  std::vector<size_t> cpus;
  USHORT groups = 1, group = 0;
  DWORD_PTR mask = 0, of_system = 0;
  if (GetProcessGroupAffinity(GetCurrentProcess(), &groups, &group) != 0 && groups == 1 &&
      GetProcessAffinityMask(GetCurrentProcess(), &mask, &of_system) != 0 && mask != 0) {
    return numbers_of({.Mask = mask, .Group = group, .Reserved = {}});
  }
  for_each_processor_relation(RelationGroup, [&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& entry) {
    for (WORD i = 0; i < entry.Group.ActiveGroupCount; ++i) {
      const KAFFINITY active = entry.Group.GroupInfo[i].ActiveProcessorMask;
      const std::vector<size_t> numbers = numbers_of({.Mask = active, .Group = i, .Reserved = {}});
      cpus.insert(cpus.end(), numbers.begin(), numbers.end());
    }
  });
  return cpus;
}

size_t cores_of(std::span<const size_t> cpus) {
  size_t cores = 0;
  for_each_processor_relation(RelationProcessorCore, [&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& entry) {
    const std::vector<size_t> own = numbers_of(entry.Processor.GroupMask[0]);  // a core is in one group
    cores += std::any_of(own.begin(), own.end(),
                         [&](size_t cpu) { return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end(); });
  });
  return cores == 0 ? cpus.size() : cores;
}

}  // namespace bert
