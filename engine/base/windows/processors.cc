#include "engine/base/windows/processors.h"

namespace bert {

void for_each_processor_relation(LOGICAL_PROCESSOR_RELATIONSHIP kind,
                                 const std::function<void(const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX&)>& use) {
  DWORD bytes = 0;
  GetLogicalProcessorInformationEx(kind, nullptr, &bytes);
  std::vector<std::byte> memory(bytes);
  const auto at = [&](size_t offset) {
    return reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data() + offset);
  };
  if (bytes == 0 || GetLogicalProcessorInformationEx(kind, at(0), &bytes) == 0) return;
  for (size_t offset = 0; offset < bytes; offset += at(offset)->Size) use(*at(offset));
}

std::vector<size_t> numbers_of(const GROUP_AFFINITY& processors) {
  constexpr size_t kGroup = 8 * sizeof(KAFFINITY);
  std::vector<size_t> numbers;
  for (size_t bit = 0; bit < kGroup; ++bit) {
    if ((processors.Mask >> bit & 1) != 0) numbers.push_back(kGroup * processors.Group + bit);
  }
  return numbers;
}

}  // namespace bert
