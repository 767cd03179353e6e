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

inline constexpr size_t kMaxModelFile = size_t{16} << 20;  // of all that is read here

class FileSource {
 public:
  virtual ~FileSource() = default;
  // The whole file; nullopt where there is none. Throws Error for one that cannot be read or has more than max_bytes.
  virtual std::optional<std::string> read(const std::string& name, size_t max_bytes) const = 0;
  // How errors and notices call the file.
  virtual std::string display_name(const std::string& name) const = 0;
  virtual std::string name() const = 0;  // of the directory, or what stands for one
};

// Reads through links wherever they lead, but a name with a folder in it came from a file (modules.json) and must stay
// in the directory, or in the hub's cache of the same model.
class DirectorySource : public FileSource {
 public:
  explicit DirectorySource(std::filesystem::path directory) : directory_(std::move(directory)) {}
  std::optional<std::string> read(const std::string& name, size_t max_bytes) const override;
  std::string display_name(const std::string& name) const override;
  std::string name() const override { return directory_.native(); }

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
  std::map<std::string, std::string_view> files_;  // the maker keeps the memory
  std::string name_;
};

}  // namespace bert
