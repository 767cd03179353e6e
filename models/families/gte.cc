#include "models/families/gte.h"
#include "models/families/roberta.h"

namespace bert {
namespace {

void read_gte(const JsonObject& fields, ModelConfig& config) {
  read_gte_types(fields, config);
  read_head_size(fields, HeadSize::kOwn, config);
  read_rotary(fields, 160000, config);
}

constexpr Family make_gte_of_the_reference() {
  Family gte = make_gte("gte", "Gte", read_gte);
  gte.tokenizer = make_sentencepiece_roberta("gte", "Gte", kXlmRobertaPieces).tokenizer;
  gte.defaults.vocab_size = 250048;
  gte.defaults.max_position_embeddings = 8192;
  gte.defaults.pad_token_id = 1;
  return gte;
}

}  // namespace

constinit const Family gte_family = make_gte_of_the_reference();

}  // namespace bert
