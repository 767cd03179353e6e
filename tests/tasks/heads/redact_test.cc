#include "bert/redact.h"

#include <gtest/gtest.h>

#include "engine/base/hash/sha256.h"
#include "tests/support/expect_error.h"
#include "tests/support/firing_models.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

const char* const kMail = R"([\w.+-]+@[\w-]+\.[\w.-]+)";

Entity entity(std::string_view text, std::string_view word, const std::string& label = "PER", double score = 0.9) {
  const size_t start = text.find(word);
  return {label, score, std::string(word), start, start + word.size(), 0, 0};
}

TEST(RedactExpression, DividesALabelFromItsExpression) {
  const RedactExpression one = redact_expression("A=b=c");
  EXPECT_EQ(one.label, "A");
  EXPECT_EQ(one.expression, "b=c");
  for (const char* wrong : {"", "a", "=a", "a="}) {
    test::error_of(ErrorCode::kInvalidArgument, [&] { redact_expression(wrong); });
  }
}

TEST(Redactor, ReplacesMatchesAndEntitiesOnce) {
  const Redactor redactor({.expressions = {{"EMAIL", kMail}, {"YEAR", "[0-9]{4}"}}});
  const std::string text = "é Ada <ada@b.org> 1843, 12345; Lovelace.";
  const RedactedText found =
      redactor.redact(text, std::vector<Entity>{entity(text, "Ada"), entity(text, "Lovelace", "ORG")});
  EXPECT_EQ(found.text, "é <PER> <<EMAIL>> <YEAR>, <YEAR>5; <ORG>.");
  ASSERT_EQ(found.replaced.size(), 5u);
  EXPECT_EQ(found.replaced[0].label, "PER");
  EXPECT_EQ(found.replaced[0].place, (Offset{3, 6}));
  EXPECT_EQ(found.replaced[0].code_points, (Offset{2, 5}));
  EXPECT_EQ(redactor.redact("").text, "");
  EXPECT_EQ(redactor.redact("nothing here").text, "nothing here");
}

TEST(Redactor, JoinsPartsThatOverlapUnderTheLongestOnesLabel) {
  const Redactor redactor({.expressions = {{"A", "bc+"}, {"B", "abc"}}});
  const std::string text = "xx abcccc abc";
  EXPECT_EQ(redactor.redact(text).text, "xx <A> <B>");
  const std::string names = "one two three";
  EXPECT_EQ(
      redactor.redact(names, std::vector<Entity>{entity(names, "one two", "X"), entity(names, "two three", "Y")}).text,
      "<Y>");
}

// If an entity ends within a word, the whole word is replaced, so that no part of a name stays. Between ideographs an
// entity may end anywhere.
TEST(Redactor, MakesEntitiesWholeWords) {
  const Redactor redactor({});
  const auto redacted = [&](const std::string& text, const std::string& word) {
    return redactor.redact(text, std::vector<Entity>{entity(text, word)}).text;
  };
  EXPECT_EQ(redacted("Mr. Lovelace-King said", "Lovel"), "Mr. <PER>-King said");
  EXPECT_EQ(redacted("Zoë Kravitz", "Zo"), "<PER> Kravitz");
  EXPECT_EQ(redacted("我叫王小明。", "王小明"), "我叫<PER>。");
  EXPECT_EQ(redacted("Ольга пришла", "льг"), "<PER> пришла");
  EXPECT_EQ(redacted("zoe\xCC\x88 k", "zoe"), "<PER> k");
}

TEST(Redactor, HasMasksAndKeyedDigests) {
  const std::string text = "a Zoë@b.org b";
  EXPECT_EQ(Redactor({.expressions = {{"E", "\\w+@\\S+"}}, .mask = "█"}).redact(text).text, "a █████████ b");
  const std::string key = "0123456789abcdef";
  const Redactor hashed({.expressions = {{"E", "\\w+@\\S+"}}, .replacement = "{{{label}:{hash}}}", .key = key});
  EXPECT_EQ(hashed.redact(text).text, "a {E:" + hmac_sha256(key, "Zoë@b.org").substr(0, 32) + "} b");
}

TEST(Redactor, TakesOnlyWhatIsAskedFor) {
  const std::string text = "Ada Bob";
  const std::vector<Entity> entities = {entity(text, "Ada", "PER", 0.4), entity(text, "Bob", "ORG", 0.9)};
  EXPECT_EQ(Redactor({.only = {"PER"}}).redact(text, entities).text, "<PER> Bob");
  EXPECT_EQ(Redactor({.least_score = 0.5}).redact(text, entities).text, "Ada <ORG>");
}

TEST(Redactor, SaysWhatIsWrongWithItsRules) {
  const auto error = [](RedactRules rules) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { Redactor{std::move(rules)}; });
  };
  EXPECT_NE(error({.replacement = "<{name}>"}).find("expected {label} and {hash} alone in braces"), std::string::npos);
  EXPECT_NE(error({.replacement = "{label"}).find("expected {label}"), std::string::npos);
  EXPECT_NE(error({.replacement = "}"}).find("expected {label}"), std::string::npos);
  EXPECT_EQ(error({.replacement = "{hash}", .key = "short"}), "a key of 5 bytes for {hash}, expected at least 16");
  EXPECT_EQ(error({.mask = "**"}), "mask '**', expected one character");
  EXPECT_EQ(error({.mask = ""}), "mask '', expected one character");
  EXPECT_EQ(error({.expressions = {{"", "a"}}}), "an expression with an empty label, expected a name");
  EXPECT_NE(error({.expressions = {{"X", "("}}}).find("label 'X': regular expression '('"), std::string::npos);
}

// Errors name places, never the text.
TEST(Redactor, KeepsTextsOutOfErrors) {
  const Redactor redactor({.expressions = {{"X", "(a+)+$"}}});
  const std::string slow = std::string(40, 'a') + "secret!";
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { redactor.redact("secret \xff"); }),
            "not valid UTF-8 at byte 7");
  try {
    redactor.redact(slow);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
    EXPECT_STREQ(without_text(error).what(), "the text cannot be read");
  }
}

TEST(Redactor, NamesTheExpressionThatTakesTooLong) {
  const Redactor redactor({.expressions = {{"YEAR", "[0-9]{4}"}, {"EMAIL", kMail}}});
  const std::string text = std::string(262'143, 'a') + "@";
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { redactor.redact(text); }),
            "the search for the expression with the label 'EMAIL' takes too long in a text of 262144 bytes");
}

TEST(Redactor, EndsWhenItsCallerDoes) {
  const Redactor redactor({.expressions = {{"EMAIL", kMail}}});
  const std::string text = std::string(262'143, 'a') + "@";
  size_t asked = 0;
  EXPECT_EQ(test::error_of(ErrorCode::kCancelled,
                           [&] { redactor.redact(text, {}, {.goes_on = [&] { return ++asked < 3; }}); }),
            "the redaction was cancelled");
  EXPECT_EQ(asked, 3u);
}

// The 4,000 digits become 1,000 digests, which have 32,000 bytes together, and 1,000 labels of 4 bytes.
TEST(Redactor, AsksForMemoryBeforeItIsTaken) {
  const Redactor redactor({.expressions = {{"CODE", "[0-9]{4}"}}, .replacement = "{hash}", .key = "0123456789abcdef"});
  const std::string text(4000, '7');
  size_t parts = 0, bytes = 0;
  const auto reserve = [&](size_t most_parts, size_t most_bytes) {
    parts = most_parts;
    bytes = most_bytes;
    return most_bytes < 50'000;
  };
  EXPECT_EQ(redactor.redact(text, {}, {.reserve = reserve}).text.size(), 32'000u);
  EXPECT_EQ(parts, 1000u);
  EXPECT_EQ(bytes, 4000 + 32'000 + 4 * 1000u);
  EXPECT_EQ(test::error_of(ErrorCode::kOutOfMemory, [&] { redactor.redact(text + text, {}, {.reserve = reserve}); }),
            "not enough memory for what takes the place of the parts");
  // The matches are counted during the search, so that it ends early.
  const auto few = [](size_t most_parts, size_t) { return most_parts < 2000; };
  test::error_of(ErrorCode::kOutOfMemory, [&] {
    Redactor({.expressions = {{"X", "7"}}}).redact(text, {}, {.reserve = few});
  });
}

// Each of 100,000 entities ends within one word.
TEST(Redactor, LooksAtEachCharacterOfAWordOnce) {
  const size_t count = 100'000;
  std::string text;
  std::vector<Entity> entities;
  for (size_t i = 0; i < count; ++i) {
    entities.push_back({"X", 0.9, "brown", text.size(), text.size() + 5, 0, 0});
    text += "brown_";
  }
  EXPECT_EQ(Redactor({}).redact("a " + text).text, "a " + text);
  EXPECT_EQ(Redactor({}).redact(text, entities).text, "<X>");
}

// Returns 60 texts with characters that tokenizers and offsets often handle wrongly, around a word that the model finds
// and an address.
std::vector<std::string> unusual_texts() {
  const std::vector<std::string> parts = {"",
                                          " ",
                                          "\t",
                                          "\r",
                                          "\xC2\xA0",
                                          "\xE2\x80\x8B",
                                          "é",
                                          "e\xCC\x81",
                                          "😀",
                                          "👩\xE2\x80\x8D👩",
                                          "我",
                                          "ß",
                                          "\xEF\xBB\xBF",
                                          "(",
                                          "\"",
                                          "[SEP]",
                                          "[MASK]",
                                          "\x01",
                                          "\xE2\x80\xAE",
                                          "a\xCC\x80\xCC\x81",
                                          "\xF0\x9F\x87\xAB\xF0\x9F\x87\xB7",
                                          "İ",
                                          "{label}",
                                          "\\"};
  std::vector<std::string> texts;
  for (size_t i = 0; i < 60; ++i) {
    const std::string& a = parts[i % parts.size()];
    const std::string& b = parts[(i * 7 + 3) % parts.size()];
    texts.push_back(a + " fox " + b + " ada.b@example.org " + a + " dog" + (i % 3 == 0 ? " fox" : ""));
  }
  return texts;
}

TEST(Redact, ReplacesAllInUnusualTexts) {
  const test::TemporaryDirectory directory;
  test::write_firing_tagger(directory, {{"fox", "B-NAME"}});
  const Model model = Model::load(directory.path().string());
  const Redactor redactor({.expressions = {{"EMAIL", kMail}}});
  for (const std::string& text : unusual_texts()) {
    const RedactedText found = redact(model, text, redactor);
    const size_t foxes = text.ends_with(" fox") ? 2 : 1;
    EXPECT_EQ(found.replaced.size(), foxes + 1) << text;
    EXPECT_EQ(found.text.find("fox"), std::string::npos) << found.text;
    EXPECT_EQ(found.text.find("example"), std::string::npos) << found.text;
    EXPECT_NE(found.text.find(" dog"), std::string::npos) << found.text;
    // What is left is the text without these parts.
    std::string expected = text;
    for (const auto& [part, name] : {std::pair{"fox", "<NAME>"}, {"fox", "<NAME>"}, {"ada.b@example.org", "<EMAIL>"}}) {
      const size_t at = expected.find(part);
      if (at != expected.npos) expected.replace(at, std::string(part).size(), name);
    }
    EXPECT_EQ(found.text, expected);
  }
}

TEST(Redact, ReadsAllOfALongText) {
  const test::TemporaryDirectory tagger, gliner;
  test::write_firing_tagger(tagger, {{"brown", "B-X"}, {"fox", "E-X"}});
  test::write_firing_gliner(gliner);
  std::vector<size_t> places;
  for (size_t place = 0; place < 2990; place += 9) places.push_back(place);
  const std::string text = test::text_with_foxes(3000, places);
  const Redactor redactor({});
  for (const bool reads : {false, true}) {
    const Model model = Model::load((reads ? gliner : tagger).path().string());
    RedactOptions options;
    if (reads) options.labels.labels = {"coding"};
    const RedactedText found = redact(model, text, redactor, options);
    EXPECT_EQ(found.replaced.size(), places.size());
    EXPECT_EQ(found.text.find("fox"), std::string::npos);
    EXPECT_EQ(found.text.find("brown"), std::string::npos);
  }
}

TEST(Redact, PassesOnNothingThatWasNotRead) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliner(directory, {.settings = R"("max_len": 8)"});
  const Model model = Model::load(directory.path().string());
  RedactOptions options{.labels = {.labels = {"dog"}}};
  std::string long_word = "the ";
  for (int i = 0; i < 200; ++i) long_word += "dog-";
  EXPECT_NE(test::error_of(ErrorCode::kInvalidText, [&] { redact(model, long_word + "dog", Redactor({}), options); })
                .find("tokens of the text that the model cannot read"),
            std::string::npos);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { redact(model, "a", Redactor({})); }),
            "no labels, expected at least one: the model reads them with a text");
  const Model other = Model::builtin();
  test::error_of(ErrorCode::kNotFound, [&] { redact(other, "a", Redactor({})); });
}

}  // namespace
}  // namespace bert
