// The source of a model's small files: a directory, or the library's own memory. Names are relative, with '/' after at
// most one folder. Immutable; any number of threads may read at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/utf8_path.h"

namespace bert {

inline constexpr size_t kMaxModelFile = size_t{16} << 20;  // limit of the size of every file

class FileSource {
 public:
  virtual ~FileSource() = default;
  // Returns the whole file; nullopt if it does not exist. Throws Error if it cannot be read or exceeds max_bytes.
  virtual std::optional<std::string> read(const std::string& name, size_t max_bytes) const = 0;
  // Returns the file's name for errors and notices.
  virtual std::string display_name(const std::string& name) const = 0;
  virtual std::string name() const = 0;  // the directory, or a substitute; "": none
};

// Files of a directory. Links may lead anywhere. But a name with a folder in it came from a file (modules.json), so its
// target must stay in the directory or, in the hub's cache, in the same model's folder.
class DirectorySource : public FileSource {
 public:
  explicit DirectorySource(std::filesystem::path directory) : directory_(std::move(directory)) {}
  std::optional<std::string> read(const std::string& name, size_t max_bytes) const override;
  std::string display_name(const std::string& name) const override;
  std::string name() const override { return utf8(directory_); }

 private:
  std::filesystem::path directory_;
};

class MemorySource : public FileSource {
 public:
  MemorySource(std::map<std::string, std::string_view> files, std::string name)
      : files_(std::move(files)), name_(std::move(name)) {}
  std::optional<std::string> read(const std::string& name, size_t max_bytes) const override;
  std::string display_name(const std::string& name) const override;
  std::string name() const override { return name_; }

 private:
  std::map<std::string, std::string_view> files_;  // the caller keeps the data alive
  std::string name_;
};

}  // namespace bert
