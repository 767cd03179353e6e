#include "tests/support/temporary_directory.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>

namespace bert::test {
namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
#if defined(_WIN32)
  do path_ = fs::temp_directory_path() / ("bert-test-" + std::to_string(std::random_device()()));
  while (!fs::create_directory(path_));
#else
  std::string name = (fs::temp_directory_path() / "bert-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory " + name);
  path_ = fs::canonical(name);
#endif
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
#if defined(_WIN32)
  fs::remove_all(path_.string() + ".mapped", ignored);
#endif
}

fs::path TemporaryDirectory::write(const std::string& name, std::string_view content) const {
  const fs::path path = path_ / name;
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
#if defined(_WIN32)
  if (!file && fs::exists(path)) {  // a model has it mapped: only its name can be another
    const std::string old = path_.string() + ".mapped";
    fs::create_directories(old);
    fs::rename(path, fs::path(old) / std::to_string(std::random_device()()));
    file.open(path, std::ios::binary);
  }
#endif
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file) throw std::runtime_error("cannot write " + path.string());
  return path;
}

}  // namespace bert::test
