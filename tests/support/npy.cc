#include "tests/support/npy.h"

#include <cstring>
#include <regex>
#include <stdexcept>
#include <string>

#include "tests/support/test_data.h"

namespace bert::test {

NpyArray read_npy(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const auto refuse = [&](const char* what) { throw std::runtime_error(path.string() + ": " + what); };
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0 || bytes[6] != 1) refuse("not a .npy of version 1");
  const size_t header_size =
      static_cast<unsigned char>(bytes[8]) | static_cast<size_t>(static_cast<unsigned char>(bytes[9])) << 8;
  const std::string header = bytes.substr(10, header_size);
  if (header.find("'<f8'") == std::string::npos) refuse("not float64");
  if (header.find("'fortran_order': False") == std::string::npos) refuse("not in C order");
  std::smatch shape;
  if (!std::regex_search(header, shape, std::regex(R"('shape': \(([0-9, ]*)\))"))) refuse("no shape");

  NpyArray array;
  size_t count = 1;
  const std::string dimensions = shape[1];
  static const std::regex number("[0-9]+");
  for (std::sregex_iterator it(dimensions.begin(), dimensions.end(), number), end; it != end; ++it) {
    array.shape.push_back(std::stoul(it->str()));
    count *= array.shape.back();
  }
  if (bytes.size() != 10 + header_size + count * sizeof(double)) refuse("size differs from shape");
  array.values.resize(count);
  std::memcpy(array.values.data(), bytes.data() + 10 + header_size, count * sizeof(double));
  return array;
}

}  // namespace bert::test
