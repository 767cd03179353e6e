#include "program/server/routes/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bert::test {
namespace {

std::string base64_of(std::string_view text) {
  return server::base64(std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

// The examples are those of RFC 4648, section 10.
TEST(Base64, EncodesTheRfcsExamples) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
}

// The bytes of 1.0f are 00 00 80 3f.
TEST(Base64, EncodesFloatsLittleEndian) {
  const float one[] = {1.0f};
  EXPECT_EQ(server::base64(std::span<const float>(one)), "AACAPw==");
}

}  // namespace
}  // namespace bert::test
