// XLM-RoBERTa: RoBERTa with another name and another tokenizer.
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr ScoredToken kXlmRobertaLeading[] = {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}};

constexpr Family make_xlm_roberta() {
  Family copy = make_roberta();
  copy.model_type = "xlm-roberta";
  copy.class_prefix = "XLMRoberta";
  copy.tokenizer.files = TokenizerFiles::kSentencePiece;
  copy.tokenizer.usual = false;
  copy.tokenizer.pieces = {.leading = kXlmRobertaLeading, .first_piece = 3, .mask_at_end = true};
  copy.defaults.vocab_size = 30522;
  return copy;
}

}  // namespace

constinit const Family xlm_roberta_family = make_xlm_roberta();

}  // namespace bert
