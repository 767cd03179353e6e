// JinaBERT v2: BERT with a slope per head for distances instead of positions, and a gate. Its config.json says "bert";
// position_embedding_type "alibi" distinguishes it. Read as BERT it would give plausible but wrong vectors.
#include "engine/base/quote.h"
#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {
namespace {

void read_jina_bert(const JsonObject& fields, ModelConfig&) {
  choice(fields, "feed_forward_type", {"geglu"});
  if (const auto code = fields.nullable_object("auto_map")) {
    const std::string name = code->nullable_string("AutoConfig").value_or("");
    if (name.find("qk-post-norm") != name.npos) {
      refuse_setting(*code, "AutoConfig", quote(name, 80), "JinaBERT without a norm of queries and keys");
    }
  }
}

constexpr std::string_view kJinaBertIgnorable[] = {"embeddings.position_ids", "embeddings.token_type_ids", "pooler.*",
                                                   "cls.*", "classifier.*"};

constexpr Family make_jina_bert() {
  Family jina = kBert;
  jina.position_embedding_type = "alibi";
  jina.class_prefix = "JinaBert";
  jina.tokenizer = {};
  jina.defaults.position_embedding_type = "alibi";
  jina.fields.position_embedding_type = nullptr;
  jina.read_settings = read_jina_bert;
  jina.weights.ignorable = kJinaBertIgnorable;
  jina.names.position_embeddings = "";
  jina.names.distance_embedding = "";
  jina.names.feed_forward_up = "encoder.layer.{}.mlp.gated_layers";
  jina.names.stacked_gate = Gate::Activated::kFirst;
  jina.names.feed_forward_down = "encoder.layer.{}.mlp.wo";
  jina.names.norm_after_feed_forward = "encoder.layer.{}.mlp.layernorm";
  jina.up_bias = Bias::kNever;
  return jina;
}

}  // namespace

constinit const Family jina_bert_family = make_jina_bert();

}  // namespace bert
