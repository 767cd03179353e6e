// I-BERT in floats (quant_mode false): RoBERTa, with additional numbers that only integer arithmetic needs.
#include "models/config/attention_settings.h"
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kIbertPrefixes[] = {"", "ibert.", "model.", "0.auto_model."};
constexpr std::string_view kIbertIgnorable[] = {"embeddings.position_ids",
                                                "*_scaling_factor",
                                                "*_integer",
                                                "*.x_min",
                                                "*.x_max",
                                                "*.act_scaling_factor",
                                                "*.shift",
                                                "pooler.*",
                                                "lm_head.*",
                                                "classifier.*",
                                                "qa_outputs.*"};

void read_ibert(const JsonObject& fields, ModelConfig&) { require(fields, "quant_mode", false); }

constexpr Family make_ibert() {
  Family family = make_roberta();
  family.model_type = "ibert";
  family.class_prefix = "IBert";
  family.names_sentence_file = false;
  family.tokenizer.usual = false;
  family.defaults.vocab_size = 30522;
  family.read_settings = read_ibert;
  family.weights.prefixes = kIbertPrefixes;
  family.weights.ignorable = kIbertIgnorable;
  return family;
}

}  // namespace

constinit const Family ibert_family = make_ibert();

}  // namespace bert
