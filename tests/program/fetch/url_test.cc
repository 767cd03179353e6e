#include "program/fetch/url.h"

#include <gtest/gtest.h>

namespace bert::fetch {
namespace {

TEST(Url, HasItsOriginWithThePortInLowerCase) {
  EXPECT_EQ(parse_url("https://HuggingFace.co/api?x=1")->origin, "https://huggingface.co:443");
  EXPECT_EQ(parse_url("HTTP://a.example:8080")->origin, "http://a.example:8080");
  EXPECT_EQ(parse_url("http://a.example?x")->origin, "http://a.example:80");
  EXPECT_EQ(parse_url("http://[::1]:7/x")->origin, "http://[::1]:7");
  EXPECT_EQ(parse_url("http://[::1]/x")->origin, "http://[::1]:80");
  EXPECT_TRUE(parse_url("https://a/")->is_secure);
  EXPECT_FALSE(parse_url("http://a/")->is_secure);
}

TEST(Url, RefusesWhatReadersOfAddressesUnderstandDifferently) {
  for (const char* text : {"",
                           "a.example",
                           "file:///etc/passwd",
                           "ftp://a.example",
                           "http://",
                           "http:///x",
                           "http:a",
                           "http://user@a.example",
                           "http://user:secret@a.example",
                           "http://a.example\\@b.example",
                           "http://a b",
                           "http://a.example/a b",
                           "http://a.example/\n",
                           "http://a.example:",
                           "http://a:x",
                           "http://a:123456",
                           "http://[::1",
                           "http://::1/",
                           "http://[x]/",
                           "http://a%2eb/",
                           "http://\xC3\xA4.example/",
                           "http://a.example/\"x\"",
                           "javascript://a.example"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(Url, KnowsTheAddressesOfThisMachine) {
  for (const char* text :
       {"http://localhost", "http://LOCALHOST:80/", "http://127.0.0.1:9/x", "http://127.1.2.3", "http://[::1]:80"}) {
    EXPECT_TRUE(parse_url(text)->is_this_machine) << text;
  }
  for (const char* text : {"http://localhost.example", "http://127.0.0.1.example", "http://127.example", "http://a",
                           "http://127.0.0.1.", "http://128.0.0.1", "http://[::2]"}) {
    EXPECT_FALSE(parse_url(text)->is_this_machine) << text;
  }
}

TEST(Url, EscapesWhatIsNoPartOfAPath) {
  EXPECT_EQ(escaped_path("a b/\xC3\xA4?#%.txt"), "a%20b/%C3%A4%3F%23%25.txt");
  EXPECT_EQ(escaped_part("refs/pr/1"), "refs%2Fpr%2F1");
  EXPECT_EQ(escaped_path("org/name-1_2.3~"), "org/name-1_2.3~");
}

}  // namespace
}  // namespace bert::fetch
