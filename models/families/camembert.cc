// CamemBERT: RoBERTa with another name and another tokenizer.
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kCamembertAdditional[] = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"};
constexpr ScoredToken kCamembertLeading[] = {
    {"<s>NOTUSED", 0}, {"<pad>", 0}, {"</s>NOTUSED", 0}, {"<unk>", 0}, {"<unk>NOTUSED", -100}};

constexpr Family make_camembert() {
  Family copy = make_roberta();
  copy.model_type = "camembert";
  copy.class_prefix = "Camembert";
  copy.tokenizer.files = TokenizerFiles::kSentencePiece;
  copy.tokenizer.usual = false;
  copy.tokenizer.additional = kCamembertAdditional;
  copy.tokenizer.pieces = {.leading = kCamembertLeading, .first_piece = 1, .mask_at_end = true};
  copy.defaults.vocab_size = 30522;
  return copy;
}

}  // namespace

constinit const Family camembert_family = make_camembert();

}  // namespace bert
