// Tests the events of a JSON text. The expected values are those of Python 3.11's json, except for unpaired surrogates.
#include "program/common/json_reader.h"

#include <gtest/gtest.h>

#include <limits>

namespace bert::common {
namespace {

// Records the events in one line, such as {k"a"s"b"}.
class Recorder : public JsonEvents {
 public:
  void null() override { line += "n"; }
  void boolean(bool value) override { line += value ? "t" : "f"; }
  void number(std::string_view written) override { line += "<" + std::string(written) + ">"; }
  void string(std::string& value) override { line += "\"" + value + "\""; }
  void start_object() override { line += "{"; }
  void key(std::string& name) override { line += name + ":"; }
  void end_object() override { line += "}"; }
  void start_array() override { line += "["; }
  void end_array() override { line += "]"; }
  std::string line;
};

std::string events_of(std::string_view text, size_t max_depth = 100) {
  Recorder recorder;
  const auto problem = read_json(text, max_depth, recorder);
  return problem ? std::to_string(problem->position) + ": " + problem->what : recorder.line;
}

TEST(JsonReader, PassesTheValuesInTheirOrder) {
  EXPECT_EQ(events_of(" {\"a\" : [1, -2.5e+3,\ttrue,false , null, \"x\"], \"b\": {}, \"b\":[[ ]]}\r\n"),
            "{a:[<1><-2.5e+3>tfn\"x\"]b:{}b:[[]]}");
  EXPECT_EQ(events_of("0"), "<0>");
  EXPECT_EQ(events_of("[NaN,Infinity,-Infinity,1e999,123456789012345678901234567890]"),
            "[<NaN><Infinity><-Infinity><1e999><123456789012345678901234567890>]");
}

TEST(JsonReader, DecodesEscapes) {
  EXPECT_EQ(events_of(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00é")"),
            "\"\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001F600\u00e9\"");
  EXPECT_EQ(events_of(R"("\u0000")"), std::string("\"\0\"", 3));
}

TEST(JsonReader, ReadsHalfOfASurrogatePairAsTheReplacementCharacter) {
  EXPECT_EQ(events_of(R"({"k\ud83d":"cut \ud83d"})"), "{k\uFFFD:\"cut \uFFFD\"}");
  EXPECT_EQ(events_of(R"("\ud83d\ud83d\ude00")"), "\"\uFFFD\U0001F600\"");
  EXPECT_EQ(events_of(R"("\ude00\ud83d")"), "\"\uFFFD\uFFFD\"");
  EXPECT_EQ(events_of(R"("\ud83d\u0041\ud83d\n")"), "\"\uFFFDA\uFFFD\n\"");
  EXPECT_EQ(events_of(R"("\\ud83d")"), "\"\\ud83d\"");
  EXPECT_EQ(events_of(R"("\ud83d\u12")"), "9: found '1', expected four hexadecimal digits after \\u");
}

TEST(JsonReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(events_of(""), "0: found the end of the text, expected a value");
  EXPECT_EQ(events_of("[1,]"), "3: found ']', expected a value");
  EXPECT_EQ(events_of("[1 2]"), "3: found '2', expected a comma or ]");
  EXPECT_EQ(events_of("{\"a\":1,}"), "7: found '}', expected a key");
  EXPECT_EQ(events_of("{\"a\" 1}"), "5: found '1', expected a colon");
  EXPECT_EQ(events_of("{\"a\":1]"), "6: found ']', expected a comma or }");
  EXPECT_EQ(events_of("{} x"), "3: found 'x', expected the end of the text");
  EXPECT_EQ(events_of("\"ab"), "0: a string that never ends");
  EXPECT_EQ(events_of("\"a\n\""), "2: found the byte 0x0a, expected control characters escaped");
  EXPECT_EQ(events_of("\"\\x\""), "2: found 'x', expected an escape of JSON");
  for (const char* text :
       {"01", "1.", ".5", "+1", "1e", "-", "nul", "{a:1}", "--1", "[", "{", "'a'", "\xEF\xBB\xBF{}", "-NaN"}) {
    EXPECT_NE(events_of(text).find(": found "), std::string::npos) << text;
  }
}

TEST(JsonReader, WantsUtf8) {
  EXPECT_EQ(events_of("\"\u0080\u07FF\u0800\uD7FB\uFFFF\U00010000\U0010FFFF\""),
            "\"\u0080\u07FF\u0800\uD7FB\uFFFF\U00010000\U0010FFFF\"");
  for (const char* text :
       {"\"\x80\"", "\"\xC0\x80\"", "\"\xC1\xBF\"", "\"\xE0\x9F\x80\"", "\"\xED\xA0\x80\"", "\"\xF0\x8F\x80\x80\"",
        "\"\xF4\x90\x80\x80\"", "\"\xF5\x80\x80\x80\"", "\"\xC3\"", "\"\xE2\x82\""}) {
    EXPECT_NE(events_of(text).find("expected UTF-8"), std::string::npos) << text;
  }
}

TEST(JsonReader, LimitsTheLevels) {
  EXPECT_EQ(events_of("[[]]", 2), "[[]]");
  EXPECT_EQ(events_of("[[[]]]", 2), "2: more than 2 levels");
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(events_of(deep, std::numeric_limits<size_t>::max()),
            "1000000: found the end of the text, expected a value");
}

TEST(JsonReader, KnowsWhichNumbersADoubleHolds) {
  EXPECT_EQ(finite_number("-2.5e3"), -2500);
  EXPECT_EQ(finite_number("1e-999"), 0);
  EXPECT_EQ(finite_number("0." + std::string(400, '0') + "1"), 0);
  for (const char* text : {"NaN", "Infinity", "-Infinity", "1e999", "-1E+400"}) {
    EXPECT_EQ(finite_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bert::common
