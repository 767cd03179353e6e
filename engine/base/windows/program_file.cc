#include "engine/base/program_file.h"

#include <string>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/base/windows/system.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

// Returns the file of a module; null: the program's. Empty if it is not known.
fs::path file_of(HMODULE module) {
  constexpr size_t kLongest = 32768;  // units of a path
  std::wstring file(kLongest, L'\0');
  file.resize(GetModuleFileNameW(module, file.data(), static_cast<DWORD>(file.size())));
  return file;
}

}  // namespace

fs::path own_program() { return file_of(nullptr); }

fs::path binary_of(const void* address) {
  constexpr DWORD kFlags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE module = nullptr;
  return GetModuleHandleExW(kFlags, static_cast<LPCWSTR>(address), &module) == 0 ? fs::path() : file_of(module);
}

uint64_t program_end(const Descriptor&, const fs::path& path) {
  throw Error(ErrorCode::kUnsupported,
              quote_path(utf8(path)) + ": a model goes behind a program for Linux only, and this is another system");
}

}  // namespace bert
