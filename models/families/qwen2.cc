// The layers of Qwen2 and Qwen2.5: Qwen3's without norms of queries and keys, and with biases of queries, keys and
// values.
#include "models/families/qwen3.h"

namespace bert {
namespace {

void read_qwen2(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  read_heads(fields, config, HeadSize::kOwn);
  read_rotary(fields, 10000, config);
  read_qwen3_sight(fields, config);
}

constexpr Family make_qwen2() {
  Family family = make_qwen3("qwen2", "Qwen2", read_qwen2);
  family.names.query_norm = "";
  family.names.key_norm = "";
  family.attention_bias = Bias::kAlways;
  family.attention_output_bias = Bias::kNever;
  family.tokenizer.unapplied_text_of_type = UnappliedText::kQwen2;
  return family;
}

}  // namespace

constinit const Family qwen2_family = make_qwen2();

}  // namespace bert
