#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

// ELECTRA has the same layers, with a projection of the embeddings under another name.
TEST(RemBertFamily, ProjectsItsEmbeddings) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/electra");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.rename("embeddings_project", "encoder.embedding_hidden_mapping_in");
    for (test::TestTensor& tensor : files.tensors) tensor.name = "rembert." + tensor.name;
    files.config["model_type"] = "rembert";
    files.config["architectures"] = {"RemBertModel"};
    files.config["input_embedding_size"] = files.config["embedding_size"];
    files.config.erase("embedding_size");
  });
}

}  // namespace
}  // namespace bert
