// Qwen3's layers: EuroBERT's layer, with a norm of each head's queries and keys, and heads with a size of their own.
// Attention is causal unless a file says otherwise.
#pragma once

#include "models/families/eurobert.h"

namespace bert {

inline constexpr std::string_view kQwen3Prefixes[] = {"", "model.", "transformer.", "0.auto_model."};
inline constexpr std::string_view kQwen3Ignorable[] = {"lm_head.*", "score.*", "linear.weight", "qa_outputs.*"};
inline constexpr std::string_view kQwen3TokenizerClasses[] = {"Qwen2"};
inline constexpr HeadNames kQwen3Heads[] = {
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kLastToken,
     .output = "score",
     .output_has_bias = Bias::kNever},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "score"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

// Reads everything but whether attention is causal, and local layers.
void read_qwen3_layers(const JsonObject& fields, ModelConfig& config);
// Throws Error for a file that does not say whether attention is causal. Models with their own code (gte-Qwen2, stella,
// LLM2Vec) may attend both ways although the reference's class of the same name does not.
void refuse_unsaid_sight(const JsonObject& fields);
// Reads is_causal and use_bidirectional_attention.
void read_sight(const JsonObject& fields, ModelConfig& config);
// Reads is_causal, use_bidirectional_attention, and use_sliding_window with its fields.
void read_qwen3_sight(const JsonObject& fields, ModelConfig& config);

constexpr Family make_qwen3(std::string_view model_type, std::string_view class_prefix,
                            void (*read_settings)(const JsonObject&, ModelConfig&)) {
  Family family = make_eurobert(model_type, class_prefix, kQwen3Prefixes, kQwen3Ignorable, kQwen3Heads, read_settings);
  family.tokenizer.same_classes = kQwen3TokenizerClasses;
  family.tokenizer.unapplied_text = UnappliedText::kQwen2;
  if (model_type == "qwen3") family.tokenizer.unapplied_text_of_type = UnappliedText::kQwen2;
  family.names.query_norm = "layers.{}.self_attn.q_norm";
  family.names.key_norm = "layers.{}.self_attn.k_norm";
  family.up_bias = Bias::kNever;
  family.down_bias = Bias::kNever;
  family.defaults.vocab_size = 151936;
  family.defaults.hidden_size = 4096;
  family.defaults.num_hidden_layers = 32;
  family.defaults.num_attention_heads = 32;
  family.defaults.intermediate_size = 22016;
  family.defaults.max_position_embeddings = 32768;
  family.defaults.layer_norm_eps = 1e-6;
  family.defaults.pad_token_id = -1;
  family.defaults.tie_word_embeddings = false;
  return family;
}

}  // namespace bert
