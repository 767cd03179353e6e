// MPNet: a bias per bucket of distances, shared by all layers; positions start after padding id 1, whatever the
// configuration says; no segments.
#include "engine/layers/relative_positions.h"
#include "models/config/attention_settings.h"
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kMPNetPrefixes[] = {"", "mpnet.", "model.", "0.auto_model."};

constexpr std::string_view kMPNetIgnorable[] = {"embeddings.position_ids",
                                                "embeddings.token_type_ids",
                                                "embeddings.position_embeddings.weight",
                                                "*.distance_embedding.weight",
                                                "pooler.*",
                                                "lm_head.*",
                                                "classifier.*",
                                                "qa_outputs.*",
                                                "encoder.relative_attention_bias.weight"};

// The reference always uses this many buckets, whatever the table's rows are.
void read_mpnet(const JsonObject& fields, ModelConfig&) {
  require(fields, "relative_attention_num_buckets", static_cast<double>(RelativePositions::kBuckets));
}

constexpr Family make_mpnet() {
  Family mpnet = make_roberta();
  mpnet.model_type = "mpnet";
  mpnet.class_prefix = "MPNet";
  mpnet.names_sentence_file = false;
  mpnet.tokenizer.files = TokenizerFiles::kWordPiece;
  mpnet.tokenizer.usual = false;
  mpnet.tokenizer.unknown = "[UNK]";
  mpnet.tokenizer.mask_takes_space = true;
  mpnet.tokenizer.trims_spans = true;
  mpnet.tokenizer.processing = "";
  mpnet.defaults.vocab_size = 30527;
  mpnet.defaults.type_vocab_size = 1;
  mpnet.defaults.position_embedding_type = "relative_bias";
  mpnet.fields.type_vocab_size = nullptr;
  mpnet.fields.position_embedding_type = nullptr;
  mpnet.padding_of_positions = 1;
  mpnet.read_settings = read_mpnet;
  mpnet.weights.prefixes = kMPNetPrefixes;
  mpnet.weights.ignorable = kMPNetIgnorable;
  mpnet.names.token_type_embeddings = "";
  mpnet.names.query = "encoder.layer.{}.attention.attn.q";
  mpnet.names.key = "encoder.layer.{}.attention.attn.k";
  mpnet.names.value = "encoder.layer.{}.attention.attn.v";
  mpnet.names.attention_output = "encoder.layer.{}.attention.attn.o";
  mpnet.names.norm_after_attention = "encoder.layer.{}.attention.LayerNorm";
  mpnet.names.distance_embedding = "";
  mpnet.names.relative_bias = "encoder.relative_attention_bias";
  return mpnet;
}

}  // namespace

constinit const Family mpnet_family = make_mpnet();

}  // namespace bert
