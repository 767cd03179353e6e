// Tests bodies that come in pieces, which raw_requests_test.cc does not test.
#include "program/server/http/body.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using server::BodyReader;
using server::HttpFault;

TEST(HttpBody, IsTheSameHoweverItsBytesCome) {
  const std::string chunks = "3;a=\"b\"\r\nabc\r\n2\r\nde\r\n0\r\nA: b\r\n\r\n";
  const std::string bytes = chunks + "GET /next";
  for (size_t cut = 0; cut < chunks.size(); ++cut) {
    BodyReader reader({.is_chunked = true}, 5);
    EXPECT_EQ(reader.take(bytes.substr(0, cut)), cut);
    EXPECT_FALSE(reader.is_done()) << cut;
    EXPECT_EQ(reader.take(bytes.substr(cut)), chunks.size() - cut);
    EXPECT_TRUE(reader.is_done());
    EXPECT_EQ(reader.body(), "abcde");
  }
}

TEST(HttpBody, HasItsLength) {
  BodyReader reader({.length = 5}, 5);
  EXPECT_EQ(reader.take("ab"), 2u);
  EXPECT_EQ(reader.take("cdeGET"), 3u);
  EXPECT_TRUE(reader.is_done());
  EXPECT_EQ(reader.body(), "abcde");
  EXPECT_TRUE(BodyReader({.length = 0}, 5).is_done());
  EXPECT_THROW(BodyReader({.length = 6}, 5), HttpFault);
}

}  // namespace
}  // namespace bert::test
