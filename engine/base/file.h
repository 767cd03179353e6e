// Reads untrusted files: only regular ones, up to a size limit. A bundle (engine/base/bundle.h) counts as a directory.
// Opening never blocks: a FIFO or a device is rejected after fstat of the open descriptor, so that the file cannot be
// exchanged in between.
// Stateless, except RegularFile, which owns a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/descriptor.h"

namespace bert {

// An open regular file. Throws Error with the path and the kind of file found.
class RegularFile {
 public:
  static RegularFile open(const std::filesystem::path& path);
  // Returns nullopt if the file does not exist. A link without a target is an error; an unfinished download leaves such
  // links.
  static std::optional<RegularFile> open_if_there(const std::filesystem::path& path);

  const Descriptor& descriptor() const { return descriptor_; }
  size_t begin() const { return begin_; }  // offset of the file's bytes in the open file: 0, except in a bundle
  size_t size() const { return size_; }    // in bytes, at opening
  const std::filesystem::path& path() const { return path_; }
  const FileStatus& opened() const { return opened_; }  // status at opening
  // Throws Error(kInvalidFile) if the file was written to since it was opened: if its size or its modification time
  // changed. A file that was renamed, replaced by a rename or removed counts as unchanged.
  void check_is_unchanged() const;

 private:
  static std::optional<RegularFile> open_in_bundle(const std::filesystem::path& path);
  RegularFile(std::filesystem::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  std::filesystem::path path_;
  Descriptor descriptor_;
  size_t begin_ = 0;
  size_t size_ = 0;
  FileStatus opened_;  // at opening
};

// Returns the status of an open file. Throws Error(kIo). path: for messages.
FileStatus status_of(const Descriptor& descriptor, const std::filesystem::path& path);

// Fills `bytes` from this offset of an open file; returns false if the file is too short. Throws Error(kIo). path: for
// messages.
bool read_at(const Descriptor& descriptor, const std::filesystem::path& path, uint64_t offset, std::span<char> bytes);

// Fills `bytes` from the file's beginning. Throws Error(kIo), and Error(kInvalidFile) if the file is too short.
void read_file(const RegularFile& file, std::span<char> bytes);

// Returns the whole file. Throws Error: kNotFound, kIo, or kInvalidFile for more than max_bytes or a file that is not
// regular.
std::string read_text_file(const std::filesystem::path& path, size_t max_bytes);
std::optional<std::string> read_text_file_if_there(const std::filesystem::path& path, size_t max_bytes);

// Returns whether the path, or the target of a link, is a directory; false for a path that is too long for the system.
// Throws Error(kIo) if the path cannot be examined.
bool directory_exists(const std::filesystem::path& path);

// Returns whether anything has this name, also a link without a target. Throws as directory_exists does.
bool is_there(const std::filesystem::path& path);

// Returns whether the name is a plain name of a file or directory: letters, digits, '.', '_' and '-', not beginning
// with '.', '_' or '-', at most 255 bytes.
bool is_plain_file_name(std::string_view name);

// Returns the real path of directory/relative. `relative` was read from the file `source`, so it must stay in the
// directory or, in the hub's local cache, whose snapshots are links to blobs, in the same models--… folder. Throws
// Error(kNotFound) if the path does not exist, Error(kInvalidFile), which names the target, if it is outside.
std::filesystem::path resolve_confined(const std::filesystem::path& directory, const std::filesystem::path& relative,
                                       std::string_view source);

}  // namespace bert
