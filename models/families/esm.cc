// ESM-1b and ESM-2, for proteins: a norm before each block and one after all layers, rotary or learned positions, and
// masked tokens that count as absent. Each letter is a token.

#include "models/config/attention_settings.h"
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kEsmPrefixes[] = {"", "esm.", "model.", "0.auto_model."};
constexpr std::string_view kEsmIgnorable[] = {"embeddings.position_ids",
                                              "embeddings.position_embeddings.weight",
                                              "*.rotary_embeddings.inv_freq",
                                              "pooler.*",
                                              "lm_head.*",
                                              "classifier.*"};

void read_esm(const JsonObject& fields, ModelConfig& config) {
  require(fields, "is_folding_model", false);
  config.normalizes_embeddings = fields.nullable_boolean("emb_layer_norm_before").value_or(false);
  if (choice(fields, "position_embedding_type", {"absolute", "rotary"}) == "rotary") {
    config.position_embedding_type = "rotary";
    config.position_padding_id.reset();
    read_rotary(fields, 10000, config);
  }
  if (!fields.nullable_boolean("token_dropout").value_or(false)) return;
  const JsonObject::Range ids = {.min = 0, .max = static_cast<int64_t>(config.vocab_size) - 1};
  const auto mask = fields.nullable_integer("mask_token_id", ids);
  if (mask) config.dropped_token_id = static_cast<int32_t>(*mask);
}

constexpr Family make_esm() {
  Family family = make_roberta();
  family.model_type = "esm";
  family.class_prefix = "Esm";
  family.names_sentence_file = false;
  family.tokenizer = {.files = TokenizerFiles::kTokenList,
                      .unknown = "<unk>",
                      .separator = "<eos>",
                      .padding = "<pad>",
                      .classifier = "<cls>",
                      .mask = "<mask>",
                      .end = "<eos>",
                      .has_segments = false,
                      .has_segments_if_named = false};
  family.defaults.max_position_embeddings = 1026;
  family.defaults.type_vocab_size = 0;
  family.fields.type_vocab_size = nullptr;
  family.fields.hidden_act = nullptr;
  family.fields.position_embedding_type = nullptr;
  family.read_settings = read_esm;
  family.weights.prefixes = kEsmPrefixes;
  family.weights.ignorable = kEsmIgnorable;
  family.names.token_type_embeddings = "";
  family.names.embeddings_norm = "embeddings.layer_norm";
  family.names.norm_before_attention = "encoder.layer.{}.attention.LayerNorm";
  family.names.norm_after_attention = "";
  family.names.norm_before_feed_forward = "encoder.layer.{}.LayerNorm";
  family.names.norm_after_feed_forward = "";
  family.names.distance_embedding = "";
  family.names.final_norm = "encoder.emb_layer_norm_after";
  family.names.contacts = "contact_head.regression";
  return family;
}

}  // namespace

constinit const Family esm_family = make_esm();

}  // namespace bert
