// XLM-RoBERTa: RoBERTa under another name, with another tokenizer.
#include "models/family.h"

namespace bert {

namespace {

constexpr ScoredToken kXlmRobertaLeading[] = {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}};

}  // namespace

const Family& xlm_roberta_family() {
  static const Family family = [] {
    Family copy = roberta_family();
    copy.model_type = "xlm-roberta";
    copy.class_prefix = "XLMRoberta";
    copy.tokenizer.files = TokenizerFiles::kSentencePiece;
    copy.tokenizer.usual = false;
    copy.tokenizer.pieces = {.leading = kXlmRobertaLeading, .first_piece = 3, .mask_at_end = true};
    copy.defaults.model_type = "xlm-roberta";
    copy.defaults.vocab_size = 30522;
    return copy;
  }();
  return family;
}

}  // namespace bert
