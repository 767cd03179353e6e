#include "engine/base/thread_memory.h"

#include <cstdlib>

#include "engine/base/windows/system.h"

namespace bert {
namespace {

void WINAPI free_memory(void* memory) { std::free(memory); }

}  // namespace

// A thread that ends calls free_memory, so that a DLL which contains it must stay loaded.
ThreadMemory::ThreadMemory(size_t bytes) : bytes_(bytes) {
  constexpr DWORD kFlags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
  HMODULE module = nullptr;
  if (GetModuleHandleExW(kFlags, reinterpret_cast<LPCWSTR>(&free_memory), &module) == 0) return;
  const DWORD key = FlsAlloc(free_memory);
  if (key != FLS_OUT_OF_INDEXES) key_ = key;
}

void* ThreadMemory::of_this_thread() const noexcept {
  if (!key_) return nullptr;
  const auto key = static_cast<DWORD>(*key_);
  if (void* const memory = FlsGetValue(key)) return memory;
  void* const memory = std::calloc(1, bytes_);
  if (memory == nullptr || FlsSetValue(key, memory) != 0) return memory;
  std::free(memory);
  return nullptr;
}

}  // namespace bert
