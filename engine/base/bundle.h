// A model's files at the end of a program's file. Their paths go on after the program's: with a bundle at the end of
// "minilm", "minilm/config.json" is a file (engine/base/file.h opens it).
//
//   program | files, each at a multiple of 4,096 bytes | index | footer
//
// index: JSON, {"name": "all-MiniLM-L6-v2", "files": [{"name": "config.json", "offset": 15728640, "bytes": 612,
// "xxh64": "0123456789abcdef"}, …]}; offsets are in the whole file, the digests in hexadecimal. footer: five numbers of
// 64 bits, little-endian: the program's bytes, the index's offset, its bytes, its XXH64, the bytes of the whole; then
// "BERTPACK". The digests find damage; who changes a file on purpose can change them too. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/descriptor.h"

namespace bert {

struct BundledFile {
  std::string name;  // '/' between a folder and the file
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t digest = 0;  // XXH64
};

struct Bundle {
  std::string name;
  std::vector<BundledFile> files;
  uint64_t program_bytes = 0;

  const BundledFile* find(const std::string& file) const;  // nullptr if there is none
  bool has_folder(const std::string& folder) const;        // "" or one of a file
};

// Reads the index of an open file's bundle; nullopt if the file does not end as one. Throws Error(kInvalidFile) if
// footer or index are damaged, and Error(kIo). path: for messages.
std::optional<Bundle> read_bundle(const Descriptor& descriptor, const std::filesystem::path& path);

// A path of a bundle, or of a file in it.
struct BundlePath {
  std::filesystem::path file;  // the whole
  Bundle bundle;
  std::string inside;  // the file's name; "": the bundle's own path
};
std::optional<BundlePath> find_bundle(const std::filesystem::path& path);

// What goes behind the files: index and footer, in a file that is `bytes` long before. Reads nothing.
std::string bundle_end(const Bundle& bundle, uint64_t bytes);

// Where the next file begins, in a file of so many bytes.
uint64_t bundled_offset(uint64_t bytes);

// Reads all files: throws Error(kInvalidFile) with the first that is not what was written.
void check_bundle(const std::filesystem::path& path);

// How many bytes a program's file has before a bundle. Throws Error(kInvalidFile) if it is no program for Linux (ELF,
// 64 bits), or has other bytes after its end: a bundle that was truncated.
uint64_t program_bytes(const std::filesystem::path& path);

// The running program's file, if it has a bundle. Throws as program_bytes().
std::optional<std::filesystem::path> own_bundle();

}  // namespace bert
