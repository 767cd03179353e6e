#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "bert/tokenizer.h"
#include "tests/models/family_check.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(MpnetFamily, "mpnet")

// The expected values are those of transformers 5.23 on this vocabulary.
TEST(MpnetFamily, HasBertsPiecesBetweenSpecialTokensOfItsOwn) {
  const test::TemporaryDirectory directory;
  directory.write("vocab.txt", "<s>\n<pad>\n</s>\n[UNK]\na\nb\n<mask>");
  directory.write("config.json", R"({"model_type": "mpnet"})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const Encoding pair = tokenizer.tokenize("A <mask>", "b c");
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{0, 4, 6, 2, 2, 5, 3, 2}));
  EXPECT_EQ(pair.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(pair.offsets[2], (Offset{2, 8})) << "the mask takes the space, and spans are trimmed";
}

}  // namespace
}  // namespace bert
