#include "tests/support/test_data.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/build_tree.h"

namespace bert::test {
namespace fs = std::filesystem;

fs::path find_test_data(const std::string& name) {
  const char* named = std::getenv("BERT_TEST_DATA");
  const fs::path folder = named != nullptr ? fs::path(named) : fs::path(source_directory()) / ".." / "shared" / "data";
  const fs::path path = folder / name;
  return fs::exists(path) ? path : fs::path();
}

fs::path find_minilm() {
  const char* named = std::getenv("BERT_TEST_MINILM");
  const fs::path path =
      named != nullptr ? fs::path(named) : fs::path(source_directory()) / "build" / "test-data" / "all-MiniLM-L6-v2";
  return fs::exists(path / "model.safetensors") ? path : fs::path();
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace bert::test
