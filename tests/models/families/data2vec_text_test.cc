#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

TEST(Data2VecTextFamily, IsRobertaByAnotherName) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/roberta");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    for (test::TestTensor& tensor : files.tensors) tensor.name = "data2vec_text." + tensor.name;
    files.config["model_type"] = "data2vec-text";
    files.config["architectures"] = {"Data2VecTextModel"};
  });
}

}  // namespace
}  // namespace bert
