// A model's files appended to a program's file. A path to one of them begins with the program's path: with a bundle at
// the end of "minilm", "minilm/config.json" is a file (engine/base/file.h opens it).
//
//   program | files, each at a multiple of 4,096 bytes | index | footer
//
// index: JSON, {"name": "all-MiniLM-L6-v2", "files": [{"name": "config.json", "offset": 15728640, "bytes": 612,
// "xxh64": "0123456789abcdef"}, …]}; offsets are in the whole file, the digests in hexadecimal. footer: five 64-bit
// little-endian numbers: the program's bytes, the index's offset, its bytes, its XXH64, the bytes of the whole; then
// "BERTPACK". The digests detect damage, not deliberate changes. Stateless.
#pragma once

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

  const BundledFile* find(const std::string& file) const;  // nullptr: no such file
  bool has_folder(const std::string& folder) const;        // whether a file is in this folder; true for ""
};

// Reads the index of an open file's bundle; returns nullopt if the file does not end with a footer. Throws
// Error(kInvalidFile) if footer or index are damaged, and Error(kIo). path: for messages.
std::optional<Bundle> read_bundle(const Descriptor& descriptor, const std::filesystem::path& path);

// A path of a bundle, or of a file in it.
struct BundlePath {
  std::filesystem::path file;  // the file that has the bundle
  Bundle bundle;
  std::string inside;  // the file's name; "": the bundle's own path
};
std::optional<BundlePath> find_bundle(const std::filesystem::path& path);

// Returns the index and footer for a file that has `bytes` bytes before them. Reads nothing.
std::string bundle_end(const Bundle& bundle, uint64_t bytes);

// Returns the offset of the next file, in a file of this many bytes.
uint64_t bundled_offset(uint64_t bytes);

// Reads all files of a bundle. Throws Error(kInvalidFile) for the first one whose digest differs.
void check_bundle(const std::filesystem::path& path);

// Returns the number of bytes that a program's file has before a bundle. Throws Error(kInvalidFile) if the file is not
// a program for Linux (ELF, 64 bits), or has other bytes after its end, such as a truncated bundle.
uint64_t program_bytes(const std::filesystem::path& path);

// Returns the path of the running program's file if it has a bundle. Throws as program_bytes() does.
std::optional<std::filesystem::path> own_bundle();

}  // namespace bert
