#include "tests/lint/command_output.h"

#include <cstdio>
#include <memory>

namespace bert::lint {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output(1 << 20, '\0');
  size_t size = 0;
  while (const size_t count =
             pipe == nullptr ? 0 : std::fread(output.data() + size, 1, output.size() - size, pipe.get())) {
    size += count;
    if (size == output.size()) output.resize(2 * size);
  }
  output.resize(size);
  return output;
}

}  // namespace bert::lint
