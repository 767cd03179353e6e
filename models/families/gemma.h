// Gemma's layers: Llama's, with word vectors multiplied by the square root of their width, and norms whose stored
// weights are 1 less. From Gemma 2 on each block's output also has a norm.
#pragma once

#include "models/families/llama.h"

namespace bert {

constexpr Family make_gemma(std::string_view model_type, std::string_view class_prefix,
                            void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family family = make_llama(model_type, class_prefix, read_settings);
  family.tokenizer.unapplied_text = family.tokenizer.unapplied_text_of_type = UnappliedText::kGemma;
  family.scales_embeddings = true;
  family.norm_weights_are_less_1 = true;
  family.defaults.vocab_size = 256000;
  family.defaults.hidden_size = 3072;
  family.defaults.num_hidden_layers = 28;
  family.defaults.num_attention_heads = 16;
  family.defaults.intermediate_size = 24576;
  family.defaults.max_position_embeddings = 8192;
  family.defaults.hidden_act = "gelu_pytorch_tanh";
  family.defaults.pad_token_id = 0;
  family.defaults.tie_word_embeddings = true;
  return family;
}

constexpr Family make_gemma2(std::string_view model_type, std::string_view class_prefix,
                             void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family family = make_gemma(model_type, class_prefix, read_settings);
  family.names.norm_of_attention = "layers.{}.post_attention_layernorm";
  family.names.norm_before_feed_forward = "layers.{}.pre_feedforward_layernorm";
  family.names.norm_of_feed_forward = "layers.{}.post_feedforward_layernorm";
  family.fields.hidden_act = "hidden_activation";
  family.defaults.hidden_size = 2304;
  family.defaults.num_hidden_layers = 26;
  family.defaults.num_attention_heads = 8;
  family.defaults.intermediate_size = 9216;
  return family;
}

// Reads everything but whether attention is causal, and the windows.
void read_gemma_layers(const JsonObject& fields, ModelConfig& config);
// Reads everything but whether attention is causal.
void read_gemma2_layers(const JsonObject& fields, ModelConfig& config);

}  // namespace bert
