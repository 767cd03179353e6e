#include "engine/base/hash/xxh64.h"

#include <gtest/gtest.h>

#include <vector>

namespace bert {
namespace {

// The expected values are those of the Python package xxhash 4.1.0, which has the original's code.
TEST(Xxh64, IsTheOriginals) {
  std::vector<std::byte> bytes;
  for (unsigned i = 0; i < 300; ++i) bytes.push_back(static_cast<std::byte>((i * 7 + 3) % 256));
  const std::pair<size_t, uint64_t> cases[] = {
      {0, 0xEF46DB3751D8E999},   {1, 0x1F25C8D0BC1F4BB6},   {3, 0x31D2363F52E564C9},   {4, 0x9BB64B7D66EE9FDA},
      {7, 0x9A7B149959CE60D8},   {8, 0xDAB99D95C6F90092},   {15, 0x1B47CB8243CC8E32},  {31, 0xA2AA5F33CC4A6119},
      {32, 0x23C3C17EF790FD97},  {33, 0x50A7CFC7BA588784},  {63, 0x5E3E54B431C7493C},  {64, 0x0EB64B3EF6EEB01F},
      {100, 0xA61F8D4C170FE531}, {255, 0x39AE55A29989206F}, {300, 0x240004DBEE0BA6DC},
  };
  for (const auto& [size, expected] : cases) EXPECT_EQ(xxh64({bytes.data(), size}), expected) << size;
}

}  // namespace
}  // namespace bert
