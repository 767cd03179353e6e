#include "engine/base/program_file.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>

#if !defined(BERT_INFER_STATIC)
#include <dlfcn.h>
#endif

#if defined(__linux__)
#include <elf.h>
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"

namespace bert {
namespace fs = std::filesystem;

fs::path binary_of([[maybe_unused]] const void* address) {
#if defined(BERT_INFER_STATIC)
  return own_program();
#else
  Dl_info found = {};
  return ::dladdr(address, &found) == 0 ? fs::path() : fs::path(found.dli_fname);
#endif
}

#if defined(__linux__)
fs::path own_program() {
  std::error_code none;
  constexpr const char* kLink = "/proc/self/exe";  // finds the file even after it was removed
  fs::path program = fs::read_symlink(kLink, none);
  if (none) return reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return fs::exists(program, none) ? program : kLink;
}

namespace {

// Reads parts of an open program; returns false if the file is too short.
struct ProgramReader {
  const Descriptor& descriptor;
  const fs::path& path;

  template <class Value>
  bool read(uint64_t offset, Value& value) const {
    return read_at(descriptor, path, offset, {reinterpret_cast<char*>(&value), sizeof(value)});
  }
};

}  // namespace

uint64_t program_end(const Descriptor& descriptor, const fs::path& path) {
  const ProgramReader program{descriptor, path};
  Elf64_Ehdr header = {};
  const bool is_read = program.read(0, header);
  if (!is_read || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw Error(ErrorCode::kInvalidFile, quote_path(path.string()) + ": expected a program for Linux (ELF, 64 bits)");
  }
  uint64_t end = std::max(header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize,
                          header.e_phoff + uint64_t{header.e_phnum} * header.e_phentsize);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section = {};
    if (!program.read(header.e_shoff + i * header.e_shentsize, section)) break;
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment = {};
    if (!program.read(header.e_phoff + i * header.e_phentsize, segment)) break;
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}
#else
fs::path own_program() {
#if defined(__wasm__)
  return "/bert_infer.wasm";  // a module has no file; the page provides the library's files under this root
#elif defined(__APPLE__)
  uint32_t bytes = 0;
  _NSGetExecutablePath(nullptr, &bytes);
  std::string program(bytes, '\0');
  if (_NSGetExecutablePath(program.data(), &bytes) == 0) return program.c_str();
#endif
  return {};
}

uint64_t program_end(const Descriptor&, const fs::path& path) {
  throw Error(ErrorCode::kUnsupported,
              quote_path(path.string()) + ": a model goes behind a program for Linux only, and this is another system");
}
#endif

}  // namespace bert
