#include "engine/base/json/json.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>

#include "bert/error.h"
#include "engine/base/json/json_scanner.h"
#include "tests/support/sanitizers.h"

namespace bert {
namespace {

std::string parse_error(std::string_view text, const JsonOptions& limits = {}) {
  try {
    parse_json(text, "config.json", limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidFile);
    return error.what();
  }
  return "";
}

TEST(Json, KeepsEveryKindOfValue) {
  const JsonDocument document =
      parse_json(R"( {"a": [1, -2.5e1, "x\u0041"], "b": {"c": null, "": true}, "d": false} )", "x");
  const Json root = document.root();
  ASSERT_TRUE(root.is_object());
  EXPECT_EQ(root.size(), 3u);
  const Json a = *root.find("a");
  ASSERT_EQ(a.size(), 3u);
  EXPECT_EQ(a[0].integer(), 1);
  EXPECT_EQ(a[1].number(), -25);
  EXPECT_EQ(a[2].string(), "xA");
  const Json b = *root.find("b");
  EXPECT_TRUE(b.find("c")->is_null());
  EXPECT_TRUE(b.find("")->boolean());
  EXPECT_FALSE(b.find("a"));
  EXPECT_TRUE(root.find("d")->is_boolean());
  std::string keys;
  for (const auto& [key, value] : root.members()) keys += key;
  EXPECT_EQ(keys, "abd");
}

// A large object has an index, which is stored after its members, also inside other values.
TEST(Json, FindsTheMembersOfLargeObjects) {
  for (const int count : {63, 64, 1000}) {
    std::string object = "{";
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string((i * 37 + 11) % count);
      object += (i > 0 ? ", " : "") + ("\"k" + number) + "\": [" + number + ", {\"in\": 1}]";
    }
    std::vector<std::string> notices;
    const JsonDocument document =
        parse_json("[" + object + R"(, "k7": "again"}, "after"])", "x", {.notices = &notices});
    EXPECT_EQ(notices.size(), 1u);
    EXPECT_EQ(document.root().size(), 2u);
    EXPECT_EQ(document.root()[1].string(), "after");
    const Json large = document.root()[0];
    EXPECT_EQ(large.size(), static_cast<size_t>(count));
    int members = 0;
    for (const auto& [key, value] : large.members()) {
      EXPECT_EQ(value.is_string(), key == "k7");
      ++members;
    }
    EXPECT_EQ(members, count);
    for (int i = 0; i < count; ++i) {
      const auto found = large.find("k" + std::to_string(i));
      ASSERT_TRUE(found) << i;
      EXPECT_EQ(i == 7 ? 7 : (*found)[0].integer(), i);
    }
    EXPECT_EQ(large.find("k7")->string(), "again");
    for (const char* key : {"", "a", "k", "k00", "z", "in"}) EXPECT_FALSE(large.find(key)) << key;
    EXPECT_FALSE(document.root()[1].find("k7")) << "a string has no members";
  }
}

TEST(Json, GivesANumberOnlyWhereTheTypeHoldsIt) {
  const JsonDocument document = parse_json(
      "[9223372036854775807, 9223372036854775808, 18446744073709551616, 1.0, -1, 1e400, 1e-400, \"1\"]", "x");
  const Json list = document.root();
  EXPECT_EQ(list[0].integer(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(list[1].integer(), std::nullopt);
  EXPECT_EQ(list[1].unsigned_integer(), uint64_t{1} << 63);
  EXPECT_EQ(list[2].unsigned_integer(), std::nullopt);
  EXPECT_EQ(list[2].number(), 18446744073709551616.0);
  EXPECT_EQ(list[3].integer(), std::nullopt);
  EXPECT_EQ(list[4].unsigned_integer(), std::nullopt);
  EXPECT_EQ(list[5].number(), std::nullopt);
  EXPECT_EQ(list[7].number(), std::nullopt);
}

TEST(Json, RefusesADuplicateKeyAtAnyLevelByName) {
  EXPECT_EQ(parse_error(R"({"a": 1, "a": 2})"), "'config.json', byte 10: duplicate key 'a'");
  EXPECT_EQ(parse_error(R"([{"x": {"b": 1, "\u0062": 2}}])"), "'config.json', byte 17: duplicate key 'b'");
  EXPECT_EQ(parse_error(R"({"a long key, 1": 1, "b": 2, "a long key, 2": 3})"), "");
  EXPECT_EQ(parse_error(R"([{"a": 1}, {"a": {"a": 2}}])"), "");
}

TEST(Json, RefusesTooDeepAndTooLargeTexts) {
  EXPECT_EQ(parse_error(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_NE(parse_error(std::string(65, '[') + std::string(65, ']')).find("deeper than 64"), std::string::npos);
  EXPECT_NE(parse_error(std::string(1000000, '[')).find("deeper than 64"), std::string::npos);
  EXPECT_NE(parse_error("[1, 2]", {.max_bytes = 5}).find("6 bytes of JSON, expected at most 5"), std::string::npos);
}

// The expected values are those of Python 3.11's json.
TEST(Json, TakesTheLastValueOfARepeatedKeyWithANotice) {
  std::vector<std::string> notices;
  const JsonDocument document =
      parse_json(R"({"a": [1, 2], "b": {"c": 1, "d": 2, "c": [3]}, "a": 4, "e": 5, "\u0061": {"x": 1}})", "config.json",
                 {.notices = &notices});
  const Json root = document.root();
  EXPECT_EQ(json_excerpt(root), R"({"b":{"d":2,"c":[3]},"e":5,"a":{"x":1}})");
  EXPECT_EQ(root.size(), 3u);
  EXPECT_EQ(root.find("a")->find("x")->integer(), 1);
  EXPECT_EQ(notices, (std::vector<std::string>{
                         "'config.json': duplicate key 'b.c'; the last value counts, as in the reference",
                         "'config.json': duplicate key 'a' and others; the last value counts, as in the reference"}));
}

TEST(Json, ReadsHalvesOfSurrogatePairsAsPythonOrRefusesThemAsSerde) {
  const std::string text = R"({"cut \ud83d": "\ude00\ud83d\ud83d\ude00 \\ud83d"})";
  const JsonDocument document = parse_json(text, "config.json");
  const JsonMember member = *document.root().members().begin();
  EXPECT_EQ(member.key, "cut \uFFFD");
  EXPECT_EQ(member.value.string(), "\uFFFD\uFFFD\U0001F600 \\ud83d");
  EXPECT_NE(parse_error(text, {.dialect = JsonDialect::kSerde}).find("half of a surrogate pair"), std::string::npos);
  EXPECT_NE(parse_error("[NaN]", {.dialect = JsonDialect::kSerde}).find("found 'NaN]', expected a value of JSON"),
            std::string::npos);
}

TEST(Json, ReadsPythonLiteralsAsNumbersWithoutAValueAndLeavesTextsAlone) {
  const JsonDocument document = parse_json(R"({"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" Infinity"})", "x");
  EXPECT_TRUE(document.root().find("a")->is_number());
  EXPECT_EQ(json_excerpt(*document.root().find("a")), "NaN");
  for (const Json value : {*document.root().find("a"), (*document.root().find("b"))[0]}) {
    EXPECT_EQ(value.number(), std::nullopt);
    EXPECT_EQ(value.integer(), std::nullopt);
    EXPECT_EQ(value.unsigned_integer(), std::nullopt);
  }
  EXPECT_EQ((*document.root().find("b"))[0].string(), "-Infinity");
  EXPECT_EQ((*document.root().find("b"))[1].string(), "Infinity");
  EXPECT_EQ(document.root().find("c")->string(), "NaN \" Infinity");
}

TEST(Json, SaysWhatIsWrongAndWhereOnOneLine) {
  EXPECT_EQ(parse_error("{\n\"a\": \n]"), "'config.json', line 3, byte 8: found ']', expected a value of JSON");
  EXPECT_EQ(parse_error("\xEF\xBB\xBF{}"), "'config.json', byte 0: found '\xEF\xBB\xBF{}', expected a value of JSON");
  EXPECT_EQ(parse_error("{} {}"), "'config.json', byte 3: found '{}' after the JSON, expected only white space");
  for (const char* text :
       {"", "nul", "[1,]", "[1 2]", "{\"a\"}", "{a: 1}", "01", "+1", "1.", "\"\\ud80\"", "\"\xFF\""}) {
    EXPECT_NE(parse_error(text), "") << text;
  }
}

TEST(Json, SaysNoMoreThanALineOfALongToken) {
  const std::string error = parse_error("{\"a\": \"" + std::string(100000, 'x'));
  EXPECT_EQ(error, "'config.json', byte 6: a string that never ends");
  EXPECT_LT(parse_error("[" + std::string(100000, 'x')).size(), 100u);
}

TEST(Json, ShowsAValueAsItsTextCutAfterALine) {
  const auto shown = [](const std::string& text) { return json_excerpt(parse_json(text, "x").root()); };
  EXPECT_EQ(shown(R"( {"a": [1, "\"\\"], "b": {}} )"), R"({"a":[1,"\"\\"],"b":{}})");
  EXPECT_EQ(shown("[" + std::string(100, '1') + "]"), "[" + std::string(59, '1') + "…");
  EXPECT_EQ(shown("[\"\\n\"]"), "[\"\\x0a\"]");
}

TEST(Json, LeavesAValueToACallerWhoReadsItItself) {
  std::string read, paths;
  const auto read_value = [&](std::span<const std::string_view> path, JsonScanner& scanner) {
    for (const std::string_view key : path) paths.append(".").append(key);
    paths += " ";
    if (path.size() != 2 || path[1] != "b") return std::optional<JsonKind>();
    read = scanner.string("a string");
    return std::optional(JsonKind::kArray);
  };
  const JsonDocument document = parse_json(R"({"a": {"b": "x", "c": [1]}})", "x", {}, read_value);
  EXPECT_EQ(read, "x");
  EXPECT_EQ(json_excerpt(document.root()), R"({"a":{"b":[],"c":[1]}})");
  EXPECT_EQ(paths, " .a .a.b .a.c .a.c. ");
}

// Returns the prefix, as many units as fit, and the suffix. The text has the limit's size, or a 32nd of it under a
// sanitizer.
std::string filled(const std::string& prefix, const std::function<std::string(size_t)>& unit,
                   const std::string& suffix) {
  const size_t bytes = JsonOptions().max_bytes / (BERT_SANITIZED ? 32 : 1) - suffix.size() - 1;
  std::string text = prefix;
  for (size_t i = 0;; ++i) {
    const std::string next = unit(i);
    if (text.size() + next.size() > bytes) break;
    text += next;
  }
  while (text.ends_with(',')) text.pop_back();
  return text + suffix;
}

std::string repeated(const std::string& prefix, const std::string& unit, const std::string& suffix) {
  return filled(
      prefix, [&](size_t) { return unit; }, suffix);
}

// Returns distinct keys that are as short as possible: numbers in base 90, of characters that need no escape.
std::string short_key(size_t i) {
  std::string key;
  for (; i > 0 || key.empty(); i /= 90) {
    const char c = static_cast<char>('#' + i % 90);
    key += c == '\\' ? '!' : c;
  }
  return key;
}

// Sanitizers and unoptimised builds take several times as long.
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 4;
#else
constexpr double kMostSeconds = 20;
#endif

TEST(Json, ReadsOrRefusesEveryShapeOfTheLargestFileInSeconds) {
  const std::string open(63, '['), close(63, ']');
  const auto long_key = [](size_t i) { return "\"" + std::string(1000, 'k') + std::to_string(i) + "\":0,"; };
  const std::vector<std::pair<const char*, std::string>> shapes = {
      {"small objects", repeated("{\"x\":[", "{},", "]}")},
      {"small arrays", repeated("{\"x\":[", "[],", "]}")},
      {"numbers", repeated("{\"x\":[", "1,", "]}")},
      {"nested to the limit", repeated("{\"x\":[", open.substr(2) + close.substr(2) + ",", "]}")},
      {"nested beyond it", repeated("{\"x\":[", open + close + ",", "]}")},
      {"brackets alone", repeated("", "[", "")},
      {"objects alone", repeated("", "{\"a\":", "")},
      {"short keys", filled(
                         "{", [](size_t i) { return "\"" + short_key(i) + "\":0,"; }, "}")},
      {"long keys of one beginning", filled("{", long_key, "}")},
      {"one key", repeated("{", "\"a\":0,", "}")},
      {"objects with one key twice", repeated("[", "{\"a\":0,\"a\":0},", "]")},
      {"objects with a key", repeated("[", "{\"a\":0},", "]")},
      {"a long string", repeated("{\"x\":\"", "y", "\"}")},
      {"a long string of escapes", repeated("{\"x\":\"", "\\u00e9", "\"}")},
      {"a string that never ends", repeated("{\"x\":\"", "y", "")},
      {"a long number", repeated("{\"x\":", "1", "}")},
      {"a long fraction", repeated("{\"x\":0.", "1", "}")},
      {"huge numbers", repeated("{\"x\":[", "1e400,", "]}")},
      {"Python's literals", repeated("{\"x\":[", "NaN,-Infinity,", "]}")},
      {"white space", repeated("{", " \n", "}")},
      {"bytes that are not UTF-8", repeated("{\"x\":\"", "\xFF", "\"}")},
  };
  for (const auto& [name, text] : shapes) {
    const std::clock_t start = std::clock();  // counts this process only
    try {
      const JsonDocument document = parse_json(text, "x");
      if (document.root().is_object()) {
        for (int field = 0; field < 60; ++field) document.root().find("a field " + std::to_string(field));
        if (const auto x = document.root().find("x")) x->number();
      }
    } catch (const Error&) {
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, kMostSeconds) << name;
    std::printf("%-28s %.0f ms\n", name, 1000 * seconds);
  }
}

}  // namespace
}  // namespace bert
