// ConvBERT: ELECTRA's layers, with half of the heads and with convolutions beside them.
#include <string>

#include "models/config/attention_settings.h"
#include "models/families/electra.h"

namespace bert {
namespace {

constexpr std::string_view kConvBertPrefixes[] = {"", "convbert.", "model.", "0.auto_model."};
constexpr HeadNames kConvBertHeads[] = {kElectraHeads[1],
                                        {.head = Head::kSequenceClassification,
                                         .input = HeadInput::kFirstToken,
                                         .dense = "classifier.dense",
                                         .output = "classifier.out_proj"},
                                        kElectraHeads[3],
                                        kElectraHeads[4],
                                        kElectraHeads[5]};

void read_convbert(const JsonObject& fields, ModelConfig& config) {
  read_electra(fields, config);
  constexpr int64_t kMost = 1024;
  config.span_convolution = positive_integer(fields, "conv_kernel_size", 9, kMost);
  if (config.span_convolution % 2 == 0) fields.refuse("conv_kernel_size", "an odd number");
  const size_t fewer = config.num_attention_heads / positive_integer(fields, "head_ratio", 2, kMost);
  config.num_attention_heads = fewer < 1 ? 1 : fewer;
  config.head_size = config.hidden_size / config.num_attention_heads / 2;
  if (2 * config.num_attention_heads * config.head_size != config.hidden_size) {
    fields.refuse("hidden_size", "a multiple of " + std::to_string(2 * config.num_attention_heads) +
                                     ", twice the heads beside the convolutions");
  }
  const size_t groups = positive_integer(fields, "num_groups", 1, kMost);
  if (config.hidden_size % groups != 0 || config.intermediate_size % groups != 0) {
    fields.refuse("num_groups", "a number that divides hidden_size and intermediate_size");
  }
  config.dense_groups = {.up = groups, .down = groups};
}

constexpr Family make_convbert() {
  Family family = make_electra();
  family.model_type = "convbert";
  family.class_prefix = "ConvBert";
  family.defaults.hidden_size = 768;
  family.defaults.num_attention_heads = 12;
  family.defaults.intermediate_size = 3072;
  family.defaults.embedding_size = 768;
  family.fields.position_embedding_type = nullptr;
  family.read_settings = read_convbert;
  family.weights.prefixes = kConvBertPrefixes;
  family.names.distance_embedding = "";
  family.names.span_convolution = "encoder.layer.{}.attention.self";
  family.grouped_shape = GroupedShape::kByGroup;
  family.heads = kConvBertHeads;
  return family;
}

}  // namespace

constinit const Family convbert_family = make_convbert();

}  // namespace bert
