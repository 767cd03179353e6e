#include <gtest/gtest.h>

#include <set>

#include "engine/checkpoint/checkpoint.h"
#include "models/config/family.h"
#include "tests/models/family_check.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(BertFamily, "bert-masked-lm", "bert-masked-lm-untied", "bert-multiple-choice", "bert-next-sentence",
                  "bert-no-pooler", "bert-odd-1", "bert-odd-1-bf16", "bert-odd-1-f16", "bert-odd-1-old-names",
                  "bert-odd-1-old-names-heads", "bert-odd-1-sharded", "bert-odd-2", "bert-odd-3", "bert-odd-4",
                  "bert-odd-5", "bert-pretraining", "bert-question-answering", "bert-relative-key",
                  "bert-relative-key-query", "bert-sequence-multi", "bert-sequence-regression", "bert-sequence-single",
                  "bert-token")

BERT_FAMILY_TESTS(BertActivations, "bert-act-gelu", "bert-act-gelu_10", "bert-act-gelu_accurate", "bert-act-gelu_fast",
                  "bert-act-gelu_new", "bert-act-gelu_python", "bert-act-gelu_python_tanh",
                  "bert-act-gelu_pytorch_tanh", "bert-act-laplace", "bert-act-leaky_relu", "bert-act-linear",
                  "bert-act-mish", "bert-act-quick_gelu", "bert-act-relu", "bert-act-relu2", "bert-act-relu6",
                  "bert-act-sigmoid", "bert-act-silu", "bert-act-swish", "bert-act-tanh")

// Together with ".weight" and ".bias", and a layer's number for "{}", these are the names that the reference library
// itself writes.
TEST(BertFamily, NamesEveryTensorOfAFileOfTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  const Family& family = bert_family;
  std::set<std::string> names;
  const auto add = [&](std::string_view pattern, bool bias) {
    for (const char* layer : {"0", "1", "2"}) {
      std::string name(pattern);
      if (const size_t at = name.find("{}"); at != std::string::npos) name.replace(at, 2, layer);
      names.insert(name + ".weight");
      if (bias) names.insert(name + ".bias");
    }
  };
  for (const auto table :
       {family.names.word_embeddings, family.names.token_type_embeddings, family.names.position_embeddings}) {
    add(table, false);
  }
  for (const auto layer :
       {family.names.embeddings_norm, family.names.query, family.names.key, family.names.value,
        family.names.attention_output, family.names.norm_after_attention, family.names.feed_forward_up,
        family.names.feed_forward_down, family.names.norm_after_feed_forward, family.names.pooler}) {
    add(layer, true);
  }
  std::set<std::string> stored;
  const Checkpoint checkpoint = Checkpoint::open(folder);
  for (const StoredTensor& tensor : checkpoint.tensors()) stored.insert(std::string(tensor.name));
  EXPECT_EQ(names, stored);
}

}  // namespace
}  // namespace bert
