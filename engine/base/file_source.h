// Where a model's small files come from: a directory, or the library itself. Names are relative, '/' between at most
// one folder and the file. Immutable; any number of threads may read at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace bert {

inline constexpr size_t kMaxModelFile = size_t{16} << 20;  // limit for every file read here

class FileSource {
 public:
  virtual ~FileSource() = default;
  // The whole file; nullopt if it does not exist. Throws Error if it cannot be read or exceeds max_bytes.
  virtual std::optional<std::string> read(const std::string& name, size_t max_bytes) const = 0;
  // The file's name in errors and notices.
  virtual std::string display_name(const std::string& name) const = 0;
  virtual std::string name() const = 0;  // of the directory, or a substitute
};

// Follows links to any place, but a name with a folder in it came from a file (modules.json) and must stay in the
// directory, or in the hub's cache of the same model.
class DirectorySource : public FileSource {
 public:
  explicit DirectorySource(std::filesystem::path directory) : directory_(std::move(directory)) {}
  std::optional<std::string> read(const std::string& name, size_t max_bytes) const override;
  std::string display_name(const std::string& name) const override;
  std::string name() const override { return directory_.string(); }

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
