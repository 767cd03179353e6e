// The encoders of DPR, for questions, contexts and pages with answers: BERT without its pooler. A text's vector is the
// vector of its first token.
#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kDprPrefixes[] = {"question_encoder.bert_model.", "ctx_encoder.bert_model.",
                                             "span_predictor.encoder.bert_model."};
constexpr std::string_view kDprIgnorable[] = {"embeddings.position_ids", "pooler.*", "span_predictor.qa_*"};

void read_dpr(const JsonObject& fields, ModelConfig&) { require(fields, "projection_dim", 0.0); }

constexpr Family make_dpr() {
  Family family = kBert;
  family.model_type = "dpr";
  family.class_prefix = "DPR";
  family.tokenizer.usual = false;
  family.read_settings = read_dpr;
  family.weights.prefixes = kDprPrefixes;
  family.weights.ignorable = kDprIgnorable;
  family.names.pooler = "";
  family.heads = {};
  return family;
}

}  // namespace

constinit const Family dpr_family = make_dpr();

}  // namespace bert
