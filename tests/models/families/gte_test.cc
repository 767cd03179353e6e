#include <gtest/gtest.h>

#include "tests/models/config_of.h"
#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(GteFamily, "gte")

// As in the reference's GteAttention, the size of a head is head_dim if config.json has this field.
TEST(GteFamily, HasHeadsOfASizeOfTheirOwn) {
  const auto head_dim = [](const std::string& settings) {
    return test::config_of(R"("model_type": "gte", "hidden_size": 64, "num_attention_heads": 4)" + settings).head_dim();
  };
  EXPECT_EQ(head_dim(""), 16u);
  EXPECT_EQ(head_dim(R"(, "head_dim": 8)"), 8u);
}

// The reference library's own class writes the newer names; the authors' code writes the older ones.
TEST(GteFamily, ReadsTheNewerNames) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/gte");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.split("attention.qkv_proj", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"});
    files.split("mlp.up_gate_proj", {"mlp.up_proj", "mlp.gate_proj"});
    files.rename("encoder.layer.", "layers.");
    files.rename("attention.o_proj", "self_attn.o_proj");
    files.rename("attn_ln", "post_attention_layernorm");
    files.rename("mlp_ln", "post_mlp_layernorm");
  });
}

TEST(GteFamily, ReadsTheTypeAndThePrefixOfTheAuthors) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/gte");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    for (test::TestTensor& tensor : files.tensors) tensor.name = "new." + tensor.name;
    files.config["model_type"] = "new";
    files.config["architectures"] = {"NewModel"};
    files.config["position_embedding_type"] = "rope";
    files.config["rope_theta"] = 160000;
    files.config.erase("rope_parameters");
  });
}

}  // namespace
}  // namespace bert
