// Runs a fuzz target on files and on all files of directories, in builds without libFuzzer. A missing path is an error,
// and so is no input at all.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"
#include "tests/support/test_data.h"

namespace fs = std::filesystem;

int main(int count, char** arguments) {
  std::vector<fs::path> inputs;
  for (int i = 1; i < count; ++i) {
    const fs::path path = arguments[i];
    if (fs::is_directory(path)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(path)) inputs.push_back(entry.path());
    } else {
      inputs.push_back(path);
    }
  }
  for (const fs::path& path : inputs) {
    const std::string bytes = bert::test::read_file(path);
    std::printf("%s, %zu bytes\n", path.c_str(), bytes.size());
    std::fflush(stdout);  // after a crash, the input's name is the last line
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}
