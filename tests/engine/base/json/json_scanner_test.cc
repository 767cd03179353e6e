#include "engine/base/json/json_scanner.h"

#include <gtest/gtest.h>

#include <vector>

#include "bert/error.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

std::string read_string(std::string text) {
  JsonScanner scanner(text, "x", 0);
  const std::string result(scanner.string("a string"));
  scanner.end();
  return result;
}

uint64_t read_integer(std::string text) {
  JsonScanner scanner(text, "x", 0);
  const uint64_t result = scanner.integer("a number");
  scanner.end();
  return result;
}

std::string skip(std::string text, int depth = 4) {
  JsonScanner scanner(text, "x", 0);
  const std::string result(scanner.skip_value(depth));
  scanner.end();
  return result;
}

TEST(JsonScanner, ReadsStringsWithEscapes) {
  EXPECT_EQ(read_string(R"(  "" )"), "");
  EXPECT_EQ(read_string(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(read_string(R"("\u0041\u00e9\u20AC\uD83D\uDE00!")"), "Aé€😀!");
  EXPECT_EQ(read_string(R"("\u0000")"), std::string(1, '\0'));
  EXPECT_EQ(read_string("\"é€😀\""), "é€😀");
}

TEST(JsonScanner, RefusesMalformedStringsWithTheirPosition) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\"abc", "byte 0: a string that never ends"},
      {"\"abc\\\"", "byte 0: a string that never ends"},
      {"\"a\nb\"", "byte 2: a control character"},
      {"\"a\\x\"", "byte 3: found 'x\"' after a backslash"},
      {"\"\\u12", "byte 5: found the end of the text, expected four hexadecimal digits"},
      {"\"\\u12g4\"", "byte 5: found 'g4\"', expected four hexadecimal digits"},
      {"\"\\uD800\"", "byte 7: half of a surrogate pair"},
      {"\"\\uDC00\"", "byte 7: half of a surrogate pair"},
      {"\"\\uD800\\u0041\"", "half of a surrogate pair"},
      {"\"\\uD800\\n\"", "half of a surrogate pair"},
      {"\"a\xC0\x80\"", "byte 2: byte '\\xc0', expected UTF-8"},
      {"\"\xED\xA0\x80\"", "byte 1: byte '\\xed', expected UTF-8"},
      {"abc", "byte 0: found 'abc', expected a string"},
      {"", "byte 0: found the end of the text, expected a string"},
      {"\"a\" b", "byte 4: found 'b' after the JSON"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of([&json = text] { read_string(json); });
    EXPECT_NE(error.find(expected), std::string::npos) << text << ": " << error;
  }
}

TEST(JsonScanner, ReadsIntegersUpTo63Bits) {
  EXPECT_EQ(read_integer("0"), 0u);
  EXPECT_EQ(read_integer(" 12 "), 12u);
  EXPECT_EQ(read_integer("9223372036854775807"), 9223372036854775807u);
}

TEST(JsonScanner, RefusesEveryOtherNumber) {
  for (const std::string text : {"-1",
                                 "-0",
                                 "+1",
                                 "01",
                                 "00",
                                 "1.0",
                                 "1e3",
                                 "1E3",
                                 "0.",
                                 ".5",
                                 "9223372036854775808",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "99999999999999999999999999",
                                 "NaN",
                                 "Infinity",
                                 "true",
                                 "null",
                                 "\"1\"",
                                 "[1]",
                                 "",
                                 "0x10",
                                 "1_000"}) {
    const std::string error = error_of([&] { read_integer(text); });
    EXPECT_NE(error, "") << text;
  }
}

TEST(JsonScanner, ReadsNumbersAsTheyAreWritten) {
  const auto read = [](std::string text) {
    JsonScanner scanner(text, "x", 0);
    const std::string result(scanner.number("a score"));
    scanner.end();
    return result;
  };
  for (const char* text : {"0", "-0", "12", "-1.50", "1e5", "0.1E-3", "123456789012345678901234567890"}) {
    EXPECT_EQ(read(std::string("\n ") + text + " "), text);
  }
  for (const char* text : {"", "-", "+1", "01", "1.", ".5", "1e", "NaN", "Infinity", "true", "null", "\"1\"", "[1]"}) {
    const std::string error = error_of([&] { read(text); });
    EXPECT_NE(error.find("byte 0: found "), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find("expected a score"), std::string::npos) << text << ": " << error;
  }
}

TEST(JsonScanner, SaysWhatIsNext) {
  std::string text = " \n[ 1]";
  JsonScanner scanner(text, "x", 0);
  EXPECT_FALSE(scanner.next_is('{'));
  EXPECT_TRUE(scanner.next_is('['));
  scanner.expect('[', "an array");
  EXPECT_EQ(scanner.integer("a number"), 1u);
  EXPECT_EQ(error_of([&] { scanner.expect(',', "a comma"); }), "'x', line 2, byte 5: found ']', expected a comma");
  scanner.expect(']', "the end");
  EXPECT_FALSE(scanner.next_is(']'));
}

TEST(JsonScanner, SkipsAnyValueAndGivesItsText) {
  for (const std::string text : {"null", "true", "false", "0", "-0", "1.5e-10", "-12E+3", "\"a\"", "[]", "{}",
                                 R"([1, {"a": [null, "b"]}])", R"({"a": 1, "b": {"a": 2}})"}) {
    EXPECT_EQ(skip(" " + text + " "), text);
  }
}

TEST(JsonScanner, RefusesWhatIsNoJson) {
  for (const std::string text : {"",
                                 "nul",
                                 "tru",
                                 "+1",
                                 "01",
                                 "1.",
                                 ".1",
                                 "1e",
                                 "1e+",
                                 "-",
                                 "NaN",
                                 "Infinity",
                                 "-Infinity",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "[",
                                 "]",
                                 "{",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "{'a':1}",
                                 "{\"a\":1 \"b\":2}",
                                 "// x",
                                 "[1]]",
                                 "1 2",
                                 "\xEF\xBB\xBF{}"}) {
    EXPECT_NE(error_of([&] { skip(text); }), "") << text;
  }
}

TEST(JsonScanner, LimitsDepthAndKeysOfSkippedValues) {
  EXPECT_EQ(error_of([] { skip("[[[[]]]]", 4); }), "");
  EXPECT_NE(error_of([] { skip("[[[[[]]]]]", 4); }).find("byte 4: JSON is nested too deep"), std::string::npos);
  EXPECT_NE(error_of([] { skip(std::string(10'000'000, '[')); }).find("nested too deep"), std::string::npos);
  EXPECT_EQ(error_of([] { skip(R"({"a": 1, "\u0061": 2})"); }), "") << "what is not used does not matter";
  std::string keys = "{";
  for (int i = 0; i < 10001; ++i) keys += "\"" + std::to_string(i) + "\":0,";
  keys.back() = '}';
  EXPECT_NE(error_of([&] { skip(keys); }).find("more than 10000 keys"), std::string::npos);
}

TEST(JsonScanner, CountsPositionsFromTheFilesBegin) {
  std::string text = "[1, x]";
  JsonScanner scanner(text, "model.safetensors", 8);
  EXPECT_EQ(error_of([&] { scanner.array("an array", [&] { scanner.integer("a number"); }); }),
            "'model.safetensors', byte 12: found 'x]', expected a number: an integer of 0 to 2^63 - 1, digits only");
}

}  // namespace
}  // namespace bert
