// Jina embeddings v3: XLM-RoBERTa's tokenizer and norms with rotary positions. model_type "xlm-roberta" with
// position_embedding_type "rotary" in the files of the authors, "jina_embeddings_v3" in those of the reference library.
#pragma once

#include "models/config/attention_settings.h"
#include "models/families/roberta.h"
#include "models/families/rotary_names.h"

namespace bert {

inline constexpr std::string_view kJinaV3Prefixes[] = {"", "roberta.", "model.", "0.auto_model."};
inline constexpr std::string_view kJinaV3Ignorable[] = {"pooler.*", "lm_head.*", "classifier.*", "qa_outputs.*"};
constexpr EncoderNames make_newer_jina_v3_names() {
  EncoderNames names = kReferenceRotaryNames;
  names.feed_forward_gate = {};
  names.feed_forward_up = "layers.{}.mlp.fc1";
  names.feed_forward_down = "layers.{}.mlp.fc2";
  return names;
}
inline constexpr EncoderNames kNewerJinaV3Names = make_newer_jina_v3_names();

constexpr RenamedPart kJinaV3Renamed[] = {
    {"encoder.layers", "layers"}, {"mixer.Wqkv", "self_attn.q_proj"}, {"mixer.out_proj", "self_attn.o_proj"}};

constexpr Family make_jina_v3(std::string_view model_type, std::string_view class_prefix,
                              void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family jina = make_sentencepiece_roberta(model_type, class_prefix, kXlmRobertaPieces);
  jina.defaults.vocab_size = 250002;
  jina.defaults.hidden_size = 1024;
  jina.defaults.num_hidden_layers = 24;
  jina.defaults.num_attention_heads = 16;
  jina.defaults.intermediate_size = 4096;
  jina.defaults.max_position_embeddings = 8194;
  jina.defaults.type_vocab_size = 1;
  jina.defaults.layer_norm_eps = 1e-5;
  jina.defaults.position_embedding_type = "rotary";
  jina.fields.position_embedding_type = nullptr;
  jina.names_sentence_file = false;
  jina.positions_skip_padding = false;
  jina.read_settings = read_settings;
  jina.weights.prefixes = kJinaV3Prefixes;
  jina.weights.ignorable = kJinaV3Ignorable;
  jina.names = {.word_embeddings = "embeddings.word_embeddings",
                .token_type_embeddings = "embeddings.token_type_embeddings",
                .embeddings_norm = "emb_ln",
                .qkv = "encoder.layers.{}.mixer.Wqkv",
                .attention_output = "encoder.layers.{}.mixer.out_proj",
                .norm_after_attention = "encoder.layers.{}.norm1",
                .feed_forward_up = "encoder.layers.{}.mlp.fc1",
                .feed_forward_down = "encoder.layers.{}.mlp.fc2",
                .norm_after_feed_forward = "encoder.layers.{}.norm2",
                .pooler = "pooler.dense"};
  jina.other_names = &kNewerJinaV3Names;
  jina.renamed_parts = kJinaV3Renamed;
  return jina;
}

}  // namespace bert
