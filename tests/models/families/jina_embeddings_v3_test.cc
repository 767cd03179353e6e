#include <gtest/gtest.h>

#include "tests/models/family_check.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(JinaV3Family, "jina-v3")

// The reference library's own class writes the newer names; the authors' code writes the older ones.
TEST(JinaV3Family, ReadsTheNewerNames) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/jina-v3");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.split("mixer.Wqkv", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"});
    files.rename("encoder.layers.", "layers.");
    files.rename("mixer.out_proj", "self_attn.o_proj");
    files.rename("emb_ln", "embeddings.LayerNorm");
    files.rename("norm1", "post_attention_layernorm");
    files.rename("norm2", "post_mlp_layernorm");
  });
}

}  // namespace
}  // namespace bert
