// Tests the parts of heads, and heads that come in pieces, which raw_requests_test.cc does not test.
#include "program/server/http/head.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using server::HeadScanner;
using server::HttpFault;
using server::HttpRequest;

TEST(HttpHead, EndsAtItsEmptyLineHoweverItsBytesCome) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string bytes = head + "body\n";
  HeadScanner whole(1000);
  EXPECT_EQ(whole.scan(bytes), head.size());
  HeadScanner pieces(1000);
  for (size_t size = 1; size < head.size(); ++size) EXPECT_EQ(pieces.scan(bytes.substr(0, size)), 0u) << size;
  EXPECT_EQ(pieces.scan(bytes), head.size());
  HeadScanner small(head.size() - 1);
  EXPECT_THROW(small.scan(bytes), HttpFault);
}

TEST(HttpHead, FindsABadLineEndBeforeTheRestComes) {
  HeadScanner scanner(1000);
  EXPECT_EQ(scanner.scan("GET / HTTP/1.1\r"), 0u);
  EXPECT_THROW(scanner.scan("GET / HTTP/1.1\rH"), HttpFault);
  scanner.reset();
  EXPECT_THROW(scanner.scan("GET / HTTP/1.1\n"), HttpFault);
}

TEST(HttpHead, ReadsTargets) {
  HttpRequest head;
  server::read_target("/a/b?c=d?e", head);
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.query, "c=d?e");
  HttpRequest absolute;
  server::read_target("HTTP://h:1?c", absolute);
  EXPECT_EQ(absolute.path, "/");
  EXPECT_EQ(absolute.query, "c");
}

}  // namespace
}  // namespace bert::test
