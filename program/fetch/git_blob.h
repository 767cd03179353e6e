// Computes git's name for a file's content, by which the hub names the files that are not in its large storage.
// Stateless.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace bert::fetch {

// SHA-1 (FIPS 180-4), for names and not for security: collisions can be made.
class Sha1 {
 public:
  void add(std::string_view bytes);
  std::string hex();  // returns 40 digits; add nothing afterwards

 private:
  void block(const unsigned char* bytes);

  std::array<uint32_t, 5> state_ = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  std::array<unsigned char, 64> rest_{};
  uint64_t bytes_ = 0;
};

// Returns the SHA-1 of "blob ", the size in digits, a zero byte, and the content. Throws Error if the file cannot be
// read.
std::string git_blob_name(const std::filesystem::path& file);

}  // namespace bert::fetch
