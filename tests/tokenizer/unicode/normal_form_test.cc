#include "tokenizer/unicode/normal_form.h"

#include <gtest/gtest.h>

#include "tests/support/alignment.h"
#include "tokenizer/normalizer/normalizer.h"

namespace bert {
namespace {

std::string form(const NormalForm& form, std::string_view text) {
  NormalizedText result = original_text(text, 0);
  apply(form, result);
  return test::alignment(result);
}

// The reference's own characters and offsets (version 0.22.2), as bytes.
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

}  // namespace
}  // namespace bert
