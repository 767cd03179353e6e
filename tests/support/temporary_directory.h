// A directory for a test, removed with everything in it by the destructor.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bert::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file and its folders, and returns the file's path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace bert::test
