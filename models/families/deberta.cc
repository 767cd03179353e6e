// DeBERTa, the first version: the second version's layers with other names and with their own projections of distances,
// and RoBERTa's tokenizer.
#include "models/config/attention_settings.h"
#include "models/families/deberta_v2.h"

namespace bert {
namespace {

void read_deberta(const JsonObject& fields, ModelConfig& config) {
  require(fields, "talking_head", false);
  read_disentangled_attention(fields, config);
  // This version's class does not read settings for them.
  config.disentangled->position_buckets = 0;
  config.disentangled->share_att_key = false;
  config.convolution.reset();
}

constexpr Family make_deberta() {
  Family family = make_deberta_v2();
  family.model_type = "deberta";
  family.class_prefix = "Deberta";
  family.tokenizer = {.files = TokenizerFiles::kByteLevelBpe,
                      .beginning = "[CLS]",
                      .end = "[SEP]",
                      .template_kind = TemplateKind::kDoubleSeparator};
  family.defaults.vocab_size = 50265;
  family.defaults.hidden_size = 768;
  family.defaults.num_hidden_layers = 12;
  family.defaults.num_attention_heads = 12;
  family.defaults.intermediate_size = 3072;
  family.read_settings = read_deberta;
  family.names.qkv_of_heads = "encoder.layer.{}.attention.self.in_proj";
  family.names.query_bias = "encoder.layer.{}.attention.self.q_bias";
  family.names.value_bias = "encoder.layer.{}.attention.self.v_bias";
  family.names.distance_query = "encoder.layer.{}.attention.self.pos_q_proj";
  family.names.distance_key = "encoder.layer.{}.attention.self.pos_proj";
  family.names.distance_norm = "";
  family.distance_key_bias = Bias::kNever;
  return family;
}

}  // namespace

constinit const Family deberta_family = make_deberta();

}  // namespace bert
