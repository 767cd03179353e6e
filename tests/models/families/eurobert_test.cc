#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(EuroBertFamily, "eurobert")

// The file of a tied masked-token model has only the encoder's tensors. Its class names the head.
TEST(EuroBertFamily, HasATiedMaskedTokenHeadByItsClass) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/eurobert");
  test::FamilyFiles files = test::FamilyFiles::read(folder);
  EXPECT_TRUE(Model::load(folder.string()).heads().empty());
  files.config["architectures"] = {"EuroBertForMaskedLM"};
  files.config["tie_word_embeddings"] = true;
  const test::TemporaryDirectory directory;
  files.write(directory);
  EXPECT_EQ(Model::load(directory.path().string()).heads(), std::vector<Head>{Head::kMaskedLm});
}

}  // namespace
}  // namespace bert
