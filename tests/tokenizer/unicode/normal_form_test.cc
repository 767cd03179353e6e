#include "tokenizer/unicode/normal_form.h"

#include <gtest/gtest.h>

#include "engine/base/utf8.h"
#include "tests/support/alignment.h"
#include "tests/support/random.h"
#include "tokenizer/normalizer/normalizer.h"

namespace bert {
namespace {

std::string form(const NormalForm& form, std::string_view text) {
  NormalizedText result = original_text(text, 0);
  apply(form, result);
  return test::alignment(result);
}

// The expected characters and byte offsets are those of tokenizers 0.22.2.
TEST(NormalForm, Decomposes) {
  EXPECT_EQ(form({.compatibility = true}, "\uFB01\u2460e\u0301\u0327"), "f0-3 i0-3 13-6 e6-7 \u03277-9 \u03019-11");
  EXPECT_EQ(form({}, "\uFB01\u00E9"), "\uFB010-3 e3-5 \u03013-5");
}

TEST(NormalForm, Composes) {
  EXPECT_EQ(form({.composed = true}, "e\u0301x\uD55C\uAC00\u1161"), "\u00E90-1 x3-4 \uD55C4-7 \uAC007-10 \u116110-13");
  EXPECT_EQ(form({.composed = true}, "\u1112\u1161\u11AB"), "\uD55C0-3");
  EXPECT_EQ(form({.compatibility = true, .composed = true}, "\uFB01e\u0327\u0301 q\u0323\u0307"),
            "f0-3 i0-3 \u02293-4 \u03016-8  8-9 q9-10 \u032310-12 \u030712-14");
}

// NFC does not change characters for which is_surely_nfc() is true, alone or in a text. It is false for few others.
TEST(NormalForm, KnowsTextsThatAreNfc) {
  std::string all;
  size_t doubts = 0;
  for (char32_t c = 1; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, c);
    if (is_surely_nfc(text)) {
      all += text;
    } else {
      ++doubts;
    }
  }
  EXPECT_GT(doubts, 1000u);
  EXPECT_LT(doubts, 3000u);
  NormalizedText normalized = original_text(all, 0);
  apply({.composed = true}, normalized);
  EXPECT_EQ(normalized.bytes, all);
  test::Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) append_utf8(text, static_cast<char32_t>(1 + random.below(0x3400)));
    if (!is_surely_nfc(text)) continue;
    normalized = original_text(text, 0);
    apply({.composed = true}, normalized);
    ASSERT_EQ(normalized.bytes, text);
  }
  EXPECT_TRUE(is_surely_nfc("na\u00EFve \u4E2D\u56FD \uD55C\uAC00\u304C"));
  for (const char* text : {"e\u0301", "\u212B", "\uF900", "\u1112\u1161", "\uAC00\u11A8", "\u304B\u3099"}) {
    EXPECT_FALSE(is_surely_nfc(text)) << text;
  }
}

}  // namespace
}  // namespace bert
