#include <gtest/gtest.h>

#include <vector>

#include "bert/tokenizer.h"
#include "tests/models/family_check.h"
#include "tests/support/sentencepiece_writer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(DebertaV2Family, "deberta-v2", "deberta-v2-own-keys", "deberta-v2-sequence")

// The expected ids are those of the reference's class. The published file lacks the mask token, which
// added_tokens.json has.
TEST(DebertaV2Family, ReadsItsSentencePieceFile) {
  const test::TemporaryDirectory directory;
  directory.write("spm.model", test::sentencepiece_bytes({{"[PAD]", 0, 3},
                                                          {"[CLS]", 0, 3},
                                                          {"[SEP]", 0, 3},
                                                          {"[UNK]", 0, 2},
                                                          {"\u2581", -3},
                                                          {"a", -3},
                                                          {"\u2581b", -2},
                                                          {"c", -3}}));
  directory.write("added_tokens.json", R"({"[MASK]": 8})");
  directory.write("config.json", R"({"model_type": "deberta-v2"})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const Encoding pair = tokenizer.tokenize("b \n a[MASK]", "c");
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{1, 6, 4, 5, 8, 2, 4, 7, 2}));
  EXPECT_EQ(pair.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace bert
