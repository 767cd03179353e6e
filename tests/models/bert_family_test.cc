#include <gtest/gtest.h>

#include <set>

#include "engine/checkpoint/checkpoint.h"
#include "models/family.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

TEST(BertFamily, NumbersEveryLayersName) {
  const Family& family = bert_family();
  for (const std::string_view name :
       {family.query, family.key, family.value, family.attention_output, family.attention_norm, family.feed_forward_up,
        family.feed_forward_down, family.output_norm}) {
    EXPECT_NE(name.find("{}"), std::string_view::npos) << name;
  }
}

// Together with ".weight" and ".bias", and a layer's number for "{}", these are the names that the reference library
// itself writes.
TEST(BertFamily, NamesEveryTensorOfAFileOfTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  const Family& family = bert_family();
  std::set<std::string> names;
  const auto add = [&](std::string_view pattern, bool bias) {
    for (const char* layer : {"0", "1", "2"}) {
      std::string name(pattern);
      if (const size_t at = name.find("{}"); at != std::string::npos) name.replace(at, 2, layer);
      names.insert(name + ".weight");
      if (bias) names.insert(name + ".bias");
    }
  };
  for (const auto table : {family.word_embeddings, family.token_type_embeddings, family.position_embeddings}) {
    add(table, false);
  }
  for (const auto layer :
       {family.embeddings_norm, family.query, family.key, family.value, family.attention_output, family.attention_norm,
        family.feed_forward_up, family.feed_forward_down, family.output_norm, family.pooler}) {
    add(layer, true);
  }
  std::set<std::string> stored;
  const Checkpoint checkpoint = Checkpoint::open(folder);
  for (const StoredTensor& tensor : checkpoint.tensors()) stored.insert(std::string(tensor.name));
  EXPECT_EQ(names, stored);
}

}  // namespace
}  // namespace bert
